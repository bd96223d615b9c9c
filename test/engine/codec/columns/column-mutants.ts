// Tables of mutated cells of every kind, in random dialects; the first difference between the two
// ways to make columns of a table and the decoders of texts; and the smallest table that shows it.

import fc from 'fast-check'
import { type ColumnBatch, isText } from '../../../../src/engine/codec/columns/column-batch'
import type { ColumnData } from '../../../../src/engine/codec/columns/column-data'
import { misfit } from '../../../../src/engine/codec/columns/column-fit'
import {
  type ColumnEngine,
  decodeColumns,
} from '../../../../src/engine/codec/columns/decode-columns'
import { BatchJson } from '../../../../src/engine/codec/columns/rows-json'
import { exactJson, exactObject } from '../../../../src/engine/codec/json-cell'
import { arrowTypeOf, decoderOf } from '../../../../src/engine/codec/kinds/all-kinds'
import { invalidCell, isBadCell } from '../../../../src/engine/codec/kinds/kind-of-cells'
import type { RowBatch } from '../../../../src/engine/codec/row-batch'
import { TextBuffer } from '../../../../src/engine/codec/text-buffer'
import { TsvParser } from '../../../../src/engine/codec/tsv/parser'
import * as kinds from '../../../../src/engine/schema/column-kinds'
import type { ColumnSpec } from '../../../../src/engine/schema/column-spec'
import { defineSchema } from '../../../../src/engine/schema/feed-schema'
import type { Decimal } from '../../../../src/engine/schema/values'
import { type BadCell, BadCells } from '../../../../src/engine/stages/bad-cell-policy'
import { ColumnDecoder } from '../../../../src/engine/stages/column-decoder'
import { DELIMITERS, QUOTINGS } from '../../../tsv-text'
import {
  Bad,
  base64,
  cellOf,
  types as cellTypes,
  columns as kindsOfCells,
  type Name,
  outcome,
  pairs,
} from '../any-cells'

type Next = (below: number) => number

/** A kind of column, and the kind whose cells are mutated for it. */
interface Mutated {
  readonly spec: ColumnSpec
  readonly from: Name
}

const COLORS = Array.from({ length: 40 }, (_, n) => 'red'.repeat(1 + (n % 5)) + n)
const grams = kinds.cell(kilos => Number(kilos) * 1000 + 0, { as: kinds.int32() })

/** The columns of a table by their names. */
const mutatedColumns: Readonly<Record<string, Mutated>> = {
  ...Object.fromEntries(
    Object.entries(kindsOfCells).map(([name, spec]) => [name, { spec, from: name as Name }]),
  ),
  whole: { spec: kinds.decimal({ scale: 0 }), from: 'decimal' },
  cents: { spec: kinds.decimal({ scale: 2 }), from: 'decimal' },
  exact: { spec: kinds.decimal({ scale: 18 }), from: 'decimal' },
  fraction: { spec: kinds.decimal({ scale: 38 }), from: 'decimal' },
  grams: { spec: grams, from: 'decimal' },
  colors: { spec: kinds.oneOf('red', ...COLORS), from: 'oneOf' },
  spacedList: { spec: kinds.list(' '), from: 'commaList' },
  quoteList: { spec: kinds.list('"'), from: 'commaList' },
  wideList: { spec: kinds.list(', '), from: 'commaList' },
  prices: { spec: kinds.list('|', kinds.decimal()), from: 'numbers' },
  doubles: { spec: kinds.list(',', kinds.float64()), from: 'float64' },
  bigs: { spec: kinds.list('|', kinds.int64()), from: 'numbers' },
  flags: { spec: kinds.list('::', kinds.boolean()), from: 'boolean' },
  days: { spec: kinds.list('|', kinds.date()), from: 'date' },
  words: { spec: kinds.list('|', kinds.oneOf('red', 'green', 'ß')), from: 'oneOf' },
  someJson: { spec: kinds.json({ notNull: true }), from: 'json' },
  someText: { spec: kinds.text({ notNull: true }), from: 'text' },
  someNumber: { spec: kinds.int32({ notNull: true }), from: 'int32' },
  someList: { spec: kinds.list(',', kinds.text(), { notNull: true }), from: 'commaList' },
  someRegions: { spec: kinds.regions({ notNull: true }), from: 'regions' },
}
const NAMES = Object.keys(mutatedColumns)
/** Enough columns to give most cells a column of their own in a batch of one row. */
const WIDE = Array.from({ length: 4 * NAMES.length }, (_, n) => `${NAMES[n % NAMES.length]}.${n}`)

