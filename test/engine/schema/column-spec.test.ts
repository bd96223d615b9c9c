// Wrong columns, as a program without types can give them.

import { describe, expect, test } from 'vitest'
import * as kinds from '../../../src/engine/schema/column-kinds'
import { defineSchema } from '../../../src/engine/schema/feed-schema'
import { CELL_TYPES } from '../../../src/engine/schema/values'

const { cell, int32, json, list, oneOf, regions, text } = kinds
const define = (column: unknown) =>
  defineSchema({ name: 'own', columns: { colour: column as never } })

test('each kind of cell has its function, and what it makes is a column', () => {
  const made = Object.values({
    ...kinds,
    oneOf: () => oneOf('a'),
    list: () => list('|'),
    cell: () => cell(String),
  }).map(make => make({} as never))
  expect(made.map(({ type }) => type).toSorted()).toEqual(CELL_TYPES.toSorted())
  for (const column of made) expect(define(column).columns.colour).toBe(column)
})

test('a column is plain data: what JSON keeps of it is the same column', () => {
  for (const column of [
    text({ required: true, notNull: true, aliases: ['x'], deprecated: 'soon', source: 'page' }),
    oneOf(['a', 'b'], { notNull: true }),
    oneOf('a', 'b'),
    list(', ', oneOf('a', 'b'), { required: true }),
    json(),
  ]) {
    const read = JSON.parse(JSON.stringify(column))
    expect(read).toEqual(column)
    expect(define(read).columns.colour).toBe(read)
  }
})

describe('a wrong column is OPTION_INVALID with its name', () => {
  const options = { notAnOption: 1 } as never
  const bad = (value: unknown) => value as never
  test.each<[string, unknown, string]>([
    ['an unknown option', text(options), 'notAnOption'],
    ['an unknown option of oneOf', oneOf(['a'], options), 'notAnOption'],
    ['an unknown option of list', list('|', text(), options), 'notAnOption'],
    ['an unknown option of cell', cell(String, options), 'notAnOption'],
    ['values of another kind', { ...text(), values: ['a'] }, 'values'],
    ['empty of another kind', int32({ empty: 0 } as never), 'empty'],
    ['required that is text', text({ required: bad('yes') }), 'required'],
    ['notNull that is a number', text({ notNull: bad(1) }), 'notNull'],
    ['aliases that are no list', text({ aliases: bad('a') }), 'aliases'],
    ['an empty alias', text({ aliases: ['a', ''] }), 'aliases[1]'],
    ['deprecated that is true', text({ deprecated: bad(true) }), 'deprecated'],
    ['an empty source', text({ source: '' }), 'source'],
    ['oneOf nothing', oneOf(), 'values'],
    ['oneOf an empty list', oneOf([]), 'values'],
    ['oneOf the same twice', oneOf('a', 'b', 'a'), 'values'],
    ['oneOf an empty text', oneOf('a', ''), 'values[1]'],
    ['oneOf a number', oneOf(bad(1)), 'values[0]'],
    ['an empty separator', list(''), 'separator'],
    ['no separator', list(bad(undefined)), 'separator'],
    ['a tab in a separator', list(',\t'), 'separator'],
    ['a line end in a separator', list('\n'), 'separator'],
    ['a carriage return in a separator', list('\r'), 'separator'],
    ['a separator that is a pattern', list(bad(/,/)), 'separator'],
    ['a list of lists', list('|', list(',')), 'element.type'],
    ['a list of JSON', list('|', json()), 'element.type'],
    ['a list of regions', list('|', regions()), 'element.type'],
    ['a list of no kind', list('|', bad('int32')), 'element'],
    ['a list of required values', list('|', text({ required: true })), 'element.required'],
    ['a list of oneOf nothing', list('|', oneOf()), 'element.values'],
    ['a list of a wrong function', list('|', cell(bad(1))), 'element.decode'],
    ['no function', cell(bad(undefined)), 'decode'],
    ['a class', cell(bad(class Weight {})), 'decode'],
    ['text in place of a function', cell(bad('Number')), 'decode'],
    ['null in place of a column', null, ''],
    ['a list in place of a column', [], ''],
    ['a function in place of a column', text, ''],
  ])('%s', (_, column, part) => {
    const option = part === '' ? 'columns.colour' : `columns.colour.${part}`
    expect(() => define(column)).toThrow(
      expect.objectContaining({
        code: 'OPTION_INVALID',
        message: expect.stringContaining(option),
        context: expect.objectContaining({ option }),
      }),
    )
  })

  test.each([null, 7, 'text', []])('options that are %j are refused at the call', value => {
    expect(() => text(bad(value))).toThrow(
      expect.objectContaining({
        code: 'OPTION_INVALID',
        context: expect.objectContaining({ option: 'options' }),
      }),
    )
  })

  test('an alias that is the name of another column, case apart', () => {
    const columns = { sku: text(), code: text({ aliases: ['SKU'] }) }
    expect(() => defineSchema({ name: 'own', columns })).toThrow(
      expect.objectContaining({
        code: 'OPTION_INVALID',
        context: expect.objectContaining({ option: 'columns.code', received: '"SKU"' }),
      }),
    )
  })
})
