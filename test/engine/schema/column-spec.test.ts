// Wrong columns, as a program without types can give them.

import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { TsvParser, type TsvParserOptions } from '../../../src/engine/codec/tsv/parser'
import * as kinds from '../../../src/engine/schema/column-kinds'
import { NamedColumns } from '../../../src/engine/schema/column-spec'
import { type Columns, defineSchema } from '../../../src/engine/schema/feed-schema'
import { CELL_TYPES } from '../../../src/engine/schema/values'
import { anyColumns } from '../../tsv-text'

const { cell, decimal, int32, json, list, oneOf, regions, text } = kinds
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
    decimal({ scale: 2, notNull: true }),
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
    ['a scale beyond 38', decimal({ scale: 39 }), 'scale'],
    ['a scale of another kind', int32({ scale: 2 } as never), 'scale'],
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

// Names of columns, as files, schemas and callers spell them.

function rowOf(file: string, options: Partial<TsvParserOptions<Columns>>) {
  const parser = new TsvParser<Columns>({ schema: anyColumns, ...options })
  return [...parser.push(Buffer.from(file)), ...parser.end()].flatMap(batch => [...batch])[0]!
}

const around = fc.constantFrom('', ' ', '  ', '\u00a0', '\ufeff')
const spelt = (name: string) =>
  fc
    .tuple(around, fc.array(fc.boolean(), { minLength: name.length }), around)
    .map(([before, upper, after]) => {
      const letters = [...name].map((letter, n) => (upper[n] ? letter.toUpperCase() : letter))
      return `${before}${letters.join('')}${after}`
    })

describe('fault 124: spaces, case and byte order marks in names', () => {
  test('a name or an alias binds to the same name in the header, so its cells have their type', () => {
    fc.assert(
      fc.property(spelt('price'), spelt('amount'), spelt('price'), spelt('amount'), (...names) => {
        const [name, alias, heading, otherHeading] = names
        const schema = defineSchema<Columns>({
          name: 'x',
          columns: { id: text(), [name]: int32({ aliases: [alias] }) },
        })
        const named = rowOf(`id,${heading}\n1,5\n`, { schema, dialect: { delimiter: ',' } })
        expect([named.get(name), named.get('price')]).toEqual([5, 5])
        const other = rowOf(`id\t${otherHeading}\n1\t7\n`, { schema })
        expect(other.get(name)).toBe(7)
        expect(other.toObject()).toEqual({ id: '1', [name]: 7 })
      }),
      { numRuns: 100 },
    )
  })

  test('two columns of one spelling are refused where they are defined', () => {
    fc.assert(
      fc.property(spelt('price'), spelt('price'), fc.boolean(), (one, two, isAlias) => {
        fc.pre(one !== two)
        const columns: Columns = isAlias
          ? { [one]: int32(), x: text({ aliases: [two] }) }
          : { [one]: int32(), [two]: text() }
        expect(() => defineSchema({ name: 'x', columns })).toThrow(
          expect.objectContaining({ code: 'OPTION_INVALID' }),
        )
      }),
      { numRuns: 30 },
    )
  })
})

describe('a file without a schema', () => {
  const row = rowOf('ItemId\t Title\tid\tID\n1\tLamp\t2\t3\n', {})

  test('names are found whatever their case, an exact name first', () => {
    expect([row.get('itemId'), row.text('title'), row.get('ItemId')]).toEqual(['1', 'Lamp', '1'])
    expect([row.get('id'), row.get('ID')]).toEqual(['2', '3'])
    expect(row.toObject()).toEqual({ ItemId: '1', ' Title': 'Lamp', id: '2', ID: '3' })
  })

  test('an object of chosen columns has the names that the caller chose', () => {
    expect(row.toObject(['title', 'itemId'])).toEqual({ title: 'Lamp', itemId: '1' })
    expect(row.toStrings(['ITEMID'])).toEqual({ ITEMID: '1' })
  })

  test('rows of chosen columns have the names that the caller chose', () => {
    const chosen = rowOf('ItemId\tTitle\tid\n1\tLamp\t2\n', {
      columns: ['title', 'itemId', 'ItemId'],
    })
    expect(chosen.toObject()).toEqual({ title: 'Lamp', itemId: '1' })
    expect([chosen.get('ItemId'), chosen.text('TITLE')]).toEqual(['1', 'Lamp'])
    expect(chosen.batch.header.leftOut?.has('ID')).toBe(true)
  })

  test.each([
    ['Id', 'did you mean id?'],
    ['item_id', 'did you mean ItemId?'],
    ['itemIdd', 'did you mean ItemId?'],
    ['colour', 'check its name'],
  ])('%s is COLUMN_UNKNOWN: %s', (name, hint) => {
    const error = expect.objectContaining({
      code: 'COLUMN_UNKNOWN',
      message: `neither the schema nor the file has the column ${name}: ${hint}`,
    })
    expect(() => row.get(name)).toThrow(error)
    expect(() => row.text(name)).toThrow(error)
    expect(() => row.toObject([name])).toThrow(error)
    expect(() => rowOf('ItemId\tid\tID\n1\t2\t3\n', { columns: [name] })).toThrow(error)
  })
})

test('a column that the file lacks is found by its spelling too', () => {
  const schema = defineSchema<Columns>({ name: 'x', columns: { id: text(), price: int32() } })
  const row = rowOf('ID\n1\n', { schema })
  expect([row.get('PRICE'), row.get('price'), row.text('Price')]).toEqual([null, null, ''])
  expect(row.toObject(['Price', 'Id'])).toEqual({ Price: null, Id: '1' })
  expect(rowOf('ID\n1\n', { schema, columns: ['PRICE'] }).toObject()).toEqual({ PRICE: null })
})

test('the names of a spelling that several have are found as they are only', () => {
  const columns = new NamedColumns([
    ['a', 1],
    ['A', 2],
    ['b', 3],
  ])
  expect(['a', 'A', ' a', 'B', 'c'].map(name => columns.get(name))).toEqual([
    1,
    2,
    undefined,
    3,
    undefined,
  ])
  expect(['a', ' A', 'B ', 'c'].map(name => columns.has(name))).toEqual([true, false, true, false])
})
