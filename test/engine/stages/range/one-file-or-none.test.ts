// The property of every download: see download-model.ts. `npm run fuzz -- downloads` runs more cases.

import { afterAll, beforeAll, expect, test } from 'vitest'
import { verdictOf } from './download-model'

const CASES = 5_000

// Errors are many, and making their stacks would take half of the time.
const { stackTraceLimit } = Error
beforeAll(() => void (Error.stackTraceLimit = 0))
afterAll(() => void (Error.stackTraceLimit = stackTraceLimit))

test('fault 131: what comes out of any server is one version of the file, or a typed error', async () => {
  for (let seed = 1; seed <= CASES; seed++) expect(await verdictOf(seed)).toBeUndefined()
}, 120_000)
