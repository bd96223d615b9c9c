// Compares columns with the decoders of texts and with rows: random cells of every kind, in every
// dialect, by both engines.

import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { ColumnBatch } from '../../../../src/engine/codec/columns/column-batch'
import { isNull } from '../../../../src/engine/codec/columns/column-data'
import { misfit } from '../../../../src/engine/codec/columns/column-fit'
import {
  type ColumnEngine,
  decodeColumns,
} from '../../../../src/engine/codec/columns/decode-columns'
import { arrowTypeOf } from '../../../../src/engine/codec/kinds/all-kinds'
import { decodeDecimal } from '../../../../src/engine/codec/kinds/decimal'
import type { Dialect } from '../../../../src/engine/codec/tsv/dialect'
import { TsvParser } from '../../../../src/engine/codec/tsv/parser'
import { FeedError } from '../../../../src/engine/errors'
import {
  aspects,
  cell,
  decimal,
  float64,
  int32,
  list,
  oneOf,
  text,
} from '../../../../src/engine/schema/column-kinds'
import {
  type Columns,
  defineSchema,
  type FeedSchema,
} from '../../../../src/engine/schema/feed-schema'
import type { Decimal } from '../../../../src/engine/schema/values'
import { type BadCellPolicy, BadCells } from '../../../../src/engine/stages/bad-cell-policy'
import { cellDialect, tsv, writtenIn } from '../../../tsv-text'
import { Bad, base64, columns, outcome, plainly, rowOfCells, schema, types } from '../any-cells'
import { longDouble } from './column-mutants'

const ENGINES = ['fast', 'plain'] as const

function batchesOf<C extends Columns>(
  schemaOfFile: FeedSchema<C>,
  bytes: string,
  engine: ColumnEngine,
  { onBadCell = 'throw', dialect }: { onBadCell?: BadCellPolicy; dialect?: Dialect } = {},
): ColumnBatch<C>[] {
  const parser = new TsvParser({
    schema: schemaOfFile,
    batchBytes: 256,
    lends: true,
    ...(dialect && { dialect }),
  })
  const batches = []
  const cells = new BadCells(onBadCell)
  for (const batch of parser.push(Buffer.from(bytes)))
    batches.push(decodeColumns(batch, cells, engine))
  for (const batch of parser.end()) batches.push(decodeColumns(batch, cells, engine))
  return batches
}

/** A value without what a column does not keep. */
function asInColumns(name: keyof typeof columns, value: unknown): unknown {
  if (name !== 'decimal' || value === null || value instanceof Bad) return value
  const { text: digits } = value as Decimal
  if (misfit(arrowTypeOf(columns.decimal), digits) !== undefined) return new Bad('misfit')
  const [whole = '', fraction = ''] = digits.replace(/^(-?)0+(?=\d)/, '$1').split('.')
  const rest = fraction.replace(/0+$/, '')
  const short = rest === '' ? whole : `${whole}.${rest}`
  return decodeDecimal(short === '-0' ? '0' : short)
}

describe.each(ENGINES)('columns, %s', engine => {
  test('have the value of each text, and null where the cell is empty or bad', () => {
    fc.assert(
      fc.property(fc.array(rowOfCells, { minLength: 1, maxLength: 5 }), cells => {
        const bad: string[] = []
        const onBadCell = (cell: { column: string; position: { row: number } }) =>
          void bad.push(`${cell.position.row} ${cell.column}`)
        const batches = batchesOf(schema, tsv([types, ...cells]), engine, { onBadCell })
        const rows = batches.flatMap(batch => [...batch])
        const expectedBad: string[] = []
        cells.forEach((row, n) => {
          types.forEach((name, at) => {
            const value = asInColumns(name, plainly(name, row[at]!))
            if (value instanceof Bad) expectedBad.push(`${n + 1} ${name}`)
            const empty = plainly(name, '')
            const expected =
              value instanceof Bad || (name === 'text' && value === '') ? empty : value
            expect(rows[n]![name], `${name} of ${row[at]}`).toEqual(expected)
          })
        })
        expect(bad.sort()).toEqual(expectedBad.sort())
      }),
      { numRuns: 150 },
    )
  })
})

