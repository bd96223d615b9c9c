// Rows as the text of a COPY, which the target in PostgreSQL sends.

import { TextBuffer } from '../../src/engine/codec/text-buffer'
import { targetRows } from '../../src/integrations/postgres/copy-rows'
import { serviceTables } from '../../src/sync/target/sql/sql-tables'
import type { MicroCase } from './micro-case'
import { sampleBatches, sampleBytes, sampleRows } from './sample'

const LF = 0x0a
const head = { names: [], write: () => {} }
const [items] = serviceTables({ name: 'bench' })
const rows = targetRows(sampleBatches[0]!.header, items!.columns, head)
const buffer = new TextBuffer()

/** Returns the number of lines, one for each row: a line end in a cell is escaped. */
function copiedLines(): number {
  buffer.cutTo(0)
  for (const batch of sampleBatches) rows.text.write(batch, buffer)
  const text = buffer.view()
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
