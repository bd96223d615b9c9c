// Record batches of apache-arrow over columns, and the files that it reads back.

import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { arrowSink, toArrow } from '../../../src/arrow'
import type { Column, ColumnBatch } from '../../../src/engine/codec/columns/column-batch'
import { valueAt } from '../../../src/engine/codec/columns/column-data'
import { concat, pipeline } from '../../../src/engine/pipeline/pipeline'
import { int32, list, oneOf, text } from '../../../src/engine/schema/column-kinds'
import { defineSchema } from '../../../src/engine/schema/feed-schema'
import { TsvColumnParser } from '../../../src/engine/stages/tsv-column-parser'
import { TsvRowParser } from '../../../src/engine/stages/tsv-row-parser'
import { Bad, plainly, rowOfCells, schema, types } from '../../engine/codec/any-cells'
import { tsv } from '../../tsv-text'

interface Vector {
  readonly type: { readonly scale?: number; readonly typeId: number }
  readonly data: readonly { readonly values: { readonly buffer: ArrayBuffer } }[]
  get(n: number): unknown
}

interface Table {
  readonly numRows: number
  readonly schema: { readonly fields: readonly { readonly name: string }[] }
  getChildAt(n: number): Vector
}

/** A second reader of Arrow, which shares no code with the first one. */
interface Flechette {
  tableFromIPC(bytes: Uint8Array, options: object): Table
}

let folder: string
let flechette: Flechette
let arrow: { tableFromIPC(bytes: Uint8Array): Table }
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'feedmill-arrow-'))
  arrow = (await import('apache-arrow' as string)) as typeof arrow
  flechette = (await import('@uwdata/flechette' as string)) as Flechette
})
afterAll(() => rm(folder, { recursive: true }))

const path = () => join(folder, 'items.arrow')
const parsed = (file: string) => pipeline([Buffer.from(file)]).to(new TsvColumnParser({ schema }))

/** What apache-arrow gives, in the values that cells have. */
function read(value: unknown, type: Column['type']): unknown {
  if (value === null) return null
  switch (type.kind) {
    case 'decimal':
      return BigInt(String(value))
    case 'date':
      return new Date(Number(value)).toISOString().slice(0, 10)
    case 'timestamp':
      return new Date(Number(value))
    case 'list':
      return Array.from(value as Iterable<unknown>, item => read(item, type.item))
    case 'struct':
      return Object.fromEntries(
        type.fields.map(field => [
          field.name,
          read((value as Record<string, unknown>)[field.name], field.type),
        ]),
      )
    default:
      return value
  }
}

function expected(column: Column, n: number): unknown {
  const { data, type } = column
  if (column.isNull(n)) return null
  if (type.kind !== 'decimal') return valueAt(data, n)
  const words = data.values as BigInt64Array
  return (words[2 * n + 1]! << 64n) | BigInt.asUintN(64, words[2 * n]!)
}

function compare(
  table: Pick<Table, 'numRows' | 'getChildAt'>,
  batches: readonly ColumnBatch[],
): void {
  let row = 0
  for (const batch of batches) {
    for (const [at, column] of batch.columns.entries())
      for (let n = 0; n < batch.length; n++)
        expect([column.name, read(table.getChildAt(at).get(row + n), column.type)]).toEqual([
          column.name,
          expected(column, n),
        ])
    row += batch.length
  }
  expect(table.numRows).toBe(row)
}

const goodRows = fc
  .array(rowOfCells, { minLength: 1, maxLength: 6 })
  .map(rows =>
    rows.map(cells =>
      cells.map((cell, n) => (plainly(types[n]!, cell) instanceof Bad ? '' : cell)),
    ),
  )

const EDGES = ['0001-01-01', '1969-12-31', '1970-01-01', '9999-12-31']
const edgeRows = EDGES.map(day =>
  types.map(type => {
    if (type === 'date') return day
    if (type === 'timestamp') return `${day}T23:59:59.999Z`
    if (type === 'text') return 'Größe 漢字 😀'
    return type === 'decimal' ? '-0.5' : ''
  }),
)

test.each(['file', 'stream'] as const)(
  'apache-arrow and flechette read from a %s what the columns have',
  async format => {
    const check = async (rows: readonly (readonly string[])[]) => {
      const file = tsv([types, ...rows])
      const batches: ColumnBatch[] = []
      try {
        for await (const batch of parsed(file).batches()) batches.push(batch)
      } catch {
        // A cell that columns cannot hold ends a run, and has tests of its own.
        return false
      }
      await parsed(file).run(arrowSink(path(), { format }))
      const bytes = await readFile(path())
      compare(arrow.tableFromIPC(bytes), batches)
      const exact = { useBigInt: true, useDecimalInt: true }
      compare(flechette.tableFromIPC(bytes, exact), batches)
      for (const batch of batches) compare(await toArrow<Table>(batch), [batch])
      return true
    }
    expect(await check(edgeRows)).toBe(true)
    let compared = 0
    await fc.assert(
      fc.asyncProperty(goodRows, async rows => {
        if (await check(rows)) compared++
      }),
      { numRuns: 60 },
    )
    expect(compared).toBeGreaterThan(10)
  },
)

