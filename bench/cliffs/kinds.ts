// What the measure of cliffs compares: two files, or two readings of one file, that should cost
// about the same. A new kind is one entry here.

import {
  aspects,
  boolean,
  type ColumnSpec,
  type Columns,
  cell,
  conditionDescriptors,
  date,
  decimal,
  float64,
  int32,
  int64,
  itemSchema,
  json,
  list,
  oneOf,
  regions,
  text,
  timestamp,
} from '../../src/index'
import type { Draws } from '../shapes/draws'
import { COUNTRIES, REGIONS, regionsCell } from '../shapes/regions'
import { varied } from '../shapes/varied'
import { base64, WORDS } from '../shapes/words'

/** The ways through a file. */
export const ROADS = ['columns', 'ndjson', 'csv', 'objects'] as const
export type Road = (typeof ROADS)[number]

type Cell = (draws: Draws) => string

/** A file, and how it is read. */
export interface Side {
  readonly columns: Columns
  /** The cells of each row, in the order of the columns, without end. */
  rows(draws: Draws): Generator<readonly string[], void, void>
  /** True where rows that are not UTF-8 are left out. */
  readonly leavesOutRows?: true
  /** True where bad cells become null: the sinks have a ColumnDecoder before them. */
  readonly onBadCell?: 'null'
}

export interface Kind {
  readonly name: string
  readonly clean: Side
  readonly odd: Side
  /** The most that a row, or a byte, of the odd side may cost, by that of the clean one. */
  readonly limits: { readonly [R in Road]?: number }
  /** What both sides have equally many of. Default: `row`. */
  readonly per?: 'byte'
  /** The size of the file in 10^6 bytes, where it is not that of the others. */
  readonly megabytes?: number
}

/** Stands in cells for the byte 0xFF, which is nowhere in UTF-8. */
export const NO_UTF8 = '\u0001'

const ODD_ROWS = 300

/** The limits of columns and of both sinks. */
function roads(columns: number, sinks = columns): Kind['limits'] {
  return { columns, ndjson: sinks, csv: sinks }
}

const VALID = roads(1.5)
const ALL_ROADS = { ...VALID, objects: 1.5 }

/** A column of the kind beside three of text. */
function narrow(spec: ColumnSpec, clean: Cell, odd: Cell = clean, every = ODD_ROWS): Side {
  return {
    columns: { sku: text(), title: text(), value: spec, brand: text() },
    *rows(draws) {
      for (let n = 0; ; n++) {
        const usual = clean(draws)
        yield [
          `sku-${100_000 + n}`,
          `${draws.often(WORDS)} ${draws.often(WORDS)}`,
          n % every === every >> 1 ? odd(draws) : usual,
          draws.often(WORDS),
        ]
      }
    },
  }
}

function valid(name: string, spec: ColumnSpec, clean: Cell, odd: Cell): Kind {
  return { name, clean: narrow(spec, clean), odd: narrow(spec, clean, odd), limits: VALID }
}

/** What it costs to bear bad cells, by a reader of good files that throws. */
function bad(name: string, spec: ColumnSpec, clean: Cell, odd: string): Kind {
  return {
    name: `bad ${name}`,
    clean: narrow(spec, clean),
    odd: { ...narrow(spec, clean, () => odd), onBadCell: 'null' },
    limits: roads(2, 1.7),
  }
}

/** The rows of `varied` with one more column, which is text on the clean side. */
function items(name: string, spec: ColumnSpec, value: Cell, limit = 1.5): Kind {
  const side = (extra: ColumnSpec): Side => ({
    columns: {
      ...Object.fromEntries(
        varied.columns.map(column => [
          column,
          itemSchema.columns[column as keyof typeof itemSchema.columns],
        ]),
      ),
      extra,
    },
    *rows(draws) {
      for (const cells of varied.rows(1, Number.POSITIVE_INFINITY)) yield [...cells, value(draws)]
    },
  })
  return {
    name: `items with ${name}`,
    clean: side(text()),
    odd: side(spec),
    limits: { ndjson: limit, csv: limit },
    megabytes: 30,
  }
}

/** Rows of so many text cells of so many letters, which are read without a kind. */
function texts(columns: number, letters: number): Side {
  const names = Array.from({ length: columns }, (_, n) => `column${n}`)
  return {
    columns: Object.fromEntries(names.map(name => [name, text()])),
    *rows(draws) {
      const make = () =>
        draws
          .of(WORDS)
          .padEnd(letters, ` ${draws.often(WORDS)}`)
          .slice(0, letters)
      for (;;) yield names.map(make)
    },
  }
}

