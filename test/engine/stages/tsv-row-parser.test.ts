import { describe, expect, test } from 'vitest'
import { pipeline } from '../../../src/engine/pipeline/pipeline'
import { defineSchema, type TextColumns } from '../../../src/engine/schema/feed-schema'
import { ColumnDecoder } from '../../../src/engine/stages/column-decoder'
import { TsvObjectParser } from '../../../src/engine/stages/tsv-object-parser'
import { TsvRowParser } from '../../../src/engine/stages/tsv-row-parser'
import type { TsvRowParserOptions } from '../../../src/engine/stages/tsv-stage'

test.each<[string, unknown]>([
  ['batchBytes', 63],
  ['batchBytes', Number.NaN],
  ['maxRowBytes', Number.POSITIVE_INFINITY],
  ['maxRowBytes', '1024'],
  ['onBadRow', 'ignore'],
  ['onBadRow', null],
  ['invalidUtf8', 'keep'],
  ['columns', []],
  ['columns', 'itemId'],
  ['columns', [1]],
  ['maxBadRows', -1],
  ['maxBadRows', Number.POSITIVE_INFINITY],
  ['dialect', 'csv'],
  ['dialect', null],
  ['file', 'item.tsv'],
  ['schema', 'item'],
  ['schema', null],
  ['onBadRow', class Told {}],
])('%s: %s is OPTION_INVALID', (option, value) => {
  expect(() => new TsvRowParser({ [option]: value } as TsvRowParserOptions<TextColumns>)).toThrow(
    expect.objectContaining({
      code: 'OPTION_INVALID',
      context: expect.objectContaining({ option }),
    }),
  )
})

test('later changes to the given list of columns have no effect', async () => {
  const columns = ['a']
  const parser = new TsvRowParser({ columns })
  columns[0] = 'b'
  parser.end(Buffer.from('a\tb\n1\t2\n'))
  const rows: object[] = []
  for await (const batch of parser) for (const row of batch) rows.push(row.toStrings())
  expect(rows).toEqual([{ a: '1' }])
})

test.each<[string, TsvRowParserOptions<TextColumns>, string, string[][]]>([
  ['a header line alone', {}, 'id\tprice\n', [['id', 'price']]],
  ['bad rows only', { onBadRow: 'skip' }, 'id\tprice\n1\n', [['id', 'price']]],
  ['invalid UTF-8 only', { onBadRow: 'skip' }, 'id\tprice\n1\t\xff\n', [['id', 'price']]],
  ['a projection', { columns: ['price', 'id'] }, 'id\tprice\n', [['price', 'id']]],
  ['a dialect without a header line', { dialect: { header: ['a', 'b'] } }, '', [['a', 'b']]],
  ['rows', {}, 'id\n1\n', [['id']]],
])(
  'fault 108: %s: the columns reach the reader, in one batch',
  async (_case, options, text, expected) => {
    for (const size of [1, 1000]) {
      const bytes = Buffer.from(text, 'latin1')
      const pieces = Array.from({ length: Math.ceil(bytes.length / size) }, (_, n) =>
        bytes.subarray(n * size, (n + 1) * size),
      )
      const batches = []
      for await (const batch of pipeline(pieces)
        .to(new TsvRowParser(options))
        .to(new ColumnDecoder())
        .batches())
        batches.push(batch)
      expect(batches.map(({ header }) => header.columns.map(({ name }) => name))).toEqual(expected)
      expect(batches.flatMap(batch => [...batch]).length).toBe(text === 'id\n1\n' ? 1 : 0)
    }
  },
)

test('options that are undefined have their defaults', async () => {
  const options = {
    batchBytes: undefined,
    maxRowBytes: undefined,
    onBadRow: undefined,
    invalidUtf8: undefined,
    schema: undefined,
  }
  const parser = new TsvRowParser(options as unknown as TsvRowParserOptions<TextColumns>)
  parser.end(Buffer.from('id\n1\n'))
  const ids: string[] = []
  for await (const batch of parser) for (const row of batch) ids.push(row.text('id'))
  expect(ids).toEqual(['1'])
})

const stages: readonly [string, new (options?: never) => unknown][] = [
  ['TsvRowParser', TsvRowParser],
  ['TsvObjectParser', TsvObjectParser],
  ['ColumnDecoder', ColumnDecoder],
]

