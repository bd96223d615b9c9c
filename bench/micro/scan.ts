// Finding where cells begin and end, without making text: the engine that parsers use by default.

import { tsvScanner } from '../../src/engine/codec/tsv/tsv-scanner'
import type { MicroCase } from './micro-case'
import { sampleBatches, sampleBytes, sampleRows } from './sample'

const scanner = tsvScanner()
const space = scanner.newSpace(sampleBatches[0]!.header.columns.length)
const firstRow = sampleBytes.indexOf(0x0a) + 1

export const scan: MicroCase = {
  name: 'scan',
  input: `${sampleRows.length} rows`,
  inputBytes: sampleBytes.length - firstRow,
  run() {
    space.rows = 0
    scanner.scan(sampleBytes, firstRow, sampleBytes.length, sampleBytes.length, space)
    return space.rows
  },
  expected: sampleRows.length,
}