const mutatedOf = (column: string) => mutatedColumns[column.replace(/\.\d+$/, '')]!

const plainText = fc.constantFrom('Brand', 'Größe', '漢字', 'a long text of more than one step', '')
const piece = plainText.map(base64)
const place = fc.constantFrom('DE', 'AT', 'WORLDWIDE', 'ß', 'New York')
const places = fc.array(place, { minLength: 1, maxLength: 4 }).map(all => all.join('|'))

const fractionOf = (digits: string, places: number) =>
  places === 0 ? digits : digits.padStart(places + 1, '0').replace(RegExp(`(?=.{${places}}$)`), '.')
/** Doubles of many digits, and texts that lie half between two doubles. */
export const longDouble = fc.oneof(
  fc
    .tuple(fc.bigInt({ min: 0n, max: 10n ** 20n }), fc.nat(22), fc.integer({ min: -24, max: 24 }))
    .map(([digits, places, power]) => `${fractionOf(String(digits), places)}e${power}`),
  fc
    .tuple(fc.bigInt({ min: 0n, max: 10n ** 20n }), fc.nat(22))
    .map(([digits, places]) => fractionOf(String(digits), places)),
  fc
    .tuple(fc.bigInt({ min: 2n ** 51n, max: 2n ** 53n }), fc.constantFrom('5', '25', '75', '125'))
    .map(([whole, half]) => `${whole}.${half}`),
)

/** Good cells of the kinds of which `cellOf` has few. */
const goodCellOf: { readonly [N in Name]?: fc.Arbitrary<string> } = {
  aspects: pairs,
  conditionDescriptors: fc
    .array(fc.tuple(piece, fc.array(piece, { minLength: 1, maxLength: 3 })), { maxLength: 4 })
    .map(all => all.map(([name, values]) => `${name}:${values.join('|')}`).join(';')),
  regions: fc
    .tuple(places, places)
    .map(([countries, names]) => `COUNTRY:${countries};REGION:${names}`),
  decimal: fc
    .tuple(fc.bigInt({ min: -(10n ** 17n), max: 10n ** 17n }), fc.nat(99))
    .map(([whole, cents]) => `${whole}.${cents}`),
  oneOf: fc.constantFrom(...COLORS),
  float64: longDouble,
}

export interface MutatedCell {
  readonly bytes: Buffer
  /** True where the cell has quotes although it needs none. */
  readonly isQuoted: boolean
  /** True where a backslash that escapes nothing is not escaped. */
  readonly isBare: boolean
}

export interface MutatedTable {
  readonly columns: readonly string[]
  readonly rows: readonly (readonly MutatedCell[])[]
  readonly delimiter: (typeof DELIMITERS)[number]
  readonly quoting: (typeof QUOTINGS)[number]
  readonly batchBytes: number
  /** True where a cell may have bytes that are no UTF-8. */
  readonly replaces: boolean
}

/** The cells of each kind that are mutated. */
export interface SeedCells {
  readonly all: ReadonlyMap<string, readonly Buffer[]>
  readonly good: ReadonlyMap<string, readonly Buffer[]>
}

const SEEDS = 300

