// Random servers and their downloads: see test/engine/stages/range/download-model.ts. Stops at the
// first download that gives something other than one version of the file or a typed error.

import { verdictOf } from '../engine/stages/range/download-model'

export async function fuzzDownloads(count: number, firstSeed: number): Promise<void> {
  // Errors are many, and nobody reads where in the code they were made.
  Error.stackTraceLimit = 0
  for (let done = 1; done <= count; done++) {
    const seed = firstSeed + done - 1
    const verdict = await verdictOf(seed)
    if (done % 10_000 === 0) console.log(`${done} downloads, seed ${seed}`)
    if (verdict === undefined) continue
    console.error(verdict)
    process.exit(1)
  }
}
