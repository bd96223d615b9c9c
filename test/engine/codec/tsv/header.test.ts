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
  expect([...columns!]).toEqual([2, 3, 0])
  expect(projected.columns.map(({ name, heading, spec }) => [name, heading, spec.type])).toEqual([
    ['price', 'price', 'decimal'],
    ['other#2', 'other', 'text'],
    ['id', 'ID', 'text'],
  ])
  expect(
    ['price', 'other#2', 'id', 'other', 'gone'].map(name => projected.indexes.get(name)),
  ).toEqual([0, 1, 2, undefined, undefined])
  expect(projected.all).toEqual(projected.columns)
  expect(Object.keys(projected.schema.columns)).toEqual(['id', 'price'])
  expect(projected.schema.name).toBe('item')
})

test('all columns in the order of the file need no choice', () => {
  const names = header.columns.map(({ name }) => name)
  expect(projectHeader(header, [...names, 'gone']).columns).toBeUndefined()
  expect(projectHeader(header, names.slice(1)).columns).toEqual(Int32Array.of(1, 2, 3))
})

test('a column that only the schema has stays absent', () => {
  const { header: projected, columns } = projectHeader(header, ['gone'])
  expect([...columns!]).toEqual([])
  expect(projected.columns).toEqual([])
  expect(projected.all).toMatchObject([{ name: 'gone', spec: schema.columns.gone }])
})

test('columns that only the schema has stand behind those of the file', () => {
  expect(header.all.slice(header.columns.length)).toMatchObject([{ name: 'gone', known: true }])
  const { header: projected } = projectHeader(header, ['GONE', 'gone', 'price'])
  expect(projected.all.map(({ name }) => name)).toEqual(['price', 'GONE'])
  expect(['price', 'gone'].map(name => projected.indexes.get(name))).toEqual([0, 1])
})

test('columns are found in whatever order they are asked for', () => {
  const names = Array.from({ length: 20 }, (_, n) => `c${n}`)
  const { indexes } = bindHeader(schema, ['id', ...names], { row: 0, line: 1, byteOffset: 0 })
  const asked = [...names, 'none', ...names.toReversed(), 'c3', 'C4', 'c4', 'c3', 'id', 'gone']
  expect(asked.map(name => indexes.get(name))).toEqual([
    ...names.map((_, n) => n + 1),
    undefined,
    ...names.map((_, n) => 20 - n),
    ...[4, 5, 5, 4, 0, 22],
  ])
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
