import { inspect } from 'node:util'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { decoderOf } from '../../../src/engine/codec/decode/cell-decoders'
import type { Row } from '../../../src/engine/codec/row'
import { TsvParser } from '../../../src/engine/codec/tsv/parser'
import { FeedError } from '../../../src/engine/errors'
import { pipeline } from '../../../src/engine/pipeline/pipeline'
import * as kinds from '../../../src/engine/schema/column-kinds'
import { defineSchema } from '../../../src/engine/schema/feed-schema'
import { TsvObjectParser } from '../../../src/engine/stages/tsv-object-parser'
import { richCell, tsv } from '../../tsv-text'

/** One column of each kind, and lists whose values are shared or not. */
const columns = {
  text: kinds.text(),
  int32: kinds.int32(),
  int64: kinds.int64(),
  decimal: kinds.decimal(),
  float64: kinds.float64(),
  boolean: kinds.boolean(),
  date: kinds.date(),
  timestamp: kinds.timestamp(),
  json: kinds.json(),
  oneOf: kinds.oneOf('red', 'green', 'ß'),
  commaList: kinds.list(','),
  pipeList: kinds.list('|'),
  numbers: kinds.list('|', kinds.int32()),
  times: kinds.list('|', kinds.timestamp()),
  cell: kinds.cell(own),
  aspects: kinds.aspects(),
  conditionDescriptors: kinds.conditionDescriptors(),
  regions: kinds.regions(),
}
const schema = defineSchema({ name: 'other', columns })
type Name = keyof typeof columns
const types = Object.keys(columns) as Name[]

function own(text: string): string {
  if (text.includes('1')) throw new RangeError('no ones')
  return text.toUpperCase()
}

function rowsOf(
  cells: readonly (readonly string[])[],
  names: readonly string[] = types,
): Row<typeof schema.columns>[] {
  const parser = new TsvParser({ schema })
  return [...parser.push(Buffer.from(tsv([names, ...cells]))), ...parser.end()].flatMap(batch => [
    ...batch,
  ])
}

const base64 = (text: string) => Buffer.from(text).toString('base64')
const piece = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.constantFrom('Brand', 'Color', 'Größe', '漢字', 'a;b:c|d', '').map(base64),
  },
  { weight: 3, arbitrary: fc.string({ unit: 'binary', maxLength: 70 }).map(base64) },
  {
    weight: 1,
    arbitrary: fc.constantFrom('*', 'QQ', 'QQ=', '=', 'UmVkZB==', '/w==', 'é', 'QUJD ', '"'),
  },
)
const aspects = fc
  .tuple(
    fc.array(fc.tuple(piece, fc.constantFrom(':', ':', ':', ';', '|')), { maxLength: 12 }),
    piece,
    fc.constantFrom('', ';'),
  )
  .map(([pieces, last, end]) => `${pieces.map(pair => pair.join('')).join('')}${last}${end}`)
const pairs = fc
  .array(fc.tuple(piece, piece, fc.option(piece)), { maxLength: 8 })
  .map(entries =>
    entries
      .map(([name, value, label]) => `${label === null ? '' : `${label}|`}${name}:${value}`)
      .join(';'),
  )
const digits = fc.string({
  unit: fc.constantFrom('0', '1', '2', '9', '-', '.', ' '),
  maxLength: 13,
})
const time = fc
  .tuple(
    fc.date({
      noInvalidDate: true,
      min: new Date('0000-01-01T00:00:00Z'),
      max: new Date('9999-12-31T23:59:59.999Z'),
    }),
    fc.boolean(),
  )
  .map(([date, hasMs]) => (hasMs ? date.toISOString() : date.toISOString().replace(/\.\d+/, '')))
const almostTime = fc
  .tuple(time, fc.nat(23), fc.constantFrom('0', '3', '9', ':', 'Z', '-', 'é', ' '))
  .map(([text, at, other]) => text.slice(0, at) + other + text.slice(at + 1))
const list = fc.string({ unit: fc.constantFrom('A', 'NEW', ',', '|', ' ', 'ß', '"'), maxLength: 8 })
const regions = fc
  .array(fc.constantFrom('COUNTRY:', 'REGION:', 'DE', 'AT', '|', ';', ' ', 'WORLDWIDE', 'é'), {
    maxLength: 10,
  })
  .map(parts => parts.join(''))

