// Finding where cells begin and end, without making text, in a copy of the bytes.

import { TsvScanner } from '../../src/engine/codec/tsv/tsv-scanner'
import type { MicroCase } from './micro-case'
import { sampleBatches, sampleBytes, sampleRows } from './sample'

const scanner = new TsvScanner()
const space = scanner.newSpace(sampleBatches[0]!.header.columns.length)
const firstRow = sampleBytes.indexOf(0x0a) + 1

export const scan: MicroCase = {
  name: 'scan',
  input: `${sampleRows.length} rows`,
  inputBytes: sampleBytes.length - firstRow,
  run() {
    space.rows = 0
    for (let at = firstRow; at < sampleBytes.length; ) at = scanner.scanCopy(sampleBytes, at, space)
    return space.rows
  },
  expected: sampleRows.length,
}
