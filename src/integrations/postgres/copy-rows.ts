// Rows of batches as the text of a COPY. Most bytes are copied as they are in the file, in runs
// over several cells, because a file has the same form: tabs between cells, and nothing for an
// empty one. The parser has refused rows that are not UTF-8. Only cells that COPY would read
// otherwise are written one by one: lists, pairs, quoted cells and cells that are no value of their
// column.
//
// If you change which bytes are copied, also change the escapes in copy-buffer.ts.

import type { BoundHeader, ColumnSpec, Columns, RowBatch, RowCells } from '../../engine/index'
import {
  AspectsJson,
  CELL_END,
  DOCUMENTED_CELLS,
  isBadCell,
  isDecimal,
  Row,
  readBoolean,
  readInt32,
  readTimestamp,
} from '../../engine/index'
import { type CopyBuffer, escapedCell, TAB } from './copy-buffer'
import {
  isEmptyList,
  jsonText,
  MAX_NUMERIC_CHARS,
  plainText,
  REST_COLUMNS,
  type SqlColumn,
  sqlTextOf,
} from './sql-types'

/** How the cells of a column are written. */
const RAW = 0
const INT32 = 1
const DECIMAL = 2
const BOOLEAN = 3
const TIMESTAMP = 4
/** The value is decoded and written as text of SQL. */
const VALUE = 5
/** A plainly good cell becomes JSON without a decoder; any other cell is written as a VALUE. */
const ASPECTS = 6
/** The table has no such column: the cell goes into `other` where the table has that. */
const OTHER = 7
/** The column is NOT NULL: an empty cell is no value of it. */
const REQUIRED = 8

const KINDS: Readonly<Record<string, number>> = {
  text: RAW,
  int32: INT32,
  decimal: DECIMAL,
  boolean: BOOLEAN,
  timestamp: TIMESTAMP,
  aspects: ASPECTS,
}

const NO_CELLS: Readonly<Record<string, string>> = {}

/** Writes the rows of files with one header. */
export class CopyRows {
  /** The names of the table's columns that the rows have, in the order of their text. */
  readonly columns: readonly string[]
  readonly #kinds: Uint8Array
  readonly #columns: readonly { readonly name: string; readonly write: ValueWriter }[]
  readonly #delimiter: number
  readonly #quote: number
  readonly #onInvalid: OnInvalid | undefined
  /** True before the first cell of a row. */
  #isFirst = false
  #aspects: AspectsJson | undefined
  #other: Record<string, string> = NO_CELLS
  #invalid: Record<string, string> = NO_CELLS

  /**
   * @param columns the table's columns of the feed
   * @param onInvalid decides about a cell that is no value of its column, in the table of a sink;
   * without it the cell is NULL and its text goes into the column `invalid`, as the cells without a
   * column go into `other`
   */
  constructor(header: BoundHeader<Columns>, columns: readonly SqlColumn[], onInvalid?: OnInvalid) {
    const known = new Map(columns.map(column => [column.feedName, column]))
    const bound = header.columns.map(({ name, spec, known: isKnown }) => {
      const column = isKnown || onInvalid !== undefined ? known.get(name) : undefined
      const kind = column === undefined ? OTHER : column.isRequired ? REQUIRED : kindOf(spec)
      return { name, spec, kind, column }
    })
    this.columns = [
      ...bound.flatMap(({ column }) => (column === undefined ? [] : [column.name])),
      ...(onInvalid === undefined ? Object.keys(REST_COLUMNS) : []),
    ]
    this.#kinds = Uint8Array.from(bound, ({ kind }) => kind)
    this.#columns = bound.map(({ name, spec, kind }) => ({
      name,
      write: valueWriter(spec, kind === REQUIRED),
    }))
    this.#delimiter = header.cells?.delimiter ?? DOCUMENTED_CELLS.delimiter
    this.#quote = header.cells?.quote ?? DOCUMENTED_CELLS.quote
    this.#onInvalid = onInvalid
  }

  /** Returns a function that writes the cells of a slot. The row of a target has its head before. */
  writer(batch: RowBatch<Columns>, target: CopyBuffer): (slot: number) => void {
    const { cells, index } = batch
    const aspects = new AspectsJson(batch)
    const special = new SpecialBytes(cells.bytes)
    const inRuns = this.#delimiter === TAB && !batch.hasDecodedCells
    return slot => {
      const first = slot * index.columns
      const start = index.rowStarts[slot]!
      const end =
        index.columns === 0 ? start : index.cellEnds[first + index.columns - 1]! & CELL_END
      this.#isFirst = this.#onInvalid !== undefined
      this.#aspects = aspects
      this.#cells(batch, slot, target, inRuns, inRuns && special.isIn(start, end))
      if (this.#onInvalid !== undefined) return
      this.#rest(this.#other, target)
      this.#rest(this.#invalid, target)
      this.#other = NO_CELLS
      this.#invalid = NO_CELLS
    }
  }

  /**
   * @param inRuns true where the bytes of plain cells, and the tabs between them, are copied
   * @param hasSpecial true where some of these bytes need an escape
   */
  #cells(
    batch: RowBatch<Columns>,
    slot: number,
    target: CopyBuffer,
    inRuns: boolean,
    hasSpecial: boolean,
  ): void {
    const { cells, index } = batch
    const { cellEnds } = index
    const kinds = this.#kinds
    const first = slot * index.columns
    let start = index.rowStarts[slot]! | 0
    /** Where the run of bytes begins that is not copied yet; -1 where there is none. */
    let run = -1
    for (let column = 0; column < kinds.length; column++) {
      const marked = cellEnds[first + column]!
      const end = marked & CELL_END
      const kind = kinds[column]!
      const isCopied =
        inRuns &&
        (start === end
          ? kind < OTHER
          : kind === RAW
            ? marked > 0 || cells.bytes[start] !== this.#quote
            : kind < VALUE && isPlain(kind, cells, start, end))
      if (isCopied) {
        if (run < 0) {
          // The separator before the cell is a part of the run, where the file has one.
          run = column === 0 || this.#isFirst ? start : start - 1
          if (run === start) this.#separate(target)
        }
      } else {
        if (run >= 0)
          copyRun(target, cells.bytes, run, kind === OTHER ? start - 1 : start, hasSpecial)
        else if (kind !== OTHER) this.#separate(target)
        run = -1
        if (kind !== OTHER) this.#value(batch, slot, column, start, end, target)
        else if (start !== end && this.#onInvalid === undefined) this.#keep(cells, slot, column)
      }
      start = end + 1
    }
    if (run >= 0) copyRun(target, cells.bytes, run, start - 1, hasSpecial)
  }

  #value(
    batch: RowBatch<Columns>,
    slot: number,
    column: number,
    start: number,
    end: number,
    target: CopyBuffer,
  ): void {
    const { cells } = batch
    const decoded = batch.decodedCells(column)
    const kind = this.#kinds[column]!
    if (decoded === undefined && start === end && kind < OTHER) return
    const { name, write } = this.#columns[column]!
    if (decoded === undefined && kind === RAW) {
      target.cell(cells.text(slot, column).toWellFormed())
      return
    }
    const json =
      decoded === undefined && kind === ASPECTS
        ? this.#aspects?.textOf(start, end, target.length)
        : undefined
    if (json !== undefined) {
      target.raw(json, 0, json.length)
      return
    }
    try {
      const reader = batch.projections.readers[column]!
      const value = decoded === undefined ? cells.value(slot, column, reader) : decoded[slot]
      if (value === null || value === undefined) {
        if (kind !== REQUIRED) return
      } else if (!(value === '' && kind === REQUIRED) && write(value, target)) return
    } catch (error) {
      if (!isBadCell(error)) throw error
    }
    if (this.#onInvalid === undefined) {
      if (this.#invalid === NO_CELLS) this.#invalid = {}
      this.#invalid[name] = cells.text(slot, column)
      return
    }
    const text = this.#onInvalid(new Row(batch, slot), name)
    if (text !== null) target.cell(text)
  }

  #keep(cells: RowCells, slot: number, column: number): void {
    const text = cells.text(slot, column)
    if (text === '') return
    if (this.#other === NO_CELLS) this.#other = {}
    this.#other[this.#columns[column]!.name] = text
  }

  #separate(target: CopyBuffer): void {
    if (this.#isFirst) this.#isFirst = false
    else target.tab()
  }

  #rest(cells: Readonly<Record<string, string>>, target: CopyBuffer): void {
    this.#separate(target)
    if (cells !== NO_CELLS) target.cell(jsonText(cells) ?? '')
  }
}

