// notNull and the functions of callers, in each of the ways to read a cell.

import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { decodeInt32 } from '../../../src/engine/codec/kinds/int32'
import type { Row } from '../../../src/engine/codec/row-batch'
import { FeedError } from '../../../src/engine/errors'
import { pipeline } from '../../../src/engine/pipeline/pipeline'
import { cell, int32, list, oneOf, text, timestamp } from '../../../src/engine/schema/column-kinds'
import type { ColumnSpec } from '../../../src/engine/schema/column-spec'
import { defineSchema } from '../../../src/engine/schema/feed-schema'
import type { BadCell } from '../../../src/engine/stages/bad-cell-policy'
import { ColumnDecoder } from '../../../src/engine/stages/column-decoder'
import { TsvColumnParser } from '../../../src/engine/stages/tsv-column-parser'
import { TsvObjectParser } from '../../../src/engine/stages/tsv-object-parser'
import { TsvRowParser } from '../../../src/engine/stages/tsv-row-parser'

const schemaOf = (value: ColumnSpec) =>
  defineSchema({ name: 'own', columns: { sku: text(), value } })
type Own = ReturnType<typeof schemaOf>

const bytesOf = (cells: readonly string[]) =>
  Buffer.from(`sku\tvalue\n${cells.map((each, n) => `s${n}\t${each}\n`).join('')}`)

const rowsOf = (schema: Own, cells: readonly string[]): Promise<Row<Own['columns']>[]> =>
  pipeline([bytesOf(cells)])
    .to(new TsvRowParser({ schema }))
    .toArray()

function errorOf(read: () => unknown): unknown {
  try {
    return read()
  } catch (error) {
    return error
  }
}

async function failureOf(run: Promise<unknown>): Promise<unknown> {
  return run.then(
    () => 'no failure',
    error => error,
  )
}

/** What each way of reading gives for the second of two rows. */
async function outcomes(value: ColumnSpec, bad: string): Promise<unknown[]> {
  const schema = schemaOf(value)
  const cells = ['1', bad]
  const row = (await rowsOf(schema, cells))[1]!
  const bytes = [bytesOf(cells)]
  return [
    errorOf(() => row.get('value')),
    errorOf(() => row.toObject()),
    errorOf(() => row.toObject(['value'])),
    errorOf(() => [...row]),
    errorOf(() => JSON.stringify(row)),
    errorOf(() => row.detach().get('value')),
    await failureOf(
      pipeline(bytes).to(new TsvRowParser({ schema })).to(new ColumnDecoder()).toArray(),
    ),
    await failureOf(pipeline(bytes).to(new TsvObjectParser({ schema })).toArray()),
  ]
}

const isPlaced = (context: object, cause?: unknown) =>
  expect.objectContaining({
    code: 'CELL_INVALID',
    message: expect.stringMatching(/^value: not readable as /),
    context: expect.objectContaining({ column: 'value', row: 2, line: 3, ...context }),
    ...(cause !== undefined && { cause }),
  })

describe('a column that is notNull', () => {
  const kinds: [string, ColumnSpec][] = [
    ['text', text({ notNull: true })],
    ['int32', int32({ notNull: true })],
    ['oneOf', oneOf(['1', '2'], { notNull: true })],
    ['list', list('|', int32(), { notNull: true })],
    ['cell', cell(Number, { notNull: true, empty: 0 })],
  ]

  test.each(kinds)(
    'of %s refuses empty cells, quoted or not, in every way',
    async (type, value) => {
      for (const empty of ['', '""']) {
        const all = await outcomes(value, empty)
        for (const error of all)
          expect(error).toEqual(
            isPlaced({
              type,
              byteOffset: 15,
              reason: expect.stringContaining('notNull'),
            }),
          )
      }
    },
  )

  test.each(kinds)('of %s that the file lacks is refused at its header', async (_, value) => {
    const run = pipeline([Buffer.from('sku\nA\n')])
      .to(new TsvRowParser({ schema: schemaOf(value) }))
      .toArray()
    await expect(run).rejects.toMatchObject({
      code: 'TSV_COLUMN_MISSING',
      context: { column: 'value', line: 1 },
    })
  })

  test('reads other cells as one that may be empty does', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.integer(), { minLength: 1 }), async values => {
        const cells = values.map(String)
        const [some, all] = [
          await rowsOf(schemaOf(int32()), cells),
          await rowsOf(schemaOf(int32({ notNull: true })), cells),
        ]
        expect(all.map(row => row.toObject())).toEqual(some.map(row => row.toObject()))
        expect(all.map(row => row.get('value'))).toEqual(values)
      }),
      { numRuns: 30 },
    )
  })

  test.each(['null', 'function'] as const)(
    'has its empty value where onBadCell is %s',
    async policy => {
      const schema = schemaOf(int32({ notNull: true }))
      const told: BadCell[] = []
      const onBadCell = policy === 'null' ? policy : (bad: BadCell) => void told.push(bad)
      const bytes = [bytesOf(['1', '', 'x'])]
      const decoder = new ColumnDecoder({ onBadCell })
      const rows = await pipeline(bytes).to(new TsvRowParser({ schema })).to(decoder).toArray()
      expect(rows.map(row => row.get('value'))).toEqual([1, null, null])
      const parser = new TsvObjectParser({ schema, onBadCell })
      const objects = await pipeline(bytes).to(parser).toArray()
      expect(objects.map(({ value }) => value)).toEqual([1, null, null])
      expect([decoder.badCells, parser.badCells]).toEqual([2, 2])
      expect(told.map(({ column, position }) => [column, position.row])).toEqual(
        policy === 'null' ? [] : [2, 3, 2, 3].map(row => ['value', row]),
      )
    },
  )
})

