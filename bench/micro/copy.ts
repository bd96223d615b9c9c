// Rows as the text of a COPY, which the target in PostgreSQL sends.

import { CopyBuffer } from '../../src/integrations/postgres/copy-buffer'
import { CopyRows } from '../../src/integrations/postgres/copy-rows'
import { PART_COLUMNS } from '../../src/integrations/postgres/sql-types'
import type { MicroCase } from './micro-case'
import { sampleBatches, sampleBytes, sampleRows } from './sample'

const LF = 0x0a
const rows = new CopyRows(sampleBatches[0]!.header, PART_COLUMNS.items)

/** Returns the number of lines, one for each row: a line end in a cell is escaped. */
function copiedLines(): number {
  const buffer = new CopyBuffer()
  for (const batch of sampleBatches) {
    const write = rows.writer(batch, buffer)
    for (let n = 0; n < batch.length; n++) {
      write(batch.row(n).slot)
      buffer.endRow()
    }
  }
  const text = buffer.take()
  let lines = 0
  for (let at = text.indexOf(LF); at >= 0; at = text.indexOf(LF, at + 1)) lines++
  return lines
}

export const copy: MicroCase = {
  name: 'copy',
  input: `${sampleRows.length} rows`,
  inputBytes: sampleBytes.length,
  run: copiedLines,
  expected: sampleRows.length,
}
