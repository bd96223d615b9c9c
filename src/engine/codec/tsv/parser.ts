// The TSV parser: bytes in, row batches out. It decides the order of the work: header, rows, bad
// rows, end. input-window.ts has the bytes and the position in them, read-row.ts says what a row
// is, left-out-rows.ts leaves out bad rows, and tsv-scanner.ts finds the cells of good rows quickly. It
// is one piece, because each step of that order shares the window and the rows.
//
// If you change where a batch or a row ends, also change read-row.ts and src/engine/wasm/scan.ts.

import { PAUSE, type Pause } from '../../core/steps'
import { FeedError, type RowPosition } from '../../errors'
import type { Columns, FeedFile, FeedSchema } from '../../schema/feed-schema'
import { type Loan, loanOf } from '../loan'
import type { FileProgress, RowBatch } from '../row-batch'
import type { BadRowPolicy } from './bad-row-report'
import { CellEditor } from './cell-editor'
import { isDocumented } from './cell-rules'
import {
  type Dialect,
  dialectOfJsonLines,
  dialectOfSeparatorLine,
  type FileRules,
  rulesOf,
} from './dialect'
import { bindHeader } from './header'
import { InputWindow } from './input-window'
import { JsonRows, readNames, refuseArray } from './json-lines'
import { judgeRow } from './judge-row'
import { LeftOutRows, PAUSE_BYTES } from './left-out-rows'
import { checkLineEnd, passComments, passMark, readHeader } from './read-header'
import { RowCollector } from './row-collector'
import { appendLeftOut, appendRow, CELL_END, type ScanSpace } from './scan-space'
import { TsvScanner } from './tsv-scanner'
import { Utf8Input } from './utf8-input'

export interface TsvParserOptions<C extends Columns> {
  /** The columns and their types. Default: none, so every cell is text. */
  readonly schema: FeedSchema<C>
  /** How the file is written. Default: that of the documented files. */
  readonly dialect?: Dialect
  /**
   * `'table'` where the file is a table whatever its first 512 bytes and its label say. Without it,
   * a page of HTML or XML, JSON, an archive and data of another compression or encoding are refused.
   * With `'table-or-json-lines'` a file is read as with `quoting: 'json-lines'` where its first line
   * is an object of JSON, the second begins as one or the name of the file ends in `.ndjson` or
   * `.jsonl`, and the dialect has neither a quoting nor an option of tables. Default: none.
   */
  readonly content?: 'table' | 'table-or-json-lines'
  /**
   * Describes the file; every batch carries it. A function is called once, when the header is read.
   * Default: the feed that the schema names.
   */
  readonly file?: FeedFile | (() => FeedFile)
  /**
   * The projection: names of the columns of the batches, in this order. Without it batches have all
   * columns of the file. COLUMN_UNKNOWN for a name that neither schema nor file has.
   */
  readonly columns?: readonly string[]
  /**
   * What happens to a bad row: it ends the stream with its error, is left out, or goes to a
   * function and is left out. Default: `'throw'`.
   */
  readonly onBadRow?: BadRowPolicy
  /**
   * The most rows that may be left out, with `onBadRow` other than 'throw': one more ends the
   * stream with TSV_BAD_ROWS_LIMIT. Default: no limit.
   */
  readonly maxBadRows?: number
  /**
   * What happens to a row with bytes that are not UTF-8: it is a bad row, or its text gets U+FFFD
   * in their place and the row is counted. Default: `'bad-row'`.
   */
  readonly invalidUtf8?: 'bad-row' | 'replace'
  /**
   * The most bytes of a row or of the header line, its line end included. A quoted cell without a
   * closing quote is followed no further. Default: 1 MiB.
   */
  readonly maxRowBytes?: number
  /**
   * @internal Bytes of the file in a batch, unless one row is longer. With `columns` only the bytes of these
   * count, and a batch has at most five times as many. Default: 64 KiB.
   */
  readonly batchBytes?: number
  /**
   * @internal Lends batches: a batch is valid only until the caller asks for the next one, and may be a view
   * of the input. The caller must not keep rows unless it detaches them.
   */
  readonly lends?: boolean
  /** @internal Returns the path or the address of the file, as positions show it. */
  readonly origin?: () => string | undefined
  /**
   * @internal The input begins in the middle of a file, at the first byte of a row. The header line
   * of the file has these column names.
   */
  readonly startsAt?: { readonly columnNames: readonly string[]; readonly position: RowPosition }
}

