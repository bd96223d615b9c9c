import { inspect } from 'node:util'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { cellDecoders } from '../../src/codec/decode/cell-decoders'
import type { Row } from '../../src/codec/row'
import { TsvParser } from '../../src/codec/tsv/parser'
import { FeedError } from '../../src/errors'
import { pipeline } from '../../src/pipeline/pipeline'
import { defineSchema } from '../../src/schema/feed-schema'
import type { CellType } from '../../src/schema/values'
import { TsvObjectParser } from '../../src/stages/tsv-object-parser'
import { richCell, tsv } from '../tsv-text'

/** One column of each type, under the type's name. */
const types = Object.keys(cellDecoders) as CellType[]
const schema = defineSchema('other', {
  text: { type: 'text', source: 'test' },
  int32: { type: 'int32', source: 'test' },
  decimal: { type: 'decimal', source: 'test' },
  boolean: { type: 'boolean', source: 'test' },
  timestamp: { type: 'timestamp', source: 'test' },
  commaList: { type: 'commaList', source: 'test' },
  pipeList: { type: 'pipeList', source: 'test' },
  aspects: { type: 'aspects', source: 'test' },
  conditionDescriptors: { type: 'conditionDescriptors', source: 'test' },
  regions: { type: 'regions', source: 'test' },
})

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

/** Cells of each type: good ones, nearly good ones, and whatever the dialect has to quote. */
const cellOf: Record<CellType, fc.Arbitrary<string>> = {
  text: richCell,
  int32: fc.oneof(
    digits,
    fc.integer().map(String),
    fc.constantFrom('-0', '2147483647', '2147483648', '-2147483648', '0000000000000007'),
  ),
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

/** A value, or what was wrong with the cell, as the text decoder alone says. */
function plainly(type: CellType, text: string): unknown {
  if (text === '') return cellDecoders[type].empty
  return outcome(() => cellDecoders[type].decode(text))
}

function outcome(read: () => unknown): unknown {
  try {
    return read()
  } catch (error) {
    if (FeedError.is(error) && error.code === 'CELL_INVALID')
      return `${error.context.type}: ${error.context.reason}: ${error.context.excerpt}`
    throw error
  }
}

describe('typed cells', () => {
  test('every cell is what decoding its text gives, read once, read again, and in quotes or not', () => {
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
      { numRuns: 300 },
    )
  })

  test('an object has the same values, or ends with the first bad cell and its position', () => {
    fc.assert(
      fc.property(rowOfCells, cells => {
        const [row] = rowsOf([cells])
        const bad = types.find(
          type => typeof outcome(() => row!.get(type)) === 'string' && type !== 'text',
        )
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
          scanner: name,
        })
        expect(await pipeline([bytes]).to(parser).toArray()).toEqual([
          { text: empty, other: empty },
        ])
      }
    },
  )

  test('what rows share cannot be changed: lists and regions are frozen; dates and aspects are the row’s own', () => {
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

describe('only some columns', () => {
  const [row] = rowsOf([['7', 'bad', 'x']], ['int32', 'decimal', 'extra'])

  test('are typed or text, and the others are not read', () => {
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

  test('that nobody knows are refused', () => {
    expect(() => row!.toObject(['nowhere' as string])).toThrow(
      expect.objectContaining({ code: 'COLUMN_UNKNOWN' }),
    )
    expect(() => row!.toStrings(['nowhere' as string])).toThrow(
      expect.objectContaining({ code: 'COLUMN_UNKNOWN' }),
    )
  })

  test('of a batch with decoded columns come from there', () => {
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

  test('of a row: its cells that are not empty, cut, and a bad cell as its error', () => {
    const [row] = rowsOf([cells])
    expect(inspect(row)).toMatch(
      /^Row \{\s+text: 'x{79}…',\s+int32: 7,\s+decimal: <CELL_INVALID: .*>,\s+commaList: \[[^\]]*… 2 more'[^\]]*\]\s+\}$/,
    )
    expect(inspect(row!.detach())).toBe(inspect(row))
    expect(inspect({ in: { some: { deep: row } } })).toContain('[Row]')
  })

  test('of a batch: its counts', () => {
    const { batch } = rowsOf([cells, cells])[0]!
    const shown = `length: 2,\\s+columns: 10,\\s+byteLength: ${batch.byteLength},\\s+confirmed: true`
    expect(inspect(batch)).toMatch(new RegExp(`^RowBatch \\{\\s+${shown}`))
    expect(inspect(batch.select(row => row.slot === 1))).toContain('length: 1')
  })
})