/** The arrays of columns without what is not theirs: other bytes of the same memory. */
const arraysOf = (batch: ColumnBatch) =>
  batch.columns.map(column => {
    const plain = (data: typeof column.data): unknown => ({
      ...data,
      values: data.values && Array.from(data.values as Int32Array),
      offsets: data.offsets && Array.from(data.offsets),
      validity: data.validity && Array.from({ length: data.length }, (_, n) => isNull(data, n)),
      children: data.children.map(plain),
    })
    return plain(column.data)
  })

test.each(ENGINES)('doubles of many digits are the nearest ones, %s', engine => {
  const own = defineSchema({
    name: 'own',
    columns: { value: float64(), list: list(';', float64()) },
  })
  fc.assert(
    fc.property(fc.array(longDouble, { minLength: 1 }), fc.boolean(), (texts, isNegative) => {
      const cells = texts.map(each => `${isNegative ? '-' : ''}${each}`)
      const rows = cells.map(each => `${each}\t${each};1.5\n`).join('')
      const batches = batchesOf(own, `value\tlist\n${rows}`, engine)
      const expected = cells.map(each => ({ value: Number(each), list: [Number(each), 1.5] }))
      expect(batches.flatMap(batch => [...batch])).toEqual(expected)
    }),
    { numRuns: 500 },
  )
})