/** Only its decoder knows whether a decimal fits its scale. */
function kindOf({ type, scale }: ColumnSpec): number {
  return scale === undefined ? (KINDS[type] ?? VALUE) : VALUE
}

/** Returns the text that stands in place of a cell, or null, or throws. */
export type OnInvalid = (row: Row<Columns>, name: string) => string | null

type ValueWriter = (value: NonNullable<unknown>, target: CopyBuffer) => boolean

/** Values that rows share are frozen, so their bytes are made once. */
function valueWriter(spec: ColumnSpec, isRequired: boolean): ValueWriter {
  const textOf = sqlTextOf(spec)
  const shared = new WeakMap<object, Buffer>()
  return (value, target) => {
    if (typeof value === 'object') {
      const known = shared.get(value)
      if (known !== undefined) {
        target.raw(known, 0, known.length)
        return true
      }
      if (!isRequired && isEmptyList(spec, value)) return true
    }
    const text = textOf(value)
    if (text === undefined) return false
    if (typeof value === 'string') target.cell(plainText(text))
    else if (typeof value === 'object' && Object.isFrozen(value)) {
      const bytes = Buffer.from(escapedCell(text))
      shared.set(value, bytes)
      target.raw(bytes, 0, bytes.length)
    } else target.cell(text)
    return true
  }
}

/** Returns whether PostgreSQL reads the bytes of a cell as the value that they are in the feed. */
function isPlain(kind: number, { view }: RowCells, start: number, end: number): boolean {
  if (kind === INT32) return readInt32(view, start, end) !== undefined
  if (kind === DECIMAL) return end - start <= MAX_NUMERIC_CHARS && isDecimal(view, start, end)
  if (kind === BOOLEAN) return readBoolean(view, start, end) !== undefined
  return readTimestamp(view, start, end) !== undefined
}

function copyRun(
  target: CopyBuffer,
  bytes: Uint8Array,
  from: number,
  to: number,
  hasSpecial: boolean,
): void {
  if (to <= from) return
  if (hasSpecial) target.escapedRun(bytes, from, to)
  else target.raw(bytes, from, to)
}

/** Finds the bytes that COPY would not read as they are, which are rare. */
class SpecialBytes {
  readonly #bytes: Buffer
  readonly #next = [-1, -1, -1]

  constructor(bytes: Buffer) {
    this.#bytes = bytes
  }

  isIn(start: number, end: number): boolean {
    for (let n = 0; n < SPECIAL.length; n++) {
      if (this.#next[n]! < start) {
        const found = this.#bytes.indexOf(SPECIAL[n]!, start)
        this.#next[n] = found < 0 ? Number.POSITIVE_INFINITY : found
      }
      if (this.#next[n]! < end) return true
    }
    return false
  }
}

/** NUL, CR and backslash. */
const SPECIAL = [0x00, 0x0d, 0x5c]
