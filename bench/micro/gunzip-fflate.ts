// The portable inflate engine, without the framing.

import { deflateRawSync } from 'node:zlib'
import { fflateEngine } from '../../src/codec/gzip/fflate-engine'
import type { MicroCase } from './micro-case'
import { sampleBytes } from './sample'

const newEngine = fflateEngine()
const compressed = deflateRawSync(sampleBytes)

export const gunzipFflate: MicroCase = {
  name: 'gunzip-fflate',
  input: `${compressed.length} bytes to ${sampleBytes.length}`,
  inputBytes: sampleBytes.length,
  run() {
    let bytes = 0
    for (const block of newEngine(0).inflate(compressed) as Iterable<Uint8Array>)
      bytes += block.length
    return bytes
  },
  expected: sampleBytes.length,
}
