// Random cells of every kind: good ones, nearly good ones, and ones that need quotes; and what the
// decoders of texts make of them.

import fc from 'fast-check'
import { decoderOf } from '../../../src/engine/codec/kinds/all-kinds'
import { FeedError } from '../../../src/engine/errors'
import * as kinds from '../../../src/engine/schema/column-kinds'
import { defineSchema } from '../../../src/engine/schema/feed-schema'
import { richCell } from '../../tsv-text'

/** One column of each kind, and lists whose values are shared or not. */
export const columns = {
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
export const schema = defineSchema({ name: 'other', columns })
export type Name = keyof typeof columns
export const types = Object.keys(columns) as Name[]

function own(text: string): string {
  if (text.includes('1')) throw new RangeError('no ones')
  return text.toUpperCase()
}

export const base64 = (text: string) => Buffer.from(text).toString('base64')
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
export const pairs = fc
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
export const cellOf: Record<Name, fc.Arbitrary<string>> = {
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
export const rowOfCells = fc.tuple(
  ...types.map(type =>
    fc.oneof({ weight: 1, arbitrary: fc.constant('') }, { weight: 9, arbitrary: cellOf[type] }),
  ),
)

/** The value of the cell, or its error, by the text decoder alone. */
export function plainly(type: Name, text: string): unknown {
  const { empty, decode } = decoderOf(columns[type])
  return text === '' ? empty : outcome(() => decode(text))
}

/** What is wrong with a cell. */
export class Bad {
  readonly what: string

  constructor(what: string) {
    this.what = what
  }
}

export function outcome(read: () => unknown): unknown {
  try {
    return read()
  } catch (error) {
    if (FeedError.is(error) && error.code === 'CELL_INVALID')
      return new Bad(`${error.context.type}: ${error.context.reason}: ${error.context.excerpt}`)
    throw error
  }
}