/** Cells of each type: good ones, nearly good ones, and ones that need quotes. */
const cellOf: Record<Name, fc.Arbitrary<string>> = {
  text: richCell,
  int32: fc.oneof(
    digits,
    fc.integer().map(String),
    fc.constantFrom('-0', '2147483647', '2147483648', '-2147483648', '0000000000000007'),
  ),
  int64: fc.oneof(
    digits,
    fc.bigInt({ min: -(2n ** 65n), max: 2n ** 65n }).map(String),
    fc.constantFrom('-0', '9223372036854775808', '-9223372036854775808', '0'.repeat(30)),
  ),
  float64: fc.oneof(
    digits,
    fc.double().map(String),
    fc.constantFrom('1e999', '-1E-999', 'Infinity', '.5', '1.', '+1', '0x1'),
  ),
  date: fc.oneof(
    time.map(text => text.slice(0, 10)),
    almostTime.map(text => text.slice(0, 10)),
    fc.constantFrom('2023-02-29', '2024-02-29', '0000-01-01', '2024-13-01', '2024-1-1'),
  ),
  json: fc.oneof(fc.json(), fc.constantFrom('{', 'null', '"', '[1,]', '{"__proto__":1}'), richCell),
  oneOf: fc.constantFrom('red', 'green', 'ß', 'blue', 'Red', '"red"'),
  numbers: fc.oneof(
    fc.array(fc.integer()).map(values => values.join('|')),
    digits,
    fc.constantFrom('1||2', ' 1 | 2 ', '|', '1|x'),
  ),
  times: fc.oneof(
    fc.array(time, { maxLength: 3 }).map(values => values.join('|')),
    almostTime,
  ),
  cell: fc.oneof(digits, richCell),
  decimal: fc.oneof(
    digits,
    fc.double({ noNaN: true, noDefaultInfinity: true }).map(String),
    fc.constantFrom('-0.50', '1.', '.5', '1.2.3', '-'),
  ),
  boolean: fc.constantFrom(
    'true',
    'false',
    'TRUE',
    'FALSE',
    'True',
    'fALSE',
    'falsE',
    'tru',
    'trueé',
    'yes',
    '"true"',
  ),
  timestamp: fc.oneof(
    time,
    almostTime,
    fc.constantFrom('2023-02-29T00:00:00Z', '2024-02-29T24:00:00.000Z', '0099-12-31T00:00:00Z'),
  ),
  commaList: fc.oneof(list, richCell),
  pipeList: fc.oneof(list, richCell),
  aspects: fc.oneof(pairs, aspects, richCell),
  conditionDescriptors: fc.oneof(aspects, richCell),
  regions: fc.oneof(regions, richCell),
}
const rowOfCells = fc.tuple(
  ...types.map(type =>
    fc.oneof({ weight: 1, arbitrary: fc.constant('') }, { weight: 9, arbitrary: cellOf[type] }),
  ),
)

/** The value of the cell, or its error, by the text decoder alone. */
function plainly(type: Name, text: string): unknown {
  const { empty, decode } = decoderOf(columns[type])
  return text === '' ? empty : outcome(() => decode(text))
}

/** What is wrong with a cell. */
class Bad {
  readonly what: string

  constructor(what: string) {
    this.what = what
  }
}

function outcome(read: () => unknown): unknown {
  try {
    return read()
  } catch (error) {
    if (FeedError.is(error) && error.code === 'CELL_INVALID')
      return new Bad(`${error.context.type}: ${error.context.reason}: ${error.context.excerpt}`)
    throw error
  }
}