/**
 * With a projection a batch has the rows of several blocks: a block is this many times
 * `batchBytes`, up to MOST_BLOCK_BYTES.
 */
const BATCHES_IN_BLOCK = 4
const MOST_BLOCK_BYTES = 1 << 20
/** The parser gives PAUSE when it has left out this many rows without a batch. */
const PAUSE_ROWS = 1 << 10
/**
 * Behind a shorter bad row the parser reads this many bytes row by row, because where one row is
 * bad, others are near, and the scanner would be called for few rows.
 */
const SLOW_BYTES = 128

const CR = 0x0d

type ParserSettings<C extends Columns> = TsvParserOptions<C> &
  Required<Pick<TsvParserOptions<C>, 'batchBytes' | 'maxRowBytes' | 'lends'>>

/** @typeParam K the columns of its batches */
export class TsvParser<C extends Columns, K extends Columns = C> {
  readonly #options: ParserSettings<C>
  #rules: FileRules
  readonly #scanner: TsvScanner
  readonly #window: InputWindow
  readonly #badRows: LeftOutRows
  readonly #progress: FileProgress = { complete: false }
  /** One iterator serves all pushes. */
  readonly #steps: IterableIterator<RowBatch<K> | Pause> = {
    next: () => {
      const value = this.#next()
      this.#hasBatch ||= value !== undefined && value !== PAUSE
      return value === undefined ? { done: true, value } : { done: false, value }
    },
    [Symbol.iterator]: () => this.#steps,
  }
  /** The collector of the file's rows; undefined until the header is read. */
  #rows: RowCollector<K> | undefined
  #hasBatch = false
  /** Makes UTF-8 of the file; undefined where it is UTF-8. */
  readonly #utf8: Utf8Input | undefined
  /** Changes cells; undefined where they stay as they are. */
  #editor: CellEditor | undefined
  /** Reads lines of JSON; undefined for a table. */
  #json: JsonRows | undefined
  /** Lines that are still to be passed over, before the header line and behind it. */
  #skipLines: number
  #unitLines: number
  /** True once the window is at the header line, or at the first row of a file without one. */
  #isPastStart = false
  /** True while a row that ends in CR CR LF would be the first sign of such a file. */
  #checksLineEnd: boolean
  /** The space of the rows in the current block; undefined until it is needed. */
  #space: ScanSpace | undefined

  constructor({ startsAt, ...options }: TsvParserOptions<C>) {
    const { columns, batchBytes = 1 << 16, maxRowBytes = 1 << 20, lends = false } = options
    this.#options = { ...options, batchBytes, maxRowBytes, lends }
    this.#checksLineEnd = startsAt === undefined
    this.#rules = rulesOf(options.dialect, options.schema)
    const { cells, encoding, skipLines, unitLines, isJson } = this.#rules
    this.#utf8 = encoding === undefined ? undefined : new Utf8Input(encoding)
    if (isJson) this.#json = new JsonRows(cells.edits?.nulls)
    else this.#editor = cells.edits && new CellEditor(cells)
    this.#skipLines = skipLines
    this.#unitLines = startsAt === undefined ? unitLines : 0
    this.#scanner = new TsvScanner(cells)
    this.#window = new InputWindow(blockBytesOf(batchBytes, columns), options.origin, bytes => {
      this.#space = undefined
      return this.#scanner.memoryFor(bytes)
    })
    this.#badRows = new LeftOutRows(this.#window, this.#rules, {
      onBadRow: options.onBadRow ?? 'throw',
      maxBadRows: options.maxBadRows ?? Number.POSITIVE_INFINITY,
      invalidUtf8: options.invalidUtf8 ?? 'bad-row',
      maxRowBytes,
    })
    if (startsAt === undefined) return
    this.#rows = this.#collectorFor(startsAt.columnNames, { row: 0, line: 1, byteOffset: 0 })
    this.#window.startAt(startsAt.position)
  }

  /** Rows left out by `onBadRow`. */
  get badRows(): number {
    return this.#badRows.count
  }

  /** Rows that were read, those that `onBadRow` has left out included. */
  get rowsRead(): number {
    return this.#window.rows
  }

  /** Rows read with U+FFFD in place of bytes that are not UTF-8. */
  get replacedRows(): number {
    return this.#badRows.replaced
  }

  /** The column names of the file, as it spells them; undefined until the header is read. */
  get columnNames(): readonly string[] | undefined {
    return this.#rows?.columnNames
  }

  /**
   * Takes the next bytes of the file. Batches come as soon as a block is full; without `lends` they
   * own their memory. The caller must use up the sequence before its next call. The sequence has a
   * PAUSE where the parser has met only bad rows for a while.
   * @param bytes are read in place if they carry a loan, which must last until the sequence is used
   * up. Otherwise the parser copies them.
   */
  steps(bytes: Uint8Array): Iterable<RowBatch<K> | Pause> {
    return this.#stepsOf(this.#utf8 ? this.#utf8.push(bytes) : bytes)
  }

  #stepsOf(bytes: Uint8Array): Iterable<RowBatch<K> | Pause> {
    const offered = loanOf(bytes)
    const loan = offered && this.#window.canBorrow(bytes, offered) ? offered : undefined
    if (loan === undefined) this.#window.take(bytes)
    else this.#window.borrow(bytes)
    this.#readIn(loan)
    return this.#steps
  }

  /** The batches of `steps` without PAUSE, for a caller that need not let the event loop turn. */
  push(bytes: Uint8Array): Iterable<RowBatch<K>> {
    return batchesAmong(this.steps(bytes))
  }

  /** The batches of `lastSteps` without PAUSE. */
  end(): Iterable<RowBatch<K>> {
    return batchesAmong(this.lastSteps())
  }

  /**
   * Ends the file, and gives its last rows.
   * @param headed true where a file without rows gives an empty batch, which has its columns
   * @throws FeedError TSV_EMPTY where the file should have a header line and has none
   */
  *lastSteps(headed = false): Generator<RowBatch<K> | Pause, void, void> {
    if (this.#utf8) yield* this.#stepsOf(this.#utf8.push(new Uint8Array(), true))
    this.#window.openLast()
    this.#readIn(undefined)
    yield* this.#steps
    const { columnNames } = this.#rules
    if (this.#rows === undefined && columnNames === undefined)
      throw new FeedError('TSV_EMPTY', `the file has no ${this.#json ? 'object' : 'header line'}`, {
        byteOffset: 0,
      })
    if (columnNames !== undefined)
      this.#rows ??= this.#collectorFor(columnNames, { row: 0, line: 1, byteOffset: 0 })
    const last = this.#rows?.flush(headed && !this.#hasBatch)
    if (last !== undefined) yield last
    this.#progress.complete = true
  }

  /** Releases the scanner. Batches stay valid. */
  destroy(): void {
    // `onBadRow` may destroy the parser while it reads a block, whose memory is then no other's.
    if (!this.#window.isOpen) this.#scanner.release()
  }

  /** The space of a scan lies in the memory that the scanner reads. */
  #readIn(loan: Loan | undefined): void {
    this.#scanner.borrow(loan)
    this.#space = undefined
  }

  /** Returns the next batch, or undefined once the input is used up. */
  #next(): RowBatch<K> | Pause | undefined {
    const badRows = this.#badRows
    for (;;) {
      const waiting = badRows.failure || badRows.pending ? this.#rows?.flush() : undefined
      if (waiting !== undefined) return waiting
      if (badRows.failure !== undefined) throw badRows.failure.error
      if (!this.#window.isOpen && !this.#window.open()) return undefined
      const batch = this.#readOn()
      if (batch !== undefined) return batch
    }
  }

  /** Reads on in the block. Returns the next batch, if there is one before the block ends. */
  #readOn(): RowBatch<K> | Pause | undefined {
    const rows = (this.#rows ??= this.#readHeader())
    if (rows && this.#unitLines > 0) this.#unitLines = this.#passLines(this.#unitLines)
    if (rows) return this.#readRows(rows, (this.#space ??= rows.newSpace()))
    this.#window.close()
    return undefined
  }

  #readHeader(): RowCollector<K> | undefined {
    const window = this.#window
    this.#isPastStart ||= this.#passStart()
    const { columnNames, cells, encoding } = this.#rules
    if (!this.#isPastStart || window.at >= window.filled) return undefined
    const place = { ...window.positionOf(window.at), row: 0 }
    if (this.#json) refuseArray(window, place)
    if (columnNames !== undefined) return this.#collectorFor(columnNames, place)
    const { schema, maxRowBytes } = this.#options
    if (this.#json) {
      const names = readNames(window, place, schema, maxRowBytes)
      return names && this.#collectorFor(names, place)
    }
    const editor = this.#editor
    const line = readHeader(window, place, { maxRowBytes, schema, cells, editor, encoding })
    if (line === undefined) return undefined
    const rows = this.#collectorFor(line.columnNames, place)
    this.#checksLineEnd = window.bytes[line.next - 2] !== CR
    window.advance(line.next, 0, line.lines)
    return rows
  }

  /** Moves past what stands before the header line. Returns false while more input is needed. */
  #passStart(): boolean {
    const window = this.#window
    const { content, dialect, schema } = this.#options
    if (window.baseOffset + window.at === 0) {
      const start = window.bytes.subarray(0, window.filled)
      const { file } = window.positionOf(0)
      const found = content === 'table-or-json-lines' && dialectOfJsonLines(start, dialect, file)
      if (found) this.#readBy(rulesOf(found, schema))
      passMark(window, this.#rules, content === 'table', this.#utf8?.start)
      const named = dialectOfSeparatorLine(start, dialect)
      this.#skipLines = Math.max(named ? 1 : 0, this.#skipLines)
      if (named !== undefined) this.#readBy(rulesOf(named, schema))
    }
    this.#skipLines = this.#passLines(this.#skipLines)
    return this.#skipLines === 0 && passComments(window, this.#rules)
  }

  /** Reads the file by these rules, which its first lines have shown. */
  #readBy(rules: FileRules): void {
    this.#rules = rules
    this.#badRows.rules = rules
    this.#scanner.cells = rules.cells
    if (rules.isJson) this.#json = new JsonRows(rules.cells.edits?.nulls)
    else if (rules.cells.edits) this.#editor = new CellEditor(rules.cells)
  }

  /** Passes over so many lines. Returns how many are left when the block ends. */
  #passLines(lines: number): number {
    let left = lines
    for (; left > 0 && this.#window.at < this.#window.filled; left--) this.#window.discardLine()
    return left
  }

  #collectorFor(columnNames: readonly string[], position: RowPosition): RowCollector<K> {
    const { schema, columns, file, batchBytes, lends } = this.#options
    const bound = bindHeader(schema, columnNames, position)
    const { cells } = this.#rules
    const editor = this.#editor
    if (editor !== undefined) editor.headings = columnNames
    const written = editor?.cells ?? cells
    const header = isDocumented(written) ? bound : { ...bound, cells: written }
    this.#json?.begin(bound, columns !== undefined)
    const fileOfRows = typeof file === 'function' ? file() : (file ?? { feed: schema.name })
    this.#badRows.beginFile(fileOfRows, cells.edits ? { ...bound, cells } : header)
    return new RowCollector<K>({
      header,
      editor,
      json: this.#json,
      columns,
      file: fileOfRows,
      progress: this.#progress,
      batchBytes,
      scanner: this.#scanner,
      lends,
      judge: (bytes, row) => this.#badRows.judge(bytes, row),
    })
  }

  #readRows(rows: RowCollector<K>, space: ScanSpace): RowBatch<K> | Pause | undefined {
    const window = this.#window
    const badRows = this.#badRows
    const scanner = this.#scanner
    const { bytes, filled } = window
    const { maxRowBytes } = this.#options
    const startedAt = window.at
    const countAtStart = badRows.count
    let next = badRows.pending ? badRows.leaveOut(badRows.pending) : startedAt
    let slowUntil = slowBehind(startedAt, next)
    for (;;) {
      space.isCut = false
      if (!this.#json && next >= slowUntil && next < filled && !window.isConfined(next))
        next = scanner.scan(bytes, next, filled, maxRowBytes, space)
      const from = next
      const countBefore = badRows.count
      const isFirst = space.rows === 0 && rows.isEmpty
      next = badRows.skipLines(next, space, isFirst)
      if (space.rows === space.maxRows) return this.#take(rows, space, next)
      const row = this.#json
        ? this.#json.judge(window, next, space, maxRowBytes)
        : judgeRow(window, next, space, maxRowBytes, this.#rules.cells)
      const skippedTo = row.kind === 'left-out' && !isFirst ? badRows.skip(row, next, space) : -1
      if (row.kind === 'row') next = appendRow(space, bytes, next, row, this.#rules.cells)
      else if (row.kind === 'blank') {
        appendLeftOut(space, next)
        next = row.next
      } else if (skippedTo >= 0) next = skippedTo
      else if (row.kind === 'left-out' && isFirst) next = badRows.leaveOut(row)
      else {
        const batch = this.#take(rows, space, Math.min(next, filled))
        if (row.kind === 'left-out') badRows.pending = row
        else window.close()
        return batch ?? (badRows.count === countAtStart ? undefined : PAUSE)
      }
      if (badRows.count !== countBefore) slowUntil = slowBehind(from, next)
      const leftOut = badRows.count - countAtStart
      if (leftOut >= PAUSE_ROWS || (leftOut > 0 && next - startedAt >= PAUSE_BYTES))
        return this.#take(rows, space, next) ?? PAUSE
    }
  }

  /** Takes the rows out of the space, which end at `next`. Returns a batch once there is one. */
  #take(rows: RowCollector<K>, space: ScanSpace, next: number): RowBatch<K> | undefined {
    if (space.rows === 0) return undefined
    const window = this.#window
    const place = window.positionOf(space.rowStarts[0]!)
    if (this.#checksLineEnd && !this.#json)
      checkLineEnd(window.bytes, space.cellEnds[space.columns - 1]! & CELL_END, place)
    this.#checksLineEnd = false
    // A batch has no place for rows that are left out behind its last one.
    const taken = space.rows
    const batch = rows.collect({
      block: window.bytes,
      space,
      end: Math.min(next, window.filled),
      place,
      stays: window.isLent,
    })
    window.advance(next, taken, taken + space.innerLines)
    space.rows = 0
    space.innerLines = 0
    return batch
  }
}

/** Where the scanner goes on behind bad rows, which end at `next`; 0 where there are none. */
function slowBehind(from: number, next: number): number {
  const bytes = next - from
  return bytes > 0 && bytes < SLOW_BYTES ? next + SLOW_BYTES : 0
}

function* batchesAmong<B>(steps: Iterable<B | Pause>): Generator<B, void, void> {
  for (const step of steps) if (step !== PAUSE) yield step
}

function blockBytesOf(batchBytes: number, columns: readonly string[] | undefined): number {
  return columns
    ? Math.max(batchBytes, Math.min(BATCHES_IN_BLOCK * batchBytes, MOST_BLOCK_BYTES))
    : batchBytes
}
