// Bytes to batches of rows, no cell read.

import type { MicroCase } from './micro-case'
import { parseSample, sampleBytes, sampleRows } from './sample'

export const parse: MicroCase = {
  name: 'parse',
  input: `${sampleRows.length} rows`,
  inputBytes: sampleBytes.length,
  run: () => parseSample().reduce((rows, batch) => rows + batch.length, 0),
  expected: sampleRows.length,
}
