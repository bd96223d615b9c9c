// Differential fuzzing of the WebAssembly inflate engine against node:zlib. One stream in FEW is
// also inflated by the engine with a worker, of which each stream needs its own. Stops at the first
// stream that is judged differently, and prints it.

import { setTimeout as delay } from 'node:timers/promises'
import { FeedError } from '../../src/engine/errors'
import {
  anyDeflated,
  cutAnywhere,
  isSame,
  mutant,
  randomNumbers,
  type Verdict,
  wasmVerdict,
  zlibVerdict,
} from '../engine/codec/gzip/deflate-mutants'
import { OverlappedInflate } from '../engine/stages/overlapped-inflate'

/** Streams that one set of seeds makes. */
const BATCH = 20_000
const SEEDS = 200
/** Starting a worker costs as much as some hundred streams. */
const FEW = 500
/** After so long a stream that says nothing hangs. */
const HANG_MS = 30_000

const kinds = { whole: 0, incomplete: 0, invalid: 0 }
const kindOf = (verdict: Verdict) => (typeof verdict === 'string' ? verdict : 'whole')
const named = (verdict: Verdict | 'hangs') => (verdict === 'hangs' ? verdict : kindOf(verdict))

export async function fuzzInflate(count: number, firstSeed: number): Promise<void> {
  for (let done = 0, seed = firstSeed; done < count; seed++) {
    const next = randomNumbers(seed)
    const seeds = Array.from({ length: SEEDS }, () => anyDeflated(next))
    for (let n = 0; n < BATCH && done < count; n++, done++) {
      const stream = mutant(seeds, next)
      const expected = zlibVerdict(stream)
      const pieces = n % 4 === 0 ? cutAnywhere(stream, 4, next) : [stream]
      const actual = wasmVerdict(pieces)
      kinds[kindOf(expected)]++
      if (!isSame(expected, actual)) fail(seed, stream, pieces, 'wasm', expected, actual)
      if (n % FEW > 0) continue
      const overlapped = await overlappedVerdict(cutAnywhere(stream, 4, next))
      if (overlapped === 'hangs' || !isSame(expected, overlapped))
        fail(seed, stream, pieces, 'overlapped', expected, overlapped)
    }
    console.log(`${done} streams, seed ${seed}: ${JSON.stringify(kinds)}`)
  }
}

async function overlappedVerdict(pieces: readonly Buffer[]): Promise<Verdict | 'hangs'> {
  const engine = new OverlappedInflate(0)
  const hang = new AbortController()
  try {
    return await Promise.race([
      verdictOf(engine, pieces),
      delay(HANG_MS, 'hangs' as const, { signal: hang.signal }).catch(() => 'hangs' as const),
    ])
  } finally {
    hang.abort()
    engine.destroy()
  }
}

async function verdictOf(engine: OverlappedInflate, pieces: readonly Buffer[]): Promise<Verdict> {
  const outputs: Uint8Array[] = []
  try {
    for (const piece of pieces) {
      if (engine.ended) break
      for await (const output of engine.inflate(piece)) outputs.push(Uint8Array.from(output))
    }
    for await (const output of engine.finish()) outputs.push(Uint8Array.from(output))
  } catch (error) {
    if (FeedError.is(error) && error.code === 'GZIP_DATA_INVALID') return 'invalid'
    throw error
  }
  return engine.ended
    ? { output: Buffer.concat(outputs), usedBytes: engine.usedBytes }
    : 'incomplete'
}

function fail(
  seed: number,
  stream: Buffer,
  pieces: readonly Buffer[],
  engine: string,
  expected: Verdict,
  actual: Verdict | 'hangs',
): never {
  console.error(
    `seed ${seed}: node:zlib says ${kindOf(expected)}, the ${engine} engine ${named(actual)}`,
  )
  console.error(
    `pieces of ${pieces.map(piece => piece.length).join(', ')} bytes; the stream in hex:\n${stream.toString('hex')}`,
  )
  process.exit(1)
}