export function seedCells(seed: number): SeedCells {
  const sampled = new Map(
    cellTypes.map(from => {
      const cells = fc.oneof(cellOf[from], goodCellOf[from] ?? cellOf[from])
      return [from, fc.sample(cells, { seed, numRuns: SEEDS })]
    }),
  )
  const all = new Map<string, Buffer[]>()
  const good = new Map<string, Buffer[]>()
  for (const [name, { spec, from }] of Object.entries(mutatedColumns)) {
    const cells = sampled.get(from)!
    const taken = cells.filter(text => !(decoded(spec, text) instanceof Bad))
    all.set(
      name,
      cells.map(text => Buffer.from(text)),
    )
    good.set(
      name,
      taken.map(text => Buffer.from(text)),
    )
  }
  return { all, good }
}

/** A table of about some thousand cells. */
export function mutatedTable(seeds: SeedCells, next: Next): MutatedTable {
  const isTall = next(4) === 0
  const columns = isTall ? WIDE.slice(next(WIDE.length - 8)).slice(0, 8) : WIDE
  const dialect = {
    delimiter: DELIMITERS[next(DELIMITERS.length)]!,
    quoting: QUOTINGS[next(QUOTINGS.length)]!,
    replaces: next(3) === 0,
  }
  const rows = Array.from({ length: isTall ? 1 + next(900) : 32 }, () =>
    columns.map(column => {
      const name = column.replace(/\.\d+$/, '')
      const isGood = isTall ? next(2000) > 0 : next(2) === 0
      const from = (isGood ? seeds.good : seeds.all).get(name)!
      const seed = from[next(from.length)] ?? Buffer.alloc(0)
      const bytes = isGood ? seed : mutant(seed, from, next)
      return writable({ bytes, isQuoted: next(4) === 0, isBare: next(2) === 0 }, dialect)
    }),
  )
  // A byte order mark at the start of the file is no text, and other bytes, such as NULs, are those of
  // other formats.
  rows[0] = rows[0]!.map(cell => ({
    ...cell,
    bytes: cell.bytes.filter(byte => byte !== 0) as Buffer,
  }))
  const first = rows[0]![0]!
  if (!/^[\x20-\x7e]{4}/.test(first.bytes.toString('latin1')))
    rows[0]![0] = { ...first, bytes: Buffer.from('none') }
  const batchBytes = isTall ? 1 << 18 : [1, 1, 1, 4096][next(4)]!
  return { columns, rows, ...dialect, batchBytes }
}

const SPECIAL = Buffer.from('0123456789-.:;|,=+/ \t"\\\n\rTZaAeEx\0\u00e9\u2028\ufeff')

function mutant(seed: Buffer, others: readonly Buffer[], next: Next): Buffer {
  let bytes = Buffer.from(seed)
  for (let left = next(3); left > 0; left--) {
    const at = next(bytes.length + 1)
    const to = at + next(Math.min(bytes.length - at, 20) + 1)
    const [before, after] = [bytes.subarray(0, at), bytes.subarray(to)]
    const byte = Buffer.of(next(3) === 0 ? next(256) : SPECIAL[next(SPECIAL.length)]!)
    switch (next(7)) {
      case 0:
        bytes = Buffer.from(before)
        break
      case 1:
        bytes = Buffer.concat([before, after])
        break
      case 2:
        bytes = Buffer.concat([before, bytes.subarray(at, to), bytes.subarray(at, to), after])
        break
      case 3:
        bytes = Buffer.concat([before, others[next(others.length)]!.subarray(0, 200)])
        break
      case 4:
        bytes = Buffer.concat([before, byte, bytes.subarray(at)])
        break
      default:
        if (at < bytes.length) bytes[at] = byte[0]!
    }
  }
  return bytes.subarray(0, 2000)
}

type TableDialect = Pick<MutatedTable, 'delimiter' | 'quoting' | 'replaces'>

