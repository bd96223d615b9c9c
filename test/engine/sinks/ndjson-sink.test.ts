import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { RowBatch } from '../../../src/engine/codec/row-batch'
import { pipeline } from '../../../src/engine/pipeline/pipeline'
import type { Sink } from '../../../src/engine/pipeline/sink'
import {
  cell,
  decimal,
  int32,
  int64,
  json,
  list,
  text as textColumn,
  timestamp,
} from '../../../src/engine/schema/column-kinds'
import { defineSchema } from '../../../src/engine/schema/feed-schema'
import { ndjsonSink } from '../../../src/engine/sinks/ndjson-sink'
import { TsvObjectParser } from '../../../src/engine/stages/tsv-object-parser'
import { TsvRowParser } from '../../../src/engine/stages/tsv-row-parser'

let folder: string
let path: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'feedmill-ndjson-'))
  path = join(folder, 'out.ndjson')
})
afterEach(() => rm(folder, { recursive: true }))

const schema = defineSchema({
  name: 'item',
  columns: {
    itemId: textColumn({ required: true }),
    price: decimal(),
    seen: timestamp(),
    tags: list(','),
  },
})
const rows = (text: string) => pipeline([Buffer.from(text)]).to(new TsvRowParser({ schema }))
const text =
  'itemId\tprice\tseen\ttags\textra\nv1|1|0\t-9.90\t2026-03-01T12:00:00.000Z\ta,b\t=1+1\nv1|2|0\t\t\t\t"a\nb, \\"c\\""\n'
const written = () => readFile(path, 'utf8')
const lines = async () => (await written()).trimEnd().split('\n')

test('each line is one typed object', async () => {
  await rows(text).run(ndjsonSink(path))
  expect((await lines()).map(line => JSON.parse(line))).toEqual([
    {
      itemId: 'v1|1|0',
      price: '-9.90',
      seen: '2026-03-01T12:00:00.000Z',
      tags: ['a', 'b'],
      extra: '=1+1',
    },
    { itemId: 'v1|2|0', price: null, seen: null, tags: [], extra: 'a\nb, "c"' },
  ])
})

test('batches, rows and objects are written in order, and a bad cell has its position', async () => {
  const batches: RowBatch[] = []
  for await (const batch of rows(text).batches()) batches.push(batch)
  const batch = batches[0]!
  const many = Array.from({ length: 9000 }, () => batch)
  const items = [batch, { n: 1 }, ...many, [batch.row(1), 'text'], batch]
  await pipeline<unknown>(items).run(ndjsonSink<unknown>(path) as Sink<unknown>)
  const of = (items: Iterable<unknown>) => [...items].map(item => JSON.stringify(item))
  expect(await lines()).toEqual([
    ...of(batch),
    '{"n":1}',
    ...many.flatMap(() => of(batch)),
    ...of([batch.row(1), 'text']),
    ...of(batch),
  ])
  const bad = 'itemId\tprice\n1\t1\n2\tx\n'
  await expect(rows(bad).run(ndjsonSink(path))).rejects.toMatchObject({
    code: 'CELL_INVALID',
    context: { row: 2, column: 'price' },
  })
})

test('many rows are written in order, with backpressure on the file', async () => {
  await pipeline(Array.from({ length: 5000 }, (_, n) => [{ n, text: 'x'.repeat(200) }])).run(
    ndjsonSink(path),
  )
  expect((await lines()).map(line => JSON.parse(line).n)).toEqual(
    Array.from({ length: 5000 }, (_, n) => n),
  )
})

test('a line may be longer than the buffer, with characters of every length', async () => {
  const texts = ['é漢😀'.repeat(100_000), 'a', '😀'.repeat(70_001), '\ud800 lone']
  await pipeline([texts]).run(ndjsonSink(path))
  expect(
    (await lines()).map(line => JSON.parse(line) as string).every((text, n) => text === texts[n]),
  ).toBe(true)
})

test('a failure leaves an earlier file unchanged, and nothing half written', async () => {
  await writeFile(path, 'before')
  await expect(rows(`${text}short\n`).run(ndjsonSink(path))).rejects.toMatchObject({
    code: 'TSV_ROW_SHORT',
  })
  expect(await written()).toBe('before')
  expect(await readdir(folder)).toEqual(['out.ndjson'])
})

test('any JSON value is a line, and the rules of JSON.stringify hold inside objects', async () => {
  await pipeline([
    ['a', 1.5, true, null, [1, 2], { a: undefined, b: Number.NaN, c: new Date(0) }],
  ]).run(ndjsonSink(path))
  expect(await lines()).toEqual([
    '"a"',
    '1.5',
    'true',
    'null',
    '[1,2]',
    '{"b":null,"c":"1970-01-01T00:00:00.000Z"}',
  ])
})