describe('typed cells', () => {
  test('every cell has the value of its decoded text, read once or again, quoted or not', () => {
    fc.assert(
      fc.property(fc.array(rowOfCells, { minLength: 1, maxLength: 6 }), cells => {
        for (const _ of ['from bytes', 'from what was kept of them']) {
          rowsOf(cells).forEach((row, n) => {
            types.forEach((type, column) => {
              const expected = plainly(type, cells[n]![column]!)
              expect(outcome(() => row.get(type))).toEqual(
                type === 'text' && expected === '' ? null : expected,
              )
            })
          })
        }
      }),
      { numRuns: 150 },
    )
  })

  test('an object has the same values, or fails with the first bad cell and its position', () => {
    fc.assert(
      fc.property(rowOfCells, cells => {
        const [row] = rowsOf([cells])
        const bad = types.find(type => outcome(() => row!.get(type)) instanceof Bad)
        if (bad === undefined)
          expect(row!.toObject()).toEqual(
            Object.fromEntries(types.map(type => [type, row!.get(type)])),
          )
        else
          expect(() => row!.toObject()).toThrow(
            expect.objectContaining({
              context: expect.objectContaining({ column: bad, row: 1, line: 2 }),
            }),
          )
      }),
    )
  })

  test.each(['wasm', 'scalar'] as const)(
    'quotes around nothing are an empty cell for every reader (%s)',
    async name => {
      const rowsWith = (cell: string) => {
        const parser = new TsvParser({ schema, scanner: name })
        const file = Buffer.from(
          `${types.join('\t')}\tother\n${types.map(() => cell).join('\t')}\t${cell}\n`,
        )
        return [...parser.push(file), ...parser.end()].flatMap(batch => [...batch])
      }
      const [quoted, plain] = ['""', ''].map(cell => rowsWith(cell)[0]!) as [
        Row<typeof schema.columns>,
        Row<typeof schema.columns>,
      ]
      for (const column of [...types, 'other']) {
        expect(quoted.get(column)).toBe(plain.get(column))
        expect(quoted.text(column)).toBe('')
      }
      expect([quoted.get('text'), quoted.get('other' as string)]).toEqual([null, null])
      expect(quoted.toObject()).toEqual(plain.toObject())
      expect(quoted.toObject(['text', 'other' as string])).toEqual({ text: null, other: null })
      expect(quoted.toStrings()).toEqual(plain.toStrings())
      expect([...quoted]).toEqual([...plain])
      expect(JSON.stringify(quoted)).toBe(JSON.stringify(plain))
      const bytes = Buffer.from('text\tother\n""\t""\n')
      for (const [values, empty] of [
        ['typed', null],
        ['text', ''],
      ] as const) {
        const parser = new TsvObjectParser({
          schema,
          columns: ['text', 'other' as string],
          values,
        })
        expect(await pipeline([bytes]).to(parser).toArray()).toEqual([
          { text: empty, other: empty },
        ])
      }
    },
  )

  test('shared values cannot be changed: lists and regions are frozen, and dates and aspects belong to their row', () => {
    const cells = types.map(
      type =>
        ({ commaList: 'a,b', pipeList: 'a|b', regions: 'COUNTRY:DE;', aspects: 'QQ==:Qg==' })[
          type as string
        ] ?? '',
    )
    cells[types.indexOf('timestamp')] = '2024-01-01T00:00:00Z'
    const [one, two] = rowsOf([cells, cells])
    for (const type of ['commaList', 'pipeList', 'regions'] as const) {
      expect(two!.get(type)).toBe(one!.get(type))
      expect(Object.isFrozen(one!.get(type))).toBe(true)
    }
    const { countries, regions } = one!.get('regions')!
    expect([Object.isFrozen(countries), Object.isFrozen(regions)]).toEqual([true, true])
    for (const type of ['timestamp', 'aspects'] as const) {
      expect(two!.get(type)).toEqual(one!.get(type))
      expect(two!.get(type)).not.toBe(one!.get(type))
    }
  })
})

describe('a choice of columns', () => {
  const [row] = rowsOf([['7', 'bad', 'x']], ['int32', 'decimal', 'extra'])

  test('reads these columns as typed values or text, and no others', () => {
    expect(row!.toObject(['extra' as string, 'int32', 'boolean'])).toEqual({
      extra: 'x',
      int32: 7,
      boolean: null,
    })
    expect(row!.toStrings(['extra' as string, 'decimal', 'boolean'])).toEqual({
      extra: 'x',
      decimal: 'bad',
      boolean: '',
    })
    expect(row!.toObject([])).toEqual({})
    expect(() => row!.toObject(['decimal'])).toThrow(
      expect.objectContaining({ code: 'CELL_INVALID' }),
    )
  })

  test('is refused where a column is unknown', () => {
    expect(() => row!.toObject(['nowhere' as string])).toThrow(
      expect.objectContaining({ code: 'COLUMN_UNKNOWN' }),
    )
    expect(() => row!.toStrings(['nowhere' as string])).toThrow(
      expect.objectContaining({ code: 'COLUMN_UNKNOWN' }),
    )
  })

  test('takes decoded columns from the batch', () => {
    const decoded = row!.batch.withDecoded(
      row!.batch.header.indexes.get('decimal')!,
      () => 'decoded',
    )
    expect(decoded.row(0).toObject(['decimal', 'int32'])).toEqual({ decimal: 'decoded', int32: 7 })
    expect(decoded.row(0).detach().toObject(['decimal', 'int32'])).toEqual({
      decimal: 'decoded',
      int32: 7,
    })
  })
})

describe('what console.log shows', () => {
  const cells = types.map(
    type =>
      ({ text: 'x'.repeat(200), int32: '7', decimal: '9,50', commaList: 'a,b,c,d,e,f,g' })[
        type as string
      ] ?? '',
  )

  test('prints the cells of a row that are not empty, shortened, and a bad cell as its error', () => {
    const [row] = rowsOf([cells])
    expect(inspect(row)).toMatch(
      /^Row \{\s+text: 'x{79}…',\s+int32: 7,\s+decimal: <CELL_INVALID: .*>,\s+commaList: \[[^\]]*… 2 more'[^\]]*\]\s+\}$/,
    )
    expect(inspect(row!.detach())).toBe(inspect(row))
    expect(inspect({ in: { some: { deep: row } } })).toContain('[Row]')
  })

  test('prints the counts of a batch', () => {
    const { batch } = rowsOf([cells, cells])[0]!
    const shown = `length: 2,\\s+columns: ${types.length},\\s+byteLength: ${batch.byteLength},\\s+confirmed: true`
    expect(inspect(batch)).toMatch(new RegExp(`^RowBatch \\{\\s+${shown}`))
    expect(inspect(batch.select(row => row.slot === 1))).toContain('length: 1')
  })
})
