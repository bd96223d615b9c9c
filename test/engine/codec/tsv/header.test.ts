import { expect, test } from 'vitest'
import { bindHeader, projectHeader } from '../../../../src/engine/codec/tsv/header'
import { decimal, list, text } from '../../../../src/engine/schema/column-kinds'
import { defineSchema } from '../../../../src/engine/schema/feed-schema'

const schema = defineSchema({
  name: 'item',
  columns: {
    id: text({ required: true }),
    price: decimal(),
    gone: list(','),
  },
})
const header = bindHeader(schema, ['ID', 'other', 'price', 'other'], {
  row: 0,
  line: 1,
  byteOffset: 0,
})

test('columns of the schema and of the file, in the order in which they are wanted', () => {
  const { header: projected, columns } = projectHeader(header, ['price', 'other#2', 'id', 'price'])
  expect([...columns]).toEqual([2, 3, 0])
  expect(projected.columns.map(({ name, heading, spec }) => [name, heading, spec.type])).toEqual([
    ['price', 'price', 'decimal'],
    ['other#2', 'other', 'text'],
    ['id', 'ID', 'text'],
  ])
  expect(
    ['price', 'other#2', 'id', 'other', 'gone'].map(name => projected.indexes.get(name)),
  ).toEqual([0, 1, 2, undefined, undefined])
  expect(projected.absent.size).toBe(0)
  expect(Object.keys(projected.schema.columns)).toEqual(['id', 'price'])
  expect(projected.schema.name).toBe('item')
})

test('a column that only the schema has stays absent', () => {
  const { header: projected, columns } = projectHeader(header, ['gone'])
  expect([...columns]).toEqual([])
  expect([...projected.absent]).toEqual([['gone', schema.columns.gone]])
})

test('a name that neither has is COLUMN_UNKNOWN', () => {
  const context = expect.objectContaining({
    column: 'colour',
    known: expect.arrayContaining(['id', 'gone', 'other#2']),
  })
  expect(() => projectHeader(header, ['id', 'colour'])).toThrow(
    expect.objectContaining({ code: 'COLUMN_UNKNOWN', context }),
  )
})
