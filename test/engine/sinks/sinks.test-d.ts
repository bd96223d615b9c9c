import { test } from 'vitest'
import type { RowBatch } from '../../../src/engine/codec/row-batch'
import { type Pipeline, pipeline } from '../../../src/engine/pipeline/pipeline'
import type { Sink } from '../../../src/engine/pipeline/sink'
import { type ItemColumns, itemSchema } from '../../../src/engine/schema/feed-schemas'
import { byteSink } from '../../../src/engine/sinks/byte-sink'
import { csvSink } from '../../../src/engine/sinks/csv-sink'
import { ndjsonSink } from '../../../src/engine/sinks/ndjson-sink'
import { Gunzip } from '../../../src/engine/stages/gunzip'
import { TsvObjectParser } from '../../../src/engine/stages/tsv-object-parser'
import { TsvRowParser } from '../../../src/engine/stages/tsv-row-parser'

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