/** The cell, or an empty one where the dialect cannot write it. */
function writable(cell: MutatedCell, { delimiter, quoting, replaces }: TableDialect): MutatedCell {
  const bytes = replaces ? cell.bytes : Buffer.from(cell.bytes.toString())
  const isFine = quoting !== 'none' || !['\n', '\r', delimiter].some(byte => bytes.includes(byte))
  return { ...cell, bytes: isFine ? bytes : Buffer.alloc(0) }
}

const [QUOTE, BACKSLASH, LF, CR] = [0x22, 0x5c, 0x0a, 0x0d]

interface Written {
  readonly bytes: Buffer
  /** Where each row begins. */
  readonly places: readonly { readonly line: number; readonly byteOffset: number }[]
}

function writtenTable({ rows, delimiter, quoting }: MutatedTable): Written {
  const most = rows.flat().reduce((sum, { bytes }) => sum + 2 * bytes.length + 3, 0)
  const out = Buffer.alloc(most)
  const separator = delimiter.charCodeAt(0)
  const places = []
  let at = 0
  let line = 1
  for (const row of rows) {
    places.push({ line: line++, byteOffset: at })
    for (const cell of row) {
      at = writeCell(cell, out, at, quoting, separator)
      if (quoting !== 'none') for (const byte of cell.bytes) if (byte === LF) line++
      out[at++] = separator
    }
    out[at - 1] = LF
  }
  return { bytes: out.subarray(0, at), places }
}

function writeCell(
  { bytes, isQuoted, isBare }: MutatedCell,
  out: Buffer,
  at: number,
  quoting: MutatedTable['quoting'],
  separator: number,
): number {
  const needsQuotes =
    bytes[0] === QUOTE || bytes.some(byte => byte === LF || byte === CR || byte === separator)
  if (quoting === 'none' || !(needsQuotes || isQuoted)) return at + bytes.copy(out, at)
  out[at++] = QUOTE
  for (let n = 0; n < bytes.length; n++) {
    const byte = bytes[n]!
    const after = bytes[n + 1] ?? QUOTE
    const needsEscape =
      byte === QUOTE || (byte === BACKSLASH && !(isBare && after !== QUOTE && after !== BACKSLASH))
    if (quoting === 'doubled' && byte === QUOTE) out[at++] = QUOTE
    if (quoting === 'backslash' && needsEscape) out[at++] = BACKSLASH
    out[at++] = byte
  }
  out[at++] = QUOTE
  return at
}

const reasonOfNull = 'the cell is empty, and the column is notNull'

/** What the decoder of texts makes of a cell, as far as a column can have it. */
function decoded(spec: ColumnSpec, text: string): unknown {
  const { empty, decode } = decoderOf(spec)
  if (text === '') return spec.notNull ? new Bad(`${spec.type}: ${reasonOfNull}: `) : empty
  return outcome(() => {
    const value = decode(text)
    const reason = isText(spec) ? undefined : misfit(arrowTypeOf(spec), value)
    if (reason !== undefined) throw invalidCell(spec.type, reason, text)
    return value
  })
}

/** Says where the ways to read a table differ; undefined where they do not. */
export function difference(table: MutatedTable): string | undefined {
  const { bytes, places } = writtenTable(table)
  const { columns, delimiter, quoting, batchBytes, replaces } = table
  const parser = new TsvParser({
    schema: defineSchema({
      name: 'other',
      columns: Object.fromEntries(columns.map(name => [name, mutatedOf(name).spec])),
    }),
    dialect: { delimiter, quoting, header: columns },
    batchBytes,
    lends: true,
    invalidUtf8: replaces ? 'replace' : 'bad-row',
  })
  let row = 0
  function* differences(batches: Iterable<RowBatch>): Generator<string, void, void> {
    for (const batch of batches) {
      const fast = reading(batch, 'fast')
      const plain = reading(batch, 'plain')
      const found =
        differentArrays(fast.columns, plain.columns) ??
        differentTexts(fast.bad, plain.bad, 'the plain engine') ??
        differentValues(table, row, places, fast) ??
        differentLines(batch, 'lines') ??
        differentLines(withoutBadCells(batch), 'lines without bad cells')
      if (found !== undefined) yield found
      row += batch.length
    }
  }
  for (const found of differences(parser.push(bytes) as Iterable<RowBatch>)) return found
  for (const found of differences(parser.end() as Iterable<RowBatch>)) return found
  return row === table.rows.length ? undefined : `${row} of ${table.rows.length} rows are read`
}

