import { expect, test } from 'vitest'
import { textTable } from '../../src/cli/text-table'

test('the first column is aligned to the left and the others to the right, with nothing after the last cell', () => {
  const lines = [
    ['Gunzip', '1.5', ''],
    ['a', '', '12'],
  ]
  expect(textTable(['stage', 's', 'rows'], lines)).toEqual([
    'stage     s  rows', //
    '------  ---  ----',
    'Gunzip  1.5',
    'a              12',
  ])
})