const small = defineSchema({
  name: 'other',
  columns: { id: text(), n: int32(), color: oneOf('red', 'ß'), tags: list('|') },
})
const texts = defineSchema({ name: 'texts', columns: { n: text() } })
const SMALL = 'id\tn\tcolor\ttags\nä\t-1\tß\ta|b\n\t\t\t\n'
const smallColumns = (file = SMALL) =>
  pipeline([Buffer.from(file)]).to(new TsvColumnParser({ schema: small }))

test('a record batch has the arrays of the columns, not copies', async () => {
  for await (const batch of smallColumns().batches()) {
    const record = await toArrow<Table>(batch)
    expect(record.numRows).toBe(2)
    const { values } = record.getChildAt(1).data[0]!
    expect(values.buffer).toBe(batch.column('n').data.values!.buffer)
  }
})

test('many batches share one dictionary, and batches of rows give the same bytes', async () => {
  const file = SMALL + 'x\t7\tred\tc\n'.repeat(20_000)
  await smallColumns(file).run(arrowSink(path()))
  const table = arrow.tableFromIPC(await readFile(path()))
  expect(table.numRows).toBe(20_002)
  expect([0, 1, 20_001].map(n => table.getChildAt(2).get(n))).toEqual(['ß', null, 'red'])
  const rows = pipeline([Buffer.from(file)]).to(new TsvRowParser({ schema: small }))
  const out = new PassThrough()
  const bytes = buffer(out)
  await rows.run(arrowSink(out, { format: 'stream' }))
  out.end()
  const streamed = arrow.tableFromIPC(await bytes)
  for (const n of [0, 1, 20_001])
    for (const column of [0, 1, 2])
      expect(streamed.getChildAt(column).get(n)).toEqual(table.getChildAt(column).get(n))
})

test('a file without rows has the columns', async () => {
  await smallColumns('id\tn\tcolor\ttags\n').run(arrowSink(path()))
  const table = arrow.tableFromIPC(await readFile(path()))
  expect(table.schema.fields.map(({ name }) => name)).toEqual(['id', 'n', 'color', 'tags'])
  expect(table.numRows).toBe(0)
})

test('what is no batch, and other columns, are refused, and the file stays as it was', async () => {
  await writeFile(path(), 'before')
  const sink = () => arrowSink(path()) as never
  await expect(pipeline([{ id: 'x' }]).run(sink())).rejects.toMatchObject({
    code: 'SINK_VALUE_INVALID',
    context: { sink: 'arrow', row: 1 },
  })
  await expect(pipeline([]).run(sink())).rejects.toMatchObject({ code: 'SINK_FAILED' })
  const twoFiles = concat([smallColumns(), smallColumns('n\tsize\n1\tXL\n')])
  await expect(twoFiles.run(sink())).rejects.toMatchObject({
    code: 'COLUMN_UNKNOWN',
    context: { column: 'size' },
  })
  const others = pipeline([Buffer.from('n\nx\n')]).to(new TsvColumnParser({ schema: texts }))
  await expect(concat([smallColumns(), others]).run(sink())).rejects.toMatchObject({
    code: 'SINK_VALUE_INVALID',
    context: { row: 3 },
  })
  expect(await readFile(path(), 'utf8')).toBe('before')
  expect((await readdir(folder)).filter(name => name.includes('partial'))).toEqual([])
  await expect(
    smallColumns().run(arrowSink(join(folder, 'none', 'x.arrow'))),
  ).rejects.toMatchObject({ code: 'SINK_FAILED' })
})

test('later batches may have the columns in another order, and lack some', async () => {
  const files = concat([SMALL, 'id\nx\n', 'n\tid\n1\ty\n'].map(file => smallColumns(file)))
  await files.run(arrowSink(path()))
  const table = arrow.tableFromIPC(await readFile(path()))
  const cells = (n: number) =>
    Array.from({ length: table.numRows }, (_, row) => table.getChildAt(n).get(row))
  expect([0, 1, 2].map(cells)).toEqual([
    ['ä', null, 'x', 'y'],
    [-1, null, null, 1],
    ['ß', null, null, null],
  ])
})

test('the arguments are checked', async () => {
  expect(() => arrowSink(path(), { format: 'feather' as never })).toThrow('format')
  await expect(toArrow([] as never)).rejects.toMatchObject({ code: 'OPTION_INVALID' })
})

test('plain objects are written by their schema', async () => {
  const stock = defineSchema({ name: 'stock', columns: { sku: text(), tags: list('|', int32()) } })
  const rows = [{ sku: 'a', tags: [1, 2] }, { sku: null, tags: [] }, { sku: 'c' }]
  await pipeline(rows).run(arrowSink(path(), { schema: stock }))
  const table = arrow.tableFromIPC(await readFile(path()))
  const cells = [0, 1].map(at => rows.map((_, n) => JSON.stringify(table.getChildAt(at).get(n))))
  expect(cells).toEqual([
    ['"a"', 'null', '"c"'],
    ['[1,2]', '[]', 'null'],
  ])
  const refused = pipeline([{ sku: 'a', colour: 'red' }] as never[])
  await expect(refused.run(arrowSink(path(), { schema: stock }) as never)).rejects.toMatchObject({
    code: 'COLUMN_UNKNOWN',
  })
})