/** The batch as a stage gives it that makes bad cells null. */
function withoutBadCells(batch: RowBatch): RowBatch {
  const stage: unknown = new ColumnDecoder({ onBadCell: 'null' })
  const [decoded] = (stage as { transform(batch: RowBatch): Iterable<RowBatch> }).transform(batch)
  return decoded!
}

/** Compares lines of JSON with those of the rows, one by one. */
function differentLines(batch: RowBatch, what: string): string | undefined {
  const module = linesOrError(() => {
    const out = new TextBuffer()
    new BatchJson().write(batch, out)
    return out.view().toString()
  })
  const rows = linesOrError(() =>
    Array.from(batch, row => `${exactJson(exactObject(row))}\n`).join(''),
  )
  return module === rows ? undefined : `${what}: ${module} of the module, ${rows} of the rows`
}

function linesOrError(lines: () => string): string {
  try {
    return lines()
  } catch (error) {
    if (!isBadCell(error)) throw error
    const { row, column } = error.context as { row: number; column: string }
    return `${row} ${column} ${error.message}`
  }
}

interface Reading {
  readonly columns: ColumnBatch
  readonly bad: readonly string[]
}

function reading(batch: RowBatch, engine: ColumnEngine): Reading {
  const bad: string[] = []
  const policy = new BadCells(cell => void bad.push(shownBad(cell)))
  return { columns: decodeColumns(batch, policy, engine), bad }
}

function shownBad({ error, column }: BadCell): string {
  const { type, reason, row, line, byteOffset, excerpt = '' } = error.context
  return `${error.code} ${column} ${row} ${line} ${byteOffset} ${type}: ${reason}: ${excerpt}`
}

function differentTexts(
  fast: readonly string[],
  others: readonly string[],
  other: string,
): string | undefined {
  for (let n = 0; n < Math.max(fast.length, others.length); n++)
    if (fast[n] !== others[n]) return `bad cells: fast ${fast[n]}, ${other} ${others[n]}`
  return undefined
}

function differentArrays(fast: ColumnBatch, plain: ColumnBatch): string | undefined {
  for (let n = 0; n < fast.columns.length; n++) {
    const { name, data } = fast.columns[n]!
    const found = differentData(data, plain.columns[n]!.data)
    if (found !== undefined) return `${name}: the engines differ in ${found}`
  }
  return undefined
}

function differentData(a: ColumnData, b: ColumnData): string | undefined {
  if (a.length !== b.length) return 'length'
  if (a.nullCount !== b.nullCount) return 'nullCount'
  if (!sameBytes(a.validity, b.validity)) return 'validity'
  if (!sameBytes(a.offsets, b.offsets)) return 'offsets'
  if (!sameBytes(a.values, b.values)) return 'values'
  for (let n = 0; n < a.children.length; n++) {
    const found = differentData(a.children[n]!, b.children[n]!)
    if (found !== undefined) return `${found} of child ${n}`
  }
  return undefined
}

function sameBytes(a: ColumnData['values'], b: ColumnData['values']): boolean {
  if (a === undefined || b === undefined) return a === b
  if (a.length !== b.length) return false
  for (let n = 0; n < a.length; n++) if (!Object.is(a[n], b[n])) return false
  return true
}

