// The property of every download: see download-model.ts. `npm run fuzz -- downloads` runs more cases.

import { afterAll, beforeAll, expect, test } from 'vitest'
import { verdictOf } from './download-model'

/** 5,000 cases in all. */
const [TESTS, CASES] = [5, 1_000]

// Errors are many, and making their stacks would take half of the time.
const { stackTraceLimit } = Error
beforeAll(() => void (Error.stackTraceLimit = 0))
afterAll(() => void (Error.stackTraceLimit = stackTraceLimit))

/**
 * A body without an end that was cut exactly where what was handed out ends; and files that went on
 * under another validator, were stopped, and met the first one again.
 */
const FOUND = [13_006, 14_692, 20_739]

test.each(FOUND)('fault 131: case %i, which was wrong once', async seed => {
  expect(await verdictOf(seed)).toBeUndefined()
})

test.each(Array.from({ length: TESTS }, (_, n) => n * CASES + 1))(
  'fault 131: what comes out of any server is one version of the file, or a typed error, from seed %i',
  async first => {
    for (let seed = first; seed < first + CASES; seed++)
      expect(await verdictOf(seed)).toBeUndefined()
  },
  120_000,
)
