// The gzip file to JSON lines with every cell decoded: by this package's sink for rows, by DuckDB's
// COPY, and by csv-parse with straightforward decoding and JSON.stringify.

import { once } from 'node:events'
import { createWriteStream } from 'node:fs'
import { finished } from 'node:stream/promises'
import { ndjsonSink } from '../../src/index'
import { csvParseRows } from './csv-parse'
import { itemBatches } from './item-batches'
import { fileCase } from './macro-case'
import { linesOf, outputCells } from './output-rows'
import { decodePlainly, expectedOfNumbers } from './plain-decoding'
import { expectedTypedText } from './typed-cells'

/** The text that is gathered before a write, in letters. */
const WRITE_LETTERS = 256 * 1024

export const ndjson = fileCase({
  name: 'ndjson',
  contender: 'feedmill',
  title: 'gzip file to JSON lines, all cells decoded (ndjsonSink of rows)',
  ours: true,
  cells: outputCells,
  expected: expectedTypedText,
  read: linesOf,
  async run(path, output) {
    const { stages } = await itemBatches(path).run(ndjsonSink(output))
    return stages.at(-1)!.rowsOut
  },
})

export const csvParseNdjson = fileCase({
  name: 'csv-parse-ndjson',
  contender: 'csv-parse',
  title: 'its arrays, decoded by Number, Date, split and Buffer.from, then JSON.stringify',
  ours: false,
  cells: outputCells,
  expected: expectedOfNumbers,
  read: linesOf,
  async run(path, output) {
    const file = createWriteStream(output)
    let columns: readonly string[] | undefined
    let rows = 0
    let text = ''
    for await (const cells of csvParseRows(path, 1)) {
      if (columns === undefined) {
        columns = cells
        continue
      }
      rows++
      const row = Object.fromEntries(columns.map((name, n) => [name, cells[n]!]))
      text += `${JSON.stringify(decodePlainly(row))}\n`
      if (text.length < WRITE_LETTERS) continue
      if (!file.write(text)) await once(file, 'drain')
      text = ''
    }
    file.end(text)
    await finished(file)
    return rows
  },
})