/** Compares the columns of a batch, whose first row is `first`, with the decoders of texts. */
function differentValues(
  { columns, rows }: MutatedTable,
  first: number,
  places: Written['places'],
  { columns: batch, bad }: Reading,
): string | undefined {
  const expectedBad: string[] = []
  for (let at = 0; at < columns.length; at++) {
    const name = columns[at]!
    const { spec } = mutatedOf(name)
    const column = batch.columns[at]!
    const { empty } = decoderOf(spec)
    for (let n = 0; n < batch.length; n++) {
      const row = first + n
      const text = rows[row]![at]!.bytes.toString()
      const value = decoded(spec, text)
      if (value instanceof Bad) {
        const { line, byteOffset } = places[row]!
        expectedBad.push(`CELL_INVALID ${name} ${row + 1} ${line} ${byteOffset} ${value.what}`)
      }
      const actual = column.get(n)
      if (!isSame(actual, value instanceof Bad ? empty : value))
        return `${name}, row ${row + 1}: the column has ${String(actual)}, the text ${text}`
    }
  }
  return differentTexts(bad, expectedBad, 'the decoder of texts')
}

function isSame(a: unknown, b: unknown): boolean {
  if (Object.is(a, b)) return true
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false
  if (a instanceof Date || b instanceof Date)
    return a instanceof Date && b instanceof Date && a.getTime() === b.getTime()
  if (a.constructor !== b.constructor) return false
  if (isDecimal(a) && isDecimal(b)) return shortest(a.text) === shortest(b.text)
  const keys = Object.keys(a)
  if (keys.length !== Object.keys(b).length) return false
  return keys.every(key => Object.hasOwn(b, key) && isSame(a[key as never], b[key as never]))
}

function isDecimal(value: object): value is Decimal {
  return 'toNumber' in value
}

/** A decimal without zeros at its edges. */
function shortest(text: string): string {
  const [whole = '', fraction = ''] = text.replace(/^(-?)0+(?=\d)/, '$1').split('.')
  const rest = fraction.replace(/0+$/, '')
  const short = rest === '' ? whole : `${whole}.${rest}`
  return short === '-0' ? '0' : short
}

/** Leaves out rows, columns and bytes of cells, as long as `differs` is true. */
export function smallest(
  table: MutatedTable,
  differs: (table: MutatedTable) => boolean,
): MutatedTable {
  let best = table
  const keeps = (smaller: MutatedTable) => {
    const isKept = differs(smaller)
    if (isKept) best = smaller
    return isKept
  }
  for (let size = best.rows.length >> 1; size >= 1; size >>= 1)
    for (let at = 0; at < best.rows.length && best.rows.length > size; )
      if (!keeps({ ...best, rows: best.rows.toSpliced(at, size) })) at += size
  for (let size = best.columns.length >> 1; size >= 1; size >>= 1)
    for (let at = 0; at < best.columns.length && best.columns.length - size >= 2; )
      if (!keeps(withoutColumns(best, at, size))) at += size
  for (let row = 0; row < best.rows.length; row++)
    for (let column = 0; column < best.columns.length; column++)
      for (let size = 64; size >= 1; size >>= 1)
        for (let at = 0; at < best.rows[row]![column]!.bytes.length; ) {
          const smaller = withoutBytes(best, row, column, at, size)
          if (smaller === undefined || !keeps(smaller)) at += size
        }
  return best
}

function withoutColumns(table: MutatedTable, at: number, count: number): MutatedTable {
  return {
    ...table,
    columns: table.columns.toSpliced(at, count),
    rows: table.rows.map(row => row.toSpliced(at, count)),
  }
}

/** Undefined where the cell does not become shorter: a part of a character becomes a whole one. */
function withoutBytes(
  table: MutatedTable,
  row: number,
  column: number,
  at: number,
  count: number,
): MutatedTable | undefined {
  const cells = table.rows[row]!
  const cell = cells[column]!
  const bytes = Buffer.concat([cell.bytes.subarray(0, at), cell.bytes.subarray(at + count)])
  const shorter = writable({ ...cell, bytes }, table)
  if (shorter.bytes.length >= cell.bytes.length) return undefined
  return { ...table, rows: table.rows.with(row, cells.with(column, shorter)) }
}