describe.each(stages)('fault 102: the options of %s', (_, Stage) => {
  test.each<[string, unknown, string]>([
    ['an unknown name', { delimiter: ',' }, 'delimiter'],
    ['a misspelt name', { column: ['a'] }, 'column'],
    ['null', null, 'options'],
    ['a list', [], 'options'],
    ['text', 'itemSchema', 'options'],
  ])('%s is refused', (_what, options, option) => {
    expect(() => new Stage(options as never)).toThrow(
      expect.objectContaining({
        code: 'OPTION_INVALID',
        context: expect.objectContaining({ option }),
      }),
    )
  })

  test('none at all are needed', () => {
    expect(() => new Stage()).not.toThrow()
  })
})

describe('fault 102: a schema', () => {
  const refusal = (option: string, expected: RegExp) =>
    expect.objectContaining({
      code: 'OPTION_INVALID',
      message: expect.stringMatching(expected),
      context: expect.objectContaining({ option }),
    })

  test.each<[string, unknown, string, RegExp]>([
    [
      'a type that does not exist',
      { id: { type: 'int' } },
      'columns.id.type',
      /must be 'text' or 'int32' or .*, not "int"/,
    ],
    ['no type', { id: {} }, 'columns.id.type', /not undefined/],
    [
      'a type in place of a column',
      { id: 'int32' },
      'columns.id',
      /must be an object, such as .* makes, not "int32"/,
    ],
    [
      'an unknown part of a column',
      { id: { type: 'text', alias: ['x'] } },
      'columns.id.alias',
      /must be left out, because the parts of text are type, .*, aliases, /,
    ],
    [
      'aliases that are no list',
      { id: { type: 'text', aliases: 'x' } },
      'columns.id.aliases',
      /a list/,
    ],
    [
      'an alias that is no text',
      { id: { type: 'text', aliases: [1] } },
      'columns.id.aliases[0]',
      /text/,
    ],
    [
      'required, but neither true nor false',
      { id: { type: 'text', required: 'no' } },
      'columns.id.required',
      /true or false/,
    ],
    [
      'two columns of one spelling',
      { id: { type: 'text' }, ID: { type: 'int32' } },
      'columns.ID',
      /than the column id/,
    ],
    ['no columns', null, 'columns', /an object/],
    ['a list of names', ['id'], 'columns', /an object/],
  ])('%s is refused where it is made, and where it is used', (_, columns, option, message) => {
    expect(() => defineSchema({ name: 'other', columns: columns as never })).toThrow(
      refusal(option, message),
    )
    expect(() => new TsvRowParser({ schema: { name: 'other', columns } as never })).toThrow(
      refusal(option, message),
    )
  })

  test.each([undefined, '', 7])('with the name %j is refused', name => {
    expect(() => defineSchema({ name: name as never, columns: {} })).toThrow(
      refusal('name', /text that is not empty/),
    )
  })
})

describe('fault 102: what is written to a parser', () => {
  test.each<[string, unknown, string]>([
    ['text', 'a\tb\n', 'a string ("a\\tb\\n")'],
    ['a Uint16Array', new Uint16Array(4), 'a Uint16Array'],
    ['an ArrayBuffer', new ArrayBuffer(4), 'an ArrayBuffer'],
    ['a DataView', new DataView(new ArrayBuffer(4)), 'a DataView'],
    ['null', null, 'null'],
    ['nothing', undefined, 'undefined'],
  ])('%s is STAGE_INPUT_INVALID', async (_, input, received) => {
    const parser = new TsvRowParser()
    const reading = (async () => {
      for await (const _batch of parser);
    })()
    parser.write(input as never)
    await expect(reading).rejects.toMatchObject({
      code: 'STAGE_INPUT_INVALID',
      context: { stage: 'TsvRowParser', received },
    })
  })
})

test('fault 98: timers have their turn while bad rows alone are read, from one block or many', async () => {
  const bad = Buffer.from(`a\tb\n${'\n"x\n'.repeat(2 << 20)}`)
  const blocks = Array.from({ length: bad.length / (1 << 16) }, (_, n) =>
    bad.subarray(n << 16, (n + 1) << 16),
  )
  for (const inputs of [[bad], blocks]) {
    let turns = 0
    let isReading = true
    const turn = () => {
      turns++
      if (isReading) setImmediate(turn)
    }
    setImmediate(turn)
    const parser = new TsvRowParser({ onBadRow: 'skip' })
    const { rows } = await pipeline<Uint8Array>(inputs)
      .to(parser)
      .toArray()
      .then(all => ({ rows: all.length }))
    isReading = false
    expect(rows).toBe(0)
    expect(parser.badRows).toBeGreaterThan(1 << 21)
    expect(turns).toBeGreaterThan(5)
  }
})
