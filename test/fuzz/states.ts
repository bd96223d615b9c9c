// Random states of feeds of one's own and their change logs: see test/sync/source/law-worlds.ts. Stops
// at the first world that breaks the law, and prints the smallest one.

import fc from 'fast-check'
import { checkLaw, worlds } from '../sync/source/law-worlds'

export async function fuzzStates(count: number, seed: number): Promise<void> {
  let done = 0
  const property = fc.asyncProperty(worlds, async world => {
    await checkLaw(world)
    if (++done % 100 === 0) console.log(`${done} worlds`)
  })
  const details = await fc.check(property, { numRuns: count, seed })
  if (!details.failed) return
  console.error(fc.defaultReportMessage(details), details.errorInstance)
  process.exit(1)
}
