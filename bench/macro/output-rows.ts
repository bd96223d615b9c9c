// Rows of a written file, for the checks: JSON lines, and Parquet by hyparquet.

import { createReadStream } from 'node:fs'
import { createInterface } from 'node:readline'
import { asyncBufferFromFile, parquetReadObjects } from 'hyparquet'
import { typedCellText } from './typed-cells'

type OutputRow = Readonly<Record<string, unknown>>

/** How a row of a written file is compared. */
export const outputCells = (row: OutputRow, columns: readonly string[]) =>
  columns.map(name => typedCellText(name, row[name] ?? null))

export async function* linesOf(path: string): AsyncGenerator<OutputRow, void, void> {
  for await (const line of createInterface({ input: createReadStream(path) }))
    yield JSON.parse(line) as OutputRow
}

export async function* parquetRows(path: string): AsyncGenerator<OutputRow, void, void> {
  const file = await asyncBufferFromFile(path)
  for (const row of (await parquetReadObjects({ file })) as OutputRow[]) {
    // The reader multiplies cents by 0.01, which is not exact.
    const cents = row.priceValue === null ? null : Math.round(Number(row.priceValue) * 100)
    yield { ...row, priceValue: cents === null ? null : cents / 100 }
  }
}
