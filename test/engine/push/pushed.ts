// Pushes a whole input through an engine, for its tests.

import { FeedError } from '../../../src/engine/errors'
import type { Engine } from '../../../src/engine/push/engine'

/** The pieces of some bytes between these places, which may stand in any order. */
export function cutAt(bytes: Uint8Array, places: readonly number[]): Uint8Array[] {
  const ends = [...places.map(place => Math.min(place, bytes.length)), bytes.length]
  ends.sort((one, other) => one - other)
  return ends.map((end, n) => bytes.subarray(ends[n - 1] ?? 0, end))
}

export interface Pushed<Out> {
  /** The outputs up to the end or the failure. */
  readonly outputs: readonly Out[]
  readonly error: FeedError | undefined
}

/** Pushes copies of the pieces, each of which is overwritten once its outputs are used up. */
export function pushed<Out>(
  engine: Engine<Uint8Array, Out, unknown>,
  pieces: readonly Uint8Array[],
): Pushed<Out> {
  const outputs: Out[] = []
  try {
    for (const piece of pieces) {
      const lent = Uint8Array.from(piece)
      for (const output of engine.push(lent)) outputs.push(output)
      lent.fill(0xa5)
    }
    for (const output of engine.end()) outputs.push(output)
    return { outputs, error: undefined }
  } catch (error) {
    if (!FeedError.is(error)) throw error
    return { outputs, error }
  }
}

/** What a caller sees of an error. */
export const shownError = (error: FeedError | undefined) =>
  error && { code: error.code, message: error.message, context: error.context }