const circular: { self?: unknown } = {}
circular.self = circular
test.each([
  ['bytes', new Uint8Array(2), 'Uint8Array is not a row'],
  ['a buffer', Buffer.from('a'), 'Uint8Array is not a row'],
  ['an ArrayBuffer', new ArrayBuffer(2), 'ArrayBuffer is not a row'],
  ['a promise', Promise.resolve({ a: 1 }), 'Promise is not a row'],
  ['a date', new Date(0), 'Date is not a row'],
  ['a map', new Map([[1, 2]]), 'Map is not a row'],
  ['undefined', undefined, 'undefined is not a row'],
  ['a function', () => 1, 'function is not a row'],
  ['a symbol', Symbol('s'), 'symbol is not a row'],
  ['not a number', Number.NaN, 'NaN is not a row'],
  ['infinite', Number.POSITIVE_INFINITY, 'Infinity is not a row'],
  ['a BigInt', 1n, 'BigInt'],
  ['an object that contains itself', circular, 'circular'],
  ['an object whose toJSON gives nothing', { toJSON: () => undefined }, 'toJSON'],
])('a line that is %s is a typed error with its number', async (_, value, reason) => {
  await writeFile(path, 'before')
  await expect(
    pipeline([[{ a: 1 }], [{ a: 2 }, value]]).run(ndjsonSink<unknown>(path)),
  ).rejects.toMatchObject({
    code: 'SINK_VALUE_INVALID',
    message: expect.stringMatching(/^row 3 cannot be written: /),
    context: { sink: 'ndjson', row: 3, reason: expect.stringContaining(reason) },
  })
  expect(await written()).toBe('before')
  expect(await readdir(folder)).toEqual(['out.ndjson'])
  // Each run counts its rows from 1.
  const sink = ndjsonSink<unknown>(path)
  for (let run = 0; run < 2; run++) {
    await expect(pipeline([value]).run(sink)).rejects.toMatchObject({ context: { row: 1 } })
  }
})

test('bigints are text, in rows, in objects and in lists, and other values stay', async () => {
  const wide = defineSchema({
    name: 'wide',
    columns: { id: int64(), ids: list('|', int64()), own: cell(BigInt), n: int32() },
  })
  const bytes = [Buffer.from('id\tids\town\tn\n9007199254740993\t1|2\t3\t4\n\t\t\t\n')]
  const lines =
    '{"id":"9007199254740993","ids":["1","2"],"own":"3","n":4}\n{"id":null,"ids":[],"own":null,"n":null}\n'
  await pipeline(bytes)
    .to(new TsvRowParser({ schema: wide }))
    .run(ndjsonSink(path))
  expect(await written()).toBe(lines)
  await pipeline(bytes)
    .to(new TsvObjectParser({ schema: wide }))
    .run(ndjsonSink(path))
  expect(await written()).toBe(lines)
  const [row] = await pipeline(bytes)
    .to(new TsvRowParser({ schema: wide }))
    .toArray()
  expect(`${JSON.stringify(row)}\n`).toBe(lines.slice(0, lines.indexOf('\n') + 1))
  expect(row?.toObject()).toEqual({ id: 9007199254740993n, ids: [1n, 2n], own: 3n, n: 4 })
  const lacking = defineSchema({
    name: 'l',
    columns: { id: int32(), own: cell(BigInt, { empty: 0n }) },
  })
  const [without] = await pipeline([Buffer.from('id\n1\n')])
    .to(new TsvRowParser({ schema: lacking }))
    .toArray()
  expect(JSON.stringify(without)).toBe('{"id":1,"own":"0"}')
  await pipeline([{ a: 1 }, { a: { b: [2n] } }, { a: 'x' }]).run(ndjsonSink(path))
  expect(await written()).toBe('{"a":1}\n{"a":{"b":["2"]}}\n{"a":"x"}\n')
})

test.each([
  ['beside JSON', { more: json() }],
  ['beside text', { more: textColumn() }],
])('a cell without JSON is refused %s', async (_, columns) => {
  const schema = defineSchema({ name: 'own', columns: { own: cell(() => new Map()), ...columns } })
  const run = pipeline([Buffer.from('own\tmore\na\t1\n')])
    .to(new TsvRowParser({ schema }))
    .run(ndjsonSink(path))
  await expect(run).rejects.toMatchObject({
    code: 'SINK_VALUE_INVALID',
    message: expect.stringContaining('Map as own has no JSON'),
  })
})

test('the bad cell of a row keeps its own error, with its place in the file', async () => {
  await expect(rows('itemId\tprice\nv1|1|0\tcheap\n').run(ndjsonSink(path))).rejects.toMatchObject({
    code: 'CELL_INVALID',
    context: { row: 1, column: 'price' },
  })
})
