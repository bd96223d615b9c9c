import { expect, test } from 'vitest'
import { chooseColumns } from '../../../src/codec/tsv/choose-columns'
import { bindHeader } from '../../../src/codec/tsv/header'
import { defineSchema } from '../../../src/schema/feed-schema'

const schema = defineSchema('item', {
  id: { type: 'text', required: true, source: 'test' },
  price: { type: 'decimal', source: 'test' },
  gone: { type: 'commaList', source: 'test' },
})
const header = bindHeader(schema, ['ID', 'other', 'price', 'other'], {
  row: 0,
  line: 1,
  byteOffset: 0,
})

test('columns of the schema and of the file, in the order in which they are wanted', () => {
  const { header: chosen, columns } = chooseColumns(header, ['price', 'other#2', 'id', 'price'])
  expect([...columns]).toEqual([2, 3, 0])
  expect(chosen.columns.map(({ name, heading, type }) => [name, heading, type])).toEqual([
    ['price', 'price', 'decimal'],
    ['other#2', 'other', 'text'],
    ['id', 'ID', 'text'],
  ])
  expect(['price', 'other#2', 'id', 'other', 'gone'].map(name => chosen.indexes.get(name))).toEqual(
    [0, 1, 2, undefined, undefined],
  )
  expect(chosen.absent.size).toBe(0)
  expect(Object.keys(chosen.schema.columns)).toEqual(['id', 'price'])
  expect(chosen.schema.feed).toBe('item')
})

test('a column that only the schema has stays absent', () => {
  const { header: chosen, columns } = chooseColumns(header, ['gone'])
  expect([...columns]).toEqual([])
  expect([...chosen.absent]).toEqual([['gone', 'commaList']])
})

test('a name that neither has is COLUMN_UNKNOWN', () => {
  const context = expect.objectContaining({
    column: 'colour',
    known: expect.arrayContaining(['id', 'gone', 'other#2']),
  })
  expect(() => chooseColumns(header, ['id', 'colour'])).toThrow(
    expect.objectContaining({ code: 'COLUMN_UNKNOWN', context }),
  )
})
