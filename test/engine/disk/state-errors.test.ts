// What an error of a state says to do: the disk is named only where it failed.

import { expect, test } from 'vitest'
import { stateIo } from '../../../src/engine/disk/state-errors'

test.each([
  ['ENOSPC', /make room on the disk/],
  ['EIO', /check the disk and run again; what was committed before is kept$/],
  ['IO Error: Could not write file "a": No space left on device', /make room on the disk/],
  ['IO Error: Could not read from file', /check the disk/],
  ['Out of Memory Error: failed to allocate', /raise memoryBytes/],
  ['Constraint Error: Duplicate key "sku: a"', /correct the rows, or the table/],
  ['Conversion Error: Could not convert', /correct the rows, or the table/],
  ['Binder Error: Referenced column not found', /compare the tables/],
  ['the folder was closed before', /; what was committed before is kept$/],
])('after %s', (reason, remedy) => {
  const { message } = stateIo('a.duckdb', 'statement', reason)
  expect(message).toMatch(remedy)
  if (!/^(?:E[A-Z]|IO)/.test(reason)) expect(message).not.toMatch(/disk/)
})
