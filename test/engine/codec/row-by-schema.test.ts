import { expect, test } from 'vitest'
import { rowBySchema } from '../../../src/engine/codec/row-by-schema'
import { TsvParser } from '../../../src/engine/codec/tsv/parser'
import { int32, text } from '../../../src/engine/schema/column-kinds'
import { defineSchema } from '../../../src/engine/schema/feed-schema'
import { batchesOf } from '../../rows-from-text'

const schema = defineSchema({
  name: 'stock',
  columns: { sku: text({ aliases: ['article'] }), stock: int32() },
})
const [batch] = batchesOf(schema, { feed: 'stock' }, [
  ['Article', 'stock', 'stock', 'extra'],
  ['A', '1', '2', 'x'],
  ['B', 'many', '3', 'y'],
])

test('a row has the columns of the other schema, by the names of the file or of the row', () => {
  const byFile = rowBySchema(
    defineSchema({ name: 'a', columns: { id: text({ aliases: ['ARTICLE'] }) } }),
  )
  const byRow = rowBySchema(defineSchema({ name: 'b', columns: { sku: text(), none: int32() } }))
  const rows = [...batch!]
  expect(rows.map(row => byFile(row).get('id'))).toEqual(['A', 'B'])
  expect(rows.map(row => byRow(row).toObject(['sku', 'none']))).toEqual([
    { sku: 'A', none: null },
    { sku: 'B', none: null },
  ])
  expect(rows[1]!.get('sku')).toBe('B')
})

test('columns of one name keep their copies', () => {
  const row = rowBySchema(defineSchema({ name: 'c', columns: { stock: text() } }))(batch!.row(1))
  expect(row.toObject()).toEqual({ sku: 'B', stock: 'many', 'stock#2': '3', extra: 'y' })
})

test('an error has the position of the row in its file', () => {
  const read = rowBySchema(defineSchema({ name: 'd', columns: { stock: int32() } }))
  expect(() => read(batch!.row(1)).get('stock')).toThrow(
    expect.objectContaining({
      code: 'CELL_INVALID',
      context: expect.objectContaining({ row: 2, line: 3, column: 'stock', excerpt: 'many' }),
    }),
  )
})

test('cells that were decoded by the first schema are read again', () => {
  const decoded = batch!.withDecoded(0, () => 'decoded')
  const read = rowBySchema(defineSchema({ name: 'e', columns: { sku: text() } }))
  expect(read(decoded.row(0)).get('sku')).toBe('A')
})

test('cells keep the rules of their dialect', () => {
  const dialect = { delimiter: ',', quoting: 'doubled' } as const
  const parser = new TsvParser({ schema, dialect })
  const [csv] = [...parser.push(Buffer.from('sku,stock\n"a ""b""",1\n')), ...parser.end()]
  const read = rowBySchema(defineSchema({ name: 'f', columns: { sku: text() } }))
  expect(read(csv!.row(0)).get('sku')).toBe('a "b"')
})
