// Names of columns, as files, schemas and callers spell them.

import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { TsvParser, type TsvParserOptions } from '../../../src/engine/codec/tsv/parser'
import { int32, text } from '../../../src/engine/schema/column-kinds'
import { NamedColumns } from '../../../src/engine/schema/column-names'
import { type Columns, defineSchema } from '../../../src/engine/schema/feed-schema'
import { anyColumns } from '../../tsv-text'

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
