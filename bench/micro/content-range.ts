// Reading Content-range headers: both forms, with and without a total.

import { readContentRange } from '../../src/engine/codec/range/file-identity'
import type { MicroCase } from './micro-case'

const HEADERS = [
  '0-10485759/43500000',
  'bytes 10485760-20971519/43500000',
  '20971520-31457279/*',
  'bytes */43500000',
]

export const contentRange: MicroCase = {
  name: 'content-range',
  input: `${HEADERS.length} headers`,
  inputBytes: undefined,
  run: () => HEADERS.map(header => readContentRange(header).kind).join(),
  expected: 'range,range,range,unsatisfied',
}
