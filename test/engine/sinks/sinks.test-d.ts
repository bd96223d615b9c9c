import { test } from 'vitest'
import type { RowBatch } from '../../../src/engine/codec/row-batch'
import { type Pipeline, pipeline } from '../../../src/engine/pipeline/pipeline'
import type { Sink } from '../../../src/engine/pipeline/sink'
import { decimal, text } from '../../../src/engine/schema/column-kinds'
import { defineSchema } from '../../../src/engine/schema/feed-schema'
import { type ItemColumns, itemSchema } from '../../../src/engine/schema/feed-schemas'
import { byteSink } from '../../../src/engine/sinks/byte-sink'
import { csvSink } from '../../../src/engine/sinks/csv-sink'
import { ndjsonSink } from '../../../src/engine/sinks/ndjson-sink'
import { type SqliteSinkOptions, sqliteSink } from '../../../src/engine/sinks/sqlite-sink'
import { Gunzip } from '../../../src/engine/stages/gunzip'
import { TsvObjectParser } from '../../../src/engine/stages/tsv-object-parser'
import { TsvRowParser } from '../../../src/engine/stages/tsv-row-parser'
import { duckdbSink } from '../../../src/integrations/duckdb'
import { postgresSink } from '../../../src/integrations/postgres'

declare const bytes: AsyncIterable<Uint8Array>
declare const buffers: AsyncIterable<Buffer>
declare const names: string[]
declare const anything: Pipeline<ReturnType<typeof JSON.parse>[]>
declare const unknowns: Pipeline<unknown[]>
const rows = () => pipeline(bytes).to(new TsvRowParser({ schema: itemSchema }))
const objects = () => pipeline([{ itemId: 'v1|1|0', title: null }])

test('fault 101: columns that the rows do not have do not compile', () => {
  // @ts-expect-error itemID is itemId
  rows().run(csvSink('f', { columns: ['itemID'] }))
  // @ts-expect-error titel is title, beside a name that is right
  rows().run(csvSink('f', { columns: ['itemId', 'titel'] }))
  const some = pipeline(bytes).to(new TsvRowParser({ schema: itemSchema, columns: ['itemId'] }))
  // @ts-expect-error the parser leaves title out
  some.run(csvSink('f', { columns: ['itemId', 'title'] }))
  const someObjects = pipeline(bytes).to(
    new TsvObjectParser({ schema: itemSchema, columns: ['itemId'] }),
  )
  // @ts-expect-error the parser leaves title out
  someObjects.run(csvSink('f', { columns: ['itemId', 'title'] }))
  // @ts-expect-error no object has a price
  objects().run(csvSink('f', { columns: ['price'] }))
  // @ts-expect-error an option is misspelt
  objects().run(csvSink('f', { colums: ['itemId'] }))
})

test('a sink of bytes takes bytes only', () => {
  pipeline(bytes).run(byteSink('f'))
  pipeline(buffers).run(byteSink('f'))
  // @ts-expect-error rows are no bytes
  rows().run(byteSink('f'))
  // @ts-expect-error text is no bytes until it is encoded
  pipeline(names).run(byteSink('f'))
})

test('columns that the rows have compile', () => {
  rows().run(csvSink('f'))
  rows().run(csvSink('f', { columns: ['itemId', 'title'], delimiter: ';' }))
  rows()
    .map(row => row.toObject(['itemId', 'title']))
    .run(csvSink('f', { columns: ['title'] }))
  objects().run(csvSink('f', { columns: ['title', 'itemId'] }))
  pipeline([[{ a: 1 }, { b: 2 }]]).run(csvSink('f', { columns: ['a', 'b'] }))
})

test('names that are known only at run time are checked there', () => {
  rows().run(csvSink('f', { columns: names }))
  rows().run(csvSink('f', { columns: ['itemId', 'of the file' as string] }))
  pipeline(bytes)
    .to(new TsvObjectParser({ schema: itemSchema }))
    .run(csvSink('f', { columns: ['itemId', 'of the file' as string] }))
  anything.run(csvSink('f', { columns: ['any'] }))
  unknowns.run(csvSink('f', { columns: ['any'] }))
  pipeline(bytes)
    .to(new TsvRowParser())
    .run(csvSink('f', { columns: ['any'] }))
  const sink = csvSink('f', { columns: ['any'] })
  rows().run(sink)
})

test('a value that is no line of NDJSON does not compile', () => {
  // @ts-expect-error bytes that nothing has parsed
  pipeline(bytes).to(new Gunzip()).run(ndjsonSink('f'))
  // @ts-expect-error the same from a Node stream
  pipeline(buffers).run(ndjsonSink('f'))
  // @ts-expect-error JSON has no BigInt
  pipeline([[1n]]).run(ndjsonSink('f'))
  objects()
    .map(async object => object)
    .run(ndjsonSink('f'))
  const promises = pipeline([[Promise.resolve({ a: 1 })]])
  // @ts-expect-error promises
  promises.run(ndjsonSink('f'))
  const nothing = objects().map(() => {})
  // @ts-expect-error a function that forgot its `return`
  nothing.run(ndjsonSink('f'))
})

