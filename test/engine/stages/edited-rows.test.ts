// Files as they come, by every road of rows: the parsers of rows, objects and columns, the sinks, a
// quarantine, a state and the report give what the naive reader reads.
// Long: each file goes by every road.

import { PassThrough } from 'node:stream'
import fc from 'fast-check'
import Papa from 'papaparse'
import { expect, test } from 'vitest'
import { mendedRows } from '../../../src/engine/codec/quarantine/mended-rows'
import {
  QuarantineReader,
  recordLine,
  rowLine,
} from '../../../src/engine/codec/quarantine/quarantine-records'
import { TsvParser } from '../../../src/engine/codec/tsv/parser'
import { csvSink } from '../../../src/engine/sinks/csv-sink'
import { ndjsonSink } from '../../../src/engine/sinks/ndjson-sink'
import {
  type Dialect,
  defineSchema,
  int32,
  pipeline,
  type Sink,
  TsvColumnParser,
  TsvObjectParser,
  TsvRowParser,
  text,
} from '../../../src/index'
import { inspect } from '../../../src/inspect'
import { comeFiles } from '../codec/tsv/come-files'
import { naiveReading } from '../codec/tsv/naive-reader'

const onBadRow = 'skip'

/** What a sink writes of the rows. */
async function written(
  file: Uint8Array,
  dialect: Dialect,
  sinkTo: (stream: PassThrough) => Sink<never>,
): Promise<string> {
  const stream = new PassThrough()
  const chunks: Buffer[] = []
  stream.on('data', chunk => chunks.push(chunk))
  await pipeline([file])
    .to(new TsvRowParser({ dialect, onBadRow }))
    .run(sinkTo(stream) as never)
  return Buffer.concat(chunks).toString()
}

test('fault 181: every road has the rows of the naive reader', async () => {
  await fc.assert(
    fc.asyncProperty(comeFiles, async ({ dialect, text }) => {
      const { names, rows, bad } = naiveReading(text, dialect)
      const file = Buffer.from(text)
      const options = { dialect, onBadRow } as const
      const texts = rows.map(({ cells }) =>
        Object.fromEntries(names.map((name, at) => [name, cells[at]!])),
      )
      const values = texts.map(row =>
        Object.fromEntries(Object.entries(row).map(([name, cell]) => [name, cell || null])),
      )
      const source = () => pipeline([file])

      const parsed = await source().to(new TsvRowParser(options)).toArray()
      expect(parsed.map(row => row.toStrings())).toEqual(texts)
      expect(
        parsed.map(row => Object.fromEntries(names.map(name => [name, row.get(name)]))),
      ).toEqual(values)
      const objects = new TsvObjectParser(options)
      expect(await source().to(objects).toArray()).toEqual(values)
      expect(objects.badRows).toBe(bad.length)
      const plain = new TsvObjectParser({ ...options, values: 'text' })
      expect(await source().to(plain).toArray()).toEqual(texts)
      expect(await source().to(new TsvColumnParser(options)).toArray()).toEqual(values)

      const ndjson = await written(file, dialect, stream => ndjsonSink(stream))
      const lines = ndjson.split('\n').slice(0, -1)
      expect(lines.map(line => JSON.parse(line))).toEqual(values)
      const csv = await written(file, dialect, stream =>
        csvSink(stream, { neutralizeFormulas: false }),
      )
      const table = Papa.parse<string[]>(csv, { newline: '\r\n' }).data
      if (names.length > 1 && rows.length > 0)
        expect(table.slice(1, rows.length + 1)).toEqual(rows.map(({ cells }) => cells))

      const report = await inspect([file], { dialect: { delimiter: '\t', ...dialect } })
      expect([report.rows, report.badRows.count]).toEqual([rows.length, bad.length])
      expect(report.columns.map(({ empty }) => empty)).toEqual(
        names.map((_, at) => rows.filter(({ cells }) => cells[at] === '').length),
      )
    }),
    { numRuns: 400 },
  )
})

test('rows of a quarantine are read again by the dialect of their file', () => {
  const dialect: Dialect = { quoting: 'escapes', trim: true, nulls: ['NA'], blankLines: 'skip' }
  const schema = defineSchema({ name: 'own', columns: { a: text(), b: int32() } })
  let records = ''
  const parser = new TsvParser({
    schema,
    dialect,
    onBadRow: {
      take(row) {
        if (records === '') records = recordLine(row.of)
        records += rowLine(row)
      },
      settle: () => undefined,
      flush: () => undefined,
    },
  })
  const file = 'a\tb\n1\t1\n x\\ty \n\n NA \t2\t3\n'
  expect(
    [...parser.push(Buffer.from(file)), ...parser.end()].flatMap(batch => batch.length),
  ).toEqual([1])
  const mended = records
    .replace(String.raw`y \n`, String.raw`y \tNA\n`)
    .replace(String.raw`\t3`, '')
  const reader = new QuarantineReader('q')
  const rows = [...reader.push(Buffer.from(mended)), ...reader.end()].flatMap(row =>
    [...mendedRows(row, { schema })].flatMap(batch => [...batch].map(one => one.toObject())),
  )
  expect(rows).toEqual([
    { a: 'x\ty', b: null },
    { a: null, b: 2 },
  ])
})
