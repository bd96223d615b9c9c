// The portable inflate engine, without the framing.

import { deflateRawSync } from 'node:zlib'
import * as fflate from '../../src/engine/codec/gzip/fflate-api'
import { newFflateInflate } from '../../src/engine/codec/gzip/fflate-inflate'
import type { MicroCase } from './micro-case'
import { sampleBytes } from './sample'

const compressed = deflateRawSync(sampleBytes)

export const gunzipFflate: MicroCase = {
  name: 'gunzip-fflate',
  input: `${compressed.length} bytes to ${sampleBytes.length}`,
  inputBytes: sampleBytes.length,
  run() {
    let bytes = 0
    for (const block of newFflateInflate(0, fflate).inflate(compressed)) bytes += block.length
    return bytes
  },
  expected: sampleBytes.length,
}