test('a value that is a line of NDJSON compiles', () => {
  rows().run(ndjsonSink('f'))
  rows().run(ndjsonSink(process.stdout))
  objects().run(ndjsonSink('f'))
  pipeline([['text', 1, true, null]]).run(ndjsonSink('f'))
  anything.run(ndjsonSink('f'))
  unknowns.run(ndjsonSink('f'))
  const sink = ndjsonSink('f')
  rows().run(sink)
})

test('a sink of other items does not compile', () => {
  const ofNumbers = {} as Sink<number>
  const ofItems = {} as Sink<RowBatch<ItemColumns>>
  // @ts-expect-error objects are no numbers
  objects().run(ofNumbers)
  rows().run(ofItems)
  const some = pipeline(bytes).to(new TsvRowParser({ schema: itemSchema, columns: ['itemId'] }))
  // @ts-expect-error rows without all columns
  some.run(ofItems)
})

const stock = defineSchema({ name: 'stock', columns: { sku: text(), price: decimal() } })
const priced = () => pipeline([{ sku: 'a', price: '1' }])
const PLACE = 'postgres://db.example/shop'
const STOCK = { table: 't', schema: stock } as const

test('fault 145: plain objects that the schema does not describe do not compile', () => {
  const slips = pipeline([{ sku: 'a', prise: '1' }])
  // @ts-expect-error the schema has no column prise
  slips.run(sqliteSink('f', STOCK))
  // @ts-expect-error the same in DuckDB
  slips.run(duckdbSink('f', STOCK))
  // @ts-expect-error the same in PostgreSQL
  slips.run(postgresSink(PLACE, STOCK))
  // @ts-expect-error one of two kinds of objects has it
  pipeline<{ sku: string } | { sku: string; prise: string }>([]).run(sqliteSink('f', STOCK))
  // @ts-expect-error plain objects need a schema
  priced().run(sqliteSink('f', { table: 't' }))
  // @ts-expect-error the same in DuckDB
  priced().run(duckdbSink('f', { table: 't' }))
  // @ts-expect-error the same in PostgreSQL
  priced().run(postgresSink(PLACE, { table: 't' }))
})

test('fault 145: names that the schema or the rows do not have do not compile', () => {
  // @ts-expect-error prise is price
  priced().run(sqliteSink('f', { table: 't', schema: stock, columns: ['sku', 'prise'] }))
  // @ts-expect-error SKU is sku
  priced().run(duckdbSink('f', { table: 't', schema: stock, key: ['SKU'] }))
  // @ts-expect-error prise is price
  priced().run(postgresSink(PLACE, { ...STOCK, rename: { prise: 'cost' } }))
  // @ts-expect-error itemID is itemId
  rows().run(sqliteSink('f', { table: 't', columns: ['itemID'] }))
  // @ts-expect-error itemID is itemId
  rows().run(sqliteSink('f', { table: 't', mode: 'upsert', key: ['itemID'] }))
  // @ts-expect-error an option is misspelt
  rows().run(sqliteSink('f', { table: 't', colums: ['itemId'] }))
})

test('fault 145: upsert without a key, and append with one, do not compile', () => {
  // @ts-expect-error upsert needs a key
  rows().run(sqliteSink('f', { table: 't', mode: 'upsert' }))
  // @ts-expect-error the same in DuckDB
  rows().run(duckdbSink('f', { table: 't', mode: 'upsert' }))
  // @ts-expect-error the same in PostgreSQL
  rows().run(postgresSink(PLACE, { table: 't', mode: 'upsert' }))
  // @ts-expect-error append changes no row
  rows().run(sqliteSink('f', { table: 't', mode: 'append', key: ['itemId'] }))
})

test('tables of rows, of objects of a schema, and of names that only run time knows compile', () => {
  const options = { mode: 'upsert', key: ['sku'], columns: ['sku', 'price'] } as const
  priced().run(sqliteSink('f', { ...STOCK, ...options, rename: { price: 'cost' } }))
  pipeline([{ sku: 'a' }]).run(duckdbSink('f', { ...STOCK, memoryBytes: 2 ** 27 }))
  priced().run(postgresSink(PLACE, { ...STOCK, connectTimeoutMs: 1 }))
  rows().run(sqliteSink('f', { table: 't', key: ['itemId'], rename: { '': 'note' } }))
  rows().run(sqliteSink('f', { table: 't', columns: ['itemId', 'extra' as string] }))
  rows().run(sqliteSink('f', { table: 't', mode: 'upsert', key: names, columns: names }))
  rows()
    .map(row => row.toObject())
    .run(sqliteSink('f', { table: 't', schema: itemSchema, key: ['itemId'] }))
  pipeline<Record<string, unknown>>([]).run(sqliteSink('f', STOCK))
  anything.run(sqliteSink('f', { table: 't' }))
  unknowns.run(sqliteSink('f', { table: 't' }))
  priced().run(sqliteSink<object>('f', { ...STOCK, columns: ['any'] }))
  const wide = {} as SqliteSinkOptions
  rows().run(sqliteSink('f', wide))
  const sink = sqliteSink('f', STOCK)
  priced().run(sink)
})