function sized(name: string, clean: Side, odd: Side, limits: Kind['limits']): Kind {
  return { name, clean, odd, limits, per: 'byte' }
}

function notUtf8(every: number): Kind {
  const word: Cell = draws => draws.of(WORDS)
  const broken: Cell = draws => `${word(draws)}${NO_UTF8}`
  const side = narrow(text(), word, broken, every)
  return {
    name: `row not UTF-8: 1 in ${every}`,
    clean: narrow(text(), word),
    odd: { ...side, leavesOutRows: true },
    limits: roads(1.3),
  }
}

const two = (draws: Draws) => `${draws.between(10, 99)}`
const digits = (draws: Draws, length: number) =>
  `${draws.between(1, 9)}${draws.letters('0123456789', length - 1)}`
const price: Cell = draws => `${draws.below(3000)}.${two(draws)}`
const small: Cell = draws => `${draws.below(100_000)}`
const large: Cell = draws => digits(draws, 12)
const words: Cell = draws => draws.list(3, () => draws.often(WORDS)).join(',')
const ending = (last: string) => (draws: Draws) => `${words(draws)},${last}`
const countries = (draws: Draws) => COUNTRIES.filter(() => draws.oneIn(8))
const pair = (draws: Draws, name: string) => `${base64(name)}:${base64(draws.often(WORDS))}`
const pairs: Cell = draws => draws.list(5, () => pair(draws, draws.often(WORDS))).join(';')
const members = (separator: string, member: Cell) => (draws: Draws) =>
  draws.list(4, () => member(draws)).join(separator)
const day: Cell = draws => `2026-0${draws.between(1, 9)}-${draws.between(10, 28)}`
const half: Cell = draws => `${draws.below(1000)}.5`
const instant: Cell = draws =>
  `${day(draws)}T${draws.between(10, 23)}:${draws.between(10, 59)}:15.250Z`
const flag: Cell = draws => draws.of(['true', 'false'])
const object: Cell = draws => `{"size":${draws.below(100)},"colour":"${draws.often(WORDS)}"}`
const conditions = ['New', 'Used', 'Open box', 'Refurbished', 'For parts'] as const
const condition: Cell = draws => draws.of(conditions)

/** One of so many texts of equal length. */
function choice(count: number): Side {
  const codes = Array.from({ length: count }, (_, n) => `C${1000 + n}`)
  return narrow(oneOf(codes), draws => draws.of(codes))
}

