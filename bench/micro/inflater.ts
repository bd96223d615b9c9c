// The inflater of feedmill/engines: gzip in pieces to blocks that their reader owns.

import { gzipSync } from 'node:zlib'
import { createInflater } from '../../src/engine/push/inflater'
import type { MicroCase } from './micro-case'
import { sampleBytes } from './sample'

const PIECE_BYTES = 16 * 1024

const compressed = gzipSync(sampleBytes)
const pieces = Array.from({ length: Math.ceil(compressed.length / PIECE_BYTES) }, (_, n) =>
  compressed.subarray(n * PIECE_BYTES, (n + 1) * PIECE_BYTES),
)

export const inflater: MicroCase = {
  name: 'inflater',
  input: `${compressed.length} bytes in ${pieces.length} pieces to ${sampleBytes.length}`,
  inputBytes: sampleBytes.length,
  run() {
    const engine = createInflater()
    let bytes = 0
    for (const piece of pieces) for (const block of engine.push(piece)) bytes += block.length
    for (const block of engine.end()) bytes += block.length
    return bytes
  },
  expected: sampleBytes.length,
}
