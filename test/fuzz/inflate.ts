// Differential fuzzing of the WebAssembly inflate engine against node:zlib: `npm run fuzz -- [count] [seed]`.
// Stops at the first stream that the two judge differently, and prints it.

import {
  anyDeflated,
  cutAnywhere,
  isSame,
  mutant,
  randomNumbers,
  type Verdict,
  wasmVerdict,
  zlibVerdict,
} from '../codec/gzip/deflate-mutants'

const count = Number(process.argv[2] ?? 10_000_000)
const firstSeed = Number(process.argv[3] ?? 1)
/** Streams that one set of seeds makes. */
const BATCH = 20_000
const SEEDS = 200

const kinds = { whole: 0, incomplete: 0, invalid: 0 }
const kindOf = (verdict: Verdict) => (typeof verdict === 'string' ? verdict : 'whole')

for (let done = 0, seed = firstSeed; done < count; seed++) {
  const next = randomNumbers(seed)
  const seeds = Array.from({ length: SEEDS }, () => anyDeflated(next))
  for (let n = 0; n < BATCH && done < count; n++, done++) {
    const stream = mutant(seeds, next)
    const expected = zlibVerdict(stream)
    const pieces = n % 4 === 0 ? cutAnywhere(stream, 4, next) : [stream]
    const actual = wasmVerdict(pieces, n % 16 === 0)
    kinds[kindOf(expected)]++
    if (!isSame(expected, actual)) fail(seed, stream, pieces, expected, actual)
  }
  console.log(`${done} streams, seed ${seed}: ${JSON.stringify(kinds)}`)
}

function fail(seed: number, stream: Buffer, pieces: readonly Buffer[], expected: Verdict, actual: Verdict): never {
  console.error(`seed ${seed}: node:zlib says ${kindOf(expected)}, the wasm engine ${kindOf(actual)}`)
  console.error(`pieces of ${pieces.map(piece => piece.length).join(', ')} bytes; the stream in hex:\n${stream.toString('hex')}`)
  process.exit(1)
}
