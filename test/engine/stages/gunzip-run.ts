// Runs a Gunzip over pieces for its tests.

import { FeedError } from '../../../src/engine/errors'
import { Gunzip } from '../../../src/engine/stages/gunzip'
import type { GunzipOptions } from '../../../src/engine/stages/gunzip-options'

export interface GunzipRun {
  /** The outputs up to the end or the failure. */
  readonly output: Buffer
  readonly error: FeedError | undefined
}

/**
 * Writes all pieces at once, whatever the return value of `write` is, and reads to the end or the
 * failure.
 */
export async function runGunzip(
  pieces: readonly Uint8Array[],
  options: GunzipOptions = {},
): Promise<GunzipRun> {
  const gunzip = new Gunzip(options)
  const outputs: Uint8Array[] = []
  const reading = readInto(outputs, gunzip)
  for (const piece of pieces) gunzip.write(piece)
  gunzip.end()
  const error = await reading
  return { output: Buffer.concat(outputs), error }
}

async function readInto(outputs: Uint8Array[], gunzip: Gunzip): Promise<FeedError | undefined> {
  try {
    for await (const output of gunzip) outputs.push(output)
    return undefined
  } catch (error) {
    if (FeedError.is(error)) return error
    throw error
  }
}