test('both engines make the same arrays, in every dialect', () => {
  const anyLine = fc.array(rowOfCells, { minLength: 1, maxLength: 6 })
  fc.assert(
    fc.property(anyLine, cellDialect, (cells, dialect) => {
      const good = cells.map(row =>
        row.map((text, n) =>
          text.includes('\0') ||
          asInColumns(types[n]!, plainly(types[n]!, text)) instanceof Bad ||
          (dialect.quoting === 'none' && /[\n\r"\\]/.test(text + dialect.delimiter)) ||
          (dialect.quoting === 'none' && text.includes(dialect.delimiter))
            ? ''
            : text,
        ),
      )
      const bytes = good
        .map(row => row.map(text => writtenIn(dialect, text)).join(dialect.delimiter))
        .join('\n')
      const headed = { ...dialect, header: types }
      const fast = batchesOf(schema, bytes, 'fast', { dialect: headed })
      const plain = batchesOf(schema, bytes, 'plain', { dialect: headed })
      expect(fast.map(arraysOf)).toEqual(plain.map(arraysOf))
    }),
    { numRuns: 150 },
  )
})

test.each(ENGINES)('lists of short values have them, whatever separates them, %s', engine => {
  const values = fc.array(fc.stringMatching(/^([A-Z]{2}|[A-Zx|,]{0,4})$/), { maxLength: 14 })
  const separators = fc.constantFrom('|', ',', 'X')
  fc.assert(
    fc.property(
      separators,
      fc.array(values, { minLength: 1, maxLength: 6 }),
      (separator, lists) => {
        const columns = { values: list(separator), next: text() }
        const cells = lists.map(one => one.join(separator))
        const bytes = tsv([Object.keys(columns), ...cells.map(cell => [cell, 'AB'])])
        const batches = batchesOf(defineSchema({ name: 'lists', columns }), bytes, engine)
        const read = batches.flatMap(batch => [...batch.column('values')])
        expect(read).toEqual(cells.map(cell => cell.split(separator).filter(value => value !== '')))
      },
    ),
    { numRuns: 300 },
  )
})

describe.each(ENGINES)('bad cells, %s', engine => {
  const rowsWith = (cells: readonly string[]) =>
    tsv([['id', 'n', 'm'], ...cells.map((n, at) => [`${at}`, n, at === 3 ? 'x' : '1'])])
  const numbers = defineSchema({ name: 'other', columns: { id: text(), n: int32(), m: int32() } })

  test('the first bad cell of the first row that has one is thrown, with its position', () => {
    const error = outcomeOf(() =>
      batchesOf(numbers, rowsWith(['1', '2', 'y', '4', '5', 'z']), engine),
    )
    expect(error).toMatchObject({
      code: 'CELL_INVALID',
      context: { column: 'n', row: 3, line: 4, excerpt: 'y' },
    })
    const later = outcomeOf(() =>
      batchesOf(numbers, rowsWith(['1', '2', '3', '4', '5', 'z']), engine),
    )
    expect(later).toMatchObject({
      code: 'CELL_INVALID',
      context: { column: 'm', row: 4, excerpt: 'x' },
    })
  })

  test('an empty cell of a notNull column is a bad one, of a list too', () => {
    const strict = defineSchema({
      name: 'other',
      columns: { n: int32({ notNull: true }), tags: list('|', text(), { notNull: true }) },
    })
    for (const cells of [
      ['', 'a'],
      ['1', ''],
    ]) {
      const error = outcomeOf(() =>
        batchesOf(strict, tsv([['n', 'tags'], ['1', 'a'], cells]), engine),
      )
      expect(error).toMatchObject({ code: 'CELL_INVALID', context: { row: 2 } })
    }
  })

  test('a decimal that needs more digits than its column is bad, and none is rounded', () => {
    const prices = defineSchema({ name: 'other', columns: { price: decimal() } })
    const good = ['0.0000000001', '-9999999999999999999999999999.0000000001', '1.50000000000000']
    const batches = batchesOf(prices, tsv([['price'], ...good.map(price => [price])]), engine)
    expect(batches.flatMap(batch => [...batch.column('price')].map(String))).toEqual([
      '0.0000000001',
      '-9999999999999999999999999999.0000000001',
      '1.5',
    ])
    for (const price of ['0.00000000001', '10000000000000000000000000000']) {
      const error = outcomeOf(() => batchesOf(prices, tsv([['price'], [price]]), engine))
      expect(error).toMatchObject({
        code: 'CELL_INVALID',
        context: { column: 'price', excerpt: price },
      })
    }
  })

  test('a label that covers many pairs has a limit', () => {
    const wide = defineSchema({ name: 'other', columns: { aspects: aspects() } })
    const label = base64('x'.repeat(30_000))
    const cell = `${label}|${Array.from({ length: 4000 }, () => 'QQ==:QQ==').join(';')}`
    const error = outcomeOf(() => batchesOf(wide, tsv([['aspects'], [cell]]), engine))
    expect(error).toMatchObject({ code: 'CELL_INVALID', context: { column: 'aspects', row: 1 } })
  })
})

function outcomeOf(run: () => unknown): unknown {
  try {
    return run()
  } catch (error) {
    if (FeedError.is(error)) return error
    throw error
  }
}

test('the function of a cell gives values of the kind that it names, and empty cells are null', () => {
  const grams = cell(kilos => Number(kilos) * 1000, { as: int32(), empty: -1 })
  const weights = defineSchema({
    name: 'other',
    columns: { grams, note: cell(note => note.length) },
  })
  const [batch] = batchesOf(
    weights,
    tsv([
      ['grams', 'note'],
      ['1.5', 'abc'],
      ['', ''],
    ]),
    'fast',
  )
  const column = batch!.column('grams')
  expect(column.type).toEqual({ kind: 'int32' })
  expect([...column]).toEqual([1500, -1])
  expect([column.isNull(0), column.isNull(1)]).toEqual([false, true])
  expect([...batch!.column('note')]).toEqual([3, null])
  const error = outcomeOf(() =>
    batchesOf(
      weights,
      tsv([
        ['grams', 'note'],
        ['1.5555', ''],
      ]),
      'fast',
    ),
  )
  expect(error).toMatchObject({
    code: 'CELL_INVALID',
    context: { column: 'grams', excerpt: '1.5555' },
  })
})

test('columns that the file lacks are empty, and other columns are text', () => {
  const [batch] = batchesOf(schema, 'int32\textra\n7\tx\n', 'fast')
  expect([...batch!.column('int32')]).toEqual([7])
  expect([...batch!.column('extra' as string)]).toEqual(['x'])
  expect([...batch!.column('commaList')]).toEqual([[]])
  expect(batch!.column('regions').isNull(0)).toBe(true)
  expect(outcome(() => batch!.column('int32').length)).toBe(1)
  expect(outcomeOf(() => batch!.column('none' as string))).toMatchObject({ code: 'COLUMN_UNKNOWN' })
})

describe.each(ENGINES)('rows of a batch, %s', engine => {
  const numbers = defineSchema({
    name: 'other',
    columns: { n: int32(), tags: list('|'), pairs: aspects(), note: text() },
  })
  const pair = `${base64('Größe')}:${base64('漢')}`
  const rows = Array.from({ length: 70 }, (_, n) => [
    n % 3 === 0 ? 'bad' : `${-n}`,
    'é|b'.repeat(n % 4),
    n % 5 === 0 ? '' : `${pair};${pair}`,
    n % 2 === 0 ? '' : `"${n}"`,
  ])
  const lines = tsv([['n', 'tags', 'pairs', 'note'], ...rows])

  const rowBatch = (columns?: readonly string[]) => {
    const parser = new TsvParser({ schema: numbers, ...(columns && { columns }) })
    return [...parser.push(Buffer.from(lines)), ...parser.end()][0]!
  }

  test('out of view are not decoded, and those in view are as in a file of their own', () => {
    const whole = rowBatch()
    const good = rows.filter(([n]) => n !== 'bad')
    const view = whole.select(row => row.text('n') !== 'bad')
    for (const count of [0, 1, 9, good.length]) {
      const batch = decodeColumns(view.first(count), new BadCells(), engine)
      const own = tsv([['n', 'tags', 'pairs', 'note'], ...good.slice(0, count)])
      const expected = batchesOf(numbers, own, engine).flatMap(each => [...each])
      expect(batch).toHaveLength(count)
      expect([...batch]).toEqual(expected)
      expect([...batch]).toEqual(Array.from(view.first(count), row => row.toObject()))
    }
  })

  test('with a decoded column keep its values', () => {
    const whole = rowBatch()
    const decoded = whole.withDecoded(0, row => row.slot)
    const batch = decodeColumns(decoded, new BadCells(), engine)
    expect([...batch.column('n')]).toEqual(rows.map((_, n) => n))
    expect([...batch.column('note')]).toEqual(rows.map(([, , , note]) => note || null))
  })

  test('of a projection have its columns in the order of the choice', () => {
    const batch = decodeColumns(rowBatch(['note', 'pairs']), new BadCells(), engine)
    expect([...batch.column('note')]).toEqual(rows.map(([, , , note]) => note || null))
    expect(batch.column('pairs').get(1)).toEqual([
      { label: null, name: 'Größe', value: '漢' },
      { label: null, name: 'Größe', value: '漢' },
    ])
    expect(batch.columns.map(({ name }) => name)).toEqual(['note', 'pairs'])
  })
})

test.each(ENGINES)(
  'a value of oneOf that looks like an escape is not the escaped text, %s',
  engine => {
    const odd = defineSchema({ name: 'other', columns: { size: oneOf('5\\"', '6') } })
    const good = batchesOf(odd, 'size\n6\n"5\\\\\\""\n', engine)
    expect(good.flatMap(batch => [...batch.column('size')])).toEqual(['6', '5\\"'])
    const error = outcomeOf(() => batchesOf(odd, 'size\n6\n"5\\""\n', engine))
    expect(error).toMatchObject({ code: 'CELL_INVALID', context: { column: 'size', row: 2 } })
  },
)