describe('the function of a caller', () => {
  const cause = new RangeError('no unit')
  const fails = cell(text => {
    if (text.includes('bad')) throw cause
    return Number(text)
  })

  test('that throws is CELL_INVALID with its place and the cause, in every way', async () => {
    for (const error of await outcomes(fails, 'bad'))
      expect(error).toEqual(isPlaced({ type: 'cell', byteOffset: 15, excerpt: 'bad' }, cause))
  })

  test('may use a decoder of the package, whose error gets its place', async () => {
    const halves = cell(text => decodeInt32(text) / 2)
    for (const error of await outcomes(halves, 'x'))
      expect(error).toEqual(isPlaced({ type: 'int32', excerpt: 'x' }))
  })

  test('keeps the code of its own FeedError, which no policy takes for a bad cell', async () => {
    const own = new FeedError('SINK_FAILED', 'own', { sink: 's', target: 't', reason: 'r' })
    const throwing = cell(text => {
      if (text === 'bad') throw own
      return text
    })
    for (const error of await outcomes(throwing, 'bad')) expect(error).toBe(own)
    const run = pipeline([bytesOf(['bad'])])
      .to(new TsvObjectParser({ schema: schemaOf(throwing), onBadCell: 'null' }))
      .toArray()
    await expect(run).rejects.toBe(own)
  })

  test("sees the errors of the decoders that it uses where onBadCell is 'null'", async () => {
    const seen: unknown[] = []
    const schema = schemaOf(
      cell(text => {
        try {
          return decodeInt32(text)
        } catch (error) {
          seen.push(error)
          throw error
        }
      }),
    )
    const bytes = [bytesOf(['x', '1', 'y'])]
    const rows = () => pipeline(bytes).to(new TsvRowParser({ schema }))
    const onBadCell = 'null'
    await rows().to(new ColumnDecoder({ onBadCell })).toArray()
    await pipeline(bytes).to(new TsvObjectParser({ schema, onBadCell })).toArray()
    await pipeline(bytes).to(new TsvColumnParser({ schema, onBadCell })).toArray()
    const excerpts = seen.map(error => (error as FeedError<'CELL_INVALID'>).context.excerpt)
    expect(new Set(excerpts)).toEqual(new Set(['x', 'y']))
    expect(errorOf(() => decodeInt32('z'))).toMatchObject({ context: { excerpt: 'z' } })
  })

  test('is not called for empty cells, and its value may be anything', async () => {
    const value = cell(text => new Map([[text, text.length]]), { empty: 'none' })
    const rows = await rowsOf(schemaOf(value), ['ab', '', '""'])
    expect(rows.map(row => row.get('value'))).toEqual([new Map([['ab', 2]]), 'none', 'none'])
    const [lacking] = await pipeline([Buffer.from('sku\nA\n')])
      .to(new TsvRowParser({ schema: schemaOf(value) }))
      .toArray()
    expect([lacking!.get('value'), lacking!.toObject()]).toEqual([
      'none',
      { sku: 'A', value: 'none' },
    ])
  })
})

test('rows share lists of values that cannot be changed, and no others', async () => {
  const shared = await rowsOf(schemaOf(list('|', int32())), ['1|2', '1|2'])
  expect(shared[1]!.get('value')).toBe(shared[0]!.get('value'))
  const day = '2024-01-01T00:00:00Z'
  const own = await rowsOf(schemaOf(list('|', timestamp())), [day, day])
  expect(own[1]!.get('value')).toEqual(own[0]!.get('value'))
  expect(own[1]!.get('value')).not.toBe(own[0]!.get('value'))
})
