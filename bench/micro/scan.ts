// Finding where cells begin and end, without making text.

import { scalarScanner } from '../../src/codec/tsv/scalar-scanner'
import { newScanSpace } from '../../src/codec/tsv/scanner'
import type { MicroCase } from './micro-case'
import { sampleBatches, sampleBytes, sampleRows } from './sample'

const space = newScanSpace(sampleBatches[0]!.header.columns.length, sampleRows.length)
const firstRow = sampleBytes.indexOf(0x0a) + 1

export const scan: MicroCase = {
  name: 'scan',
  input: `${sampleRows.length} rows`,
  inputBytes: sampleBytes.length - firstRow,
  run() {
    space.rows = 0
    scalarScanner.scan(sampleBytes, firstRow, sampleBytes.length, sampleBytes.length, space)
    return space.rows
  },
  expected: sampleRows.length,
}
