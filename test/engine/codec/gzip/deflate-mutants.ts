// Generates deflate streams of every kind, and damaged ones from them. The generator is seeded: the
// same number gives the same bytes. The tests compare the verdict of node:zlib on each stream, and
// the output of streams that end, byte by byte.

import { constants, deflateRawSync, inflateRawSync } from 'node:zlib'
import { WasmInflate } from '../../../../src/engine/codec/gzip/wasm-inflate'
import { FeedError } from '../../../../src/engine/errors'
import { feedText } from './build-gzip'

/** The result for a stream: its output and the bytes it used, or its failure. */
export type Verdict =
  | { readonly output: Buffer; readonly usedBytes: number }
  | 'incomplete'
  | 'invalid'

/** A generator of numbers below 2^32 (xorshift32). */
export function randomNumbers(seed: number): (below: number) => number {
  let state = Math.imul(seed + 1, 0x9e37_79b1) | 1
  return below => {
    state ^= state << 13
    state ^= state >>> 17
    state ^= state << 5
    return (state >>> 0) % below
  }
}

const STRATEGIES = [
  constants.Z_DEFAULT_STRATEGY,
  constants.Z_FILTERED,
  constants.Z_HUFFMAN_ONLY,
  constants.Z_RLE,
  constants.Z_FIXED,
]

/** A complete stream of at most a few KiB. */
export function anyDeflated(next: (below: number) => number): Buffer {
  const options = {
    level: next(10),
    memLevel: 1 + next(9),
    windowBits: 9 + next(7),
    strategy: STRATEGIES[next(STRATEGIES.length)]!,
  }
  return deflateRawSync(anyContent(next), options)
}

function anyContent(next: (below: number) => number): Buffer {
  switch (next(5)) {
    case 0:
      return feedText(1 + next(12), next(1000))
    case 1: // Few symbols make codes of one symbol and long runs.
      return Buffer.from(Array.from({ length: next(300) }, () => 97 + next(1 + next(3))))
    case 2: // Unlike bytes make literals and long codes.
      return Buffer.from(Array.from({ length: next(600) }, () => next(256)))
    case 3: // Skewed bytes make codes of up to 15 bits with subtables.
      return Buffer.from(
        Array.from(
          { length: next(900) },
          () => 31 - Math.clz32(1 + next(0x7fff_ffff)) + (next(40) === 0 ? next(200) : 0),
        ),
      )
    default: {
      const period = Buffer.from(Array.from({ length: 1 + next(40) }, () => next(256)))
      return Buffer.alloc(next(3000), period)
    }
  }
}

/**
 * Applies one to four small damages (to bits or bytes, cuts, insertions), or returns bytes that are
 * no stream.
 */
export function mutant(seeds: readonly Buffer[], next: (below: number) => number): Buffer {
  if (next(16) === 0) return noise(next)
  let bytes = Buffer.from(seeds[next(seeds.length)]!)
  for (let left = 1 + next(4); left > 0 && bytes.length > 0; left--) {
    // Headers are few of the bytes, but most damages to them change the result.
    const at = next(3) === 0 ? next(Math.min(bytes.length, 12)) : next(bytes.length)
    switch (next(6)) {
      case 0:
        bytes[at] = next(256)
        break
      case 1:
        bytes = bytes.subarray(0, at)
        break
      case 2:
        bytes = Buffer.concat([bytes.subarray(0, at), bytes.subarray(at + 1 + next(3))])
        break
      case 3:
        bytes = Buffer.concat([bytes.subarray(0, at), Buffer.from([next(256)]), bytes.subarray(at)])
        break
      default:
        bytes[at]! ^= 1 << next(8)
    }
  }
  return bytes
}

/** Random bytes that begin as one of the kinds of block. */
function noise(next: (below: number) => number): Buffer {
  const bytes = Buffer.from(Array.from({ length: 1 + next(60) }, () => next(256)))
  bytes[0] = (bytes[0]! & 0xf8) | next(8)
  return bytes
}

export function zlibVerdict(bytes: Uint8Array): Verdict {
  try {
    const { buffer, engine } = inflateRawSync(bytes, { info: true }) as unknown as {
      buffer: Buffer
      engine: { bytesWritten: number }
    }
    return { output: buffer, usedBytes: engine.bytesWritten }
  } catch (error) {
    if ((error as { code?: string }).code === 'Z_BUF_ERROR') return 'incomplete'
    if ((error as { code?: string }).code === 'Z_DATA_ERROR') return 'invalid'
    throw error
  }
}

/** Inflates the input in pieces. */
export function wasmVerdict(pieces: readonly Uint8Array[]): Verdict {
  const engine = new WasmInflate(0)
  const outputs: Uint8Array[] = []
  try {
    for (const piece of pieces)
      for (const output of engine.inflate(piece)) outputs.push(Uint8Array.from(output))
  } catch (error) {
    if (FeedError.is(error) && error.code === 'GZIP_DATA_INVALID') return 'invalid'
    throw error
  } finally {
    engine.destroy()
  }
  return engine.ended
    ? { output: Buffer.concat(outputs), usedBytes: engine.usedBytes }
    : 'incomplete'
}

export function isSame(a: Verdict, b: Verdict): boolean {
  if (typeof a === 'string' || typeof b === 'string') return a === b
  return a.usedBytes === b.usedBytes && a.output.equals(b.output)
}

/** Cuts `bytes` into up to `most + 1` pieces. */
export function cutAnywhere(
  bytes: Buffer,
  most: number,
  next: (below: number) => number,
): Buffer[] {
  const cuts = Array.from({ length: next(most + 1) }, () => next(bytes.length + 1)).sort(
    (a, b) => a - b,
  )
  return [...cuts, bytes.length].map((end, n) => bytes.subarray(cuts[n - 1] ?? 0, end))
}