export const kinds: readonly Kind[] = [
  valid('decimal: 9 digits before the point', decimal(), price, d => `${digits(d, 9)}.00`),
  valid('decimal: 20 digits', decimal(), price, draws => digits(draws, 20)),
  valid('decimal: zeros behind', decimal(), price, draws => `${price(draws)}0000000000`),
  valid('decimal of scale 2: 18 digits', decimal({ scale: 2 }), price, d => `${digits(d, 16)}.25`),
  valid('decimal of scale 2: zeros behind', decimal({ scale: 2 }), price, d => `${half(d)}00`),
  valid('int64: 19 digits', int64(), large, draws => `1${digits(draws, 18)}`),
  valid('int32: zeros in front', int32(), small, draws => small(draws).padStart(20, '0')),
  valid('int64: zeros in front', int64(), large, draws => large(draws).padStart(22, '0')),
  valid('list: member ends outside ASCII', list(','), words, ending('Café')),
  valid('list: member begins outside ASCII', list(','), words, ending('Éclair')),
  valid('list: no-break space at a member', list(','), words, ending('\u00a0Bar\u00a0')),
  valid('list: escaped quote', list(','), words, ending('12" pipe')),
  valid(
    'countries: name outside ASCII',
    list('|'),
    draws => countries(draws).join('|'),
    draws => [...countries(draws), 'ÉUROPE'].join('|'),
  ),
  valid(
    'regions: name outside ASCII',
    regions(),
    draws => regionsCell(countries(draws), REGIONS),
    draws => regionsCell(countries(draws), [...REGIONS, 'ÉUROPE']),
  ),
  valid(
    'aspects: label of 5 kB',
    aspects(),
    pairs,
    draws => `${pairs(draws)};${base64('label'.repeat(1000))}|${pair(draws, 'Size')}`,
  ),
  valid(
    'conditionDescriptors outside ASCII',
    conditionDescriptors(),
    draws => pair(draws, 'Grade'),
    draws => pair(draws, 'Größe'),
  ),
  {
    name: 'oneOf: escaped quote',
    clean: narrow(oneOf(conditions), condition),
    odd: narrow(oneOf([...conditions, 'Like "new"']), condition, () => 'Like "new"'),
    limits: VALID,
  },
  {
    name: 'list: notNull',
    clean: narrow(list(','), words),
    odd: narrow(list(',', text(), { notNull: true }), words),
    limits: VALID,
  },
  {
    name: 'list: separator of two characters',
    clean: narrow(list(','), words),
    odd: narrow(
      list('::'),
      members('::', draws => draws.often(WORDS)),
    ),
    limits: VALID,
  },
  valid('list of int32: zeros in front', list(',', int32()), members(',', small), draws =>
    members(',', small)(draws).padStart(40, '0'),
  ),
  valid('list of int64: 19 digits', list(',', int64()), members(',', large), draws =>
    members(',', d => `1${digits(d, 18)}`)(draws),
  ),
  valid('list of decimal: 20 digits', list(',', decimal()), members(',', price), draws =>
    members(',', d => digits(d, 20))(draws),
  ),
  valid('list of float64: 17 digits', list(',', float64()), members(',', half), draws =>
    members(',', d => `0.${digits(d, 17)}`)(draws),
  ),
  valid('list of timestamp: no ms', list(',', timestamp()), members(',', instant), draws =>
    members(',', instant)(draws).replaceAll('.250Z', 'Z'),
  ),
  valid('float64: 17 digits', float64(), half, draws => `0.${digits(draws, 17)}`),
  valid('float64: exponent', float64(), half, draws => `${half(draws)}e-7`),
  valid('json: line ends', json(), object, draws =>
    JSON.stringify(JSON.parse(object(draws)), null, 2),
  ),
  valid('json: 100 deep', json(), object, () => `${'['.repeat(100)}1${']'.repeat(100)}`),
  valid('json: 25 digits', json(), object, draws => `{"size":${digits(draws, 25)}}`),
  valid('date before 1970', date(), day, draws => `18${two(draws)}-12-31`),
  valid('timestamp: no ms', timestamp(), instant, d => instant(d).replace('.250Z', 'Z')),
  valid('boolean True', boolean(), flag, () => 'True'),
  valid('text: quotes and escapes', text(), words, draws => `12" ${words(draws)} \\ "new"`),
  notUtf8(300),
  notUtf8(10_000),

  bad('regions', regions(), draws => regionsCell(countries(draws), REGIONS), 'EUROPE|ASIA'),
  bad('conditionDescriptors', conditionDescriptors(), draws => pair(draws, 'Grade'), 'Grade:A'),
  bad('aspects', aspects(), pairs, 'Size:12'),
  bad('decimal', decimal(), price, '12,50'),
  bad('date', date(), day, '2026-02-30'),
  bad('timestamp', timestamp(), instant, '2026-02-30T10:00:00.000Z'),
  bad('boolean', boolean(), flag, 'yes'),
  bad('oneOf', oneOf(conditions), condition, 'Like new'),
  bad('int32', int32(), small, '12.5'),
  bad('int64', int64(), large, '12.5'),
  bad('float64', float64(), half, 'NaN'),
  bad('json', json(), object, '{'),
  bad('list of int32', list(',', int32()), members(',', small), '1,2,x'),
  {
    name: 'onBadCell null without a bad cell',
    clean: narrow(decimal(), price),
    odd: { ...narrow(decimal(), price), onBadCell: 'null' },
    limits: roads(1.5, 1.7),
  },

  items('a float64', float64(), half),
  items('json', json(), object),
  items('a list of int32', list(',', int32()), members(',', small)),
  items(
    "a list of separator '::'",
    list('::'),
    members('::', draws => draws.often(WORDS)),
  ),
  items(
    'a function of the caller',
    cell(value => Number.parseFloat(value)),
    half,
    2.5,
  ),
  { name: 'oneOf of 2000 by 5', clean: choice(5), odd: choice(2000), limits: VALID },
  {
    name: 'date by timestamp',
    clean: narrow(timestamp(), instant),
    odd: narrow(date(), day),
    limits: ALL_ROADS,
  },
  // Each column costs a call for each batch, which has few rows of so many columns, and V8 makes slow
  // objects of more than a thousand properties.
  sized('2000 columns by 50', texts(50, 7), texts(2000, 7), { columns: 4, csv: 3, objects: 4 }),
  sized('rows of 400 kB by 4 kB', texts(40, 100), texts(40, 10_000), ALL_ROADS),
  // A batch of more than 512 KiB goes through the host.
  sized('cells of 300 kB by 3 kB', texts(2, 3000), texts(2, 300_000), {
    ...roads(2.5),
    objects: 1.5,
  }),
]
