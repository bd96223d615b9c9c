// The TSV parser: turns bytes into row batches. It owns the order of header, rows, bad rows and
// end, and the positions. read-row.ts defines what a row is, and the engines behind scanner.ts scan
// fast. The file is one piece because all of this moves one position.
//
// After a bad row the parser continues at the next line, even where a quote had run over that line.
// So a quote that never closes costs one row and not the file. The parser reads the lines that the
// bad row had run over again, with quotes confined to their line, so it reads each byte at most
// twice.
//
// Where bad rows are reported (`onBadRow` throws or is a function), the parser ends the batch
// before a bad row and gives it first. Under 'skip' nothing is reported, and the batch continues
// after the bad row, which leaves a gap in it.
//
// If you change where a batch or a row ends, also change read-row.ts and the other scanners behind
// scanner.ts.

import { isUtf8 } from 'node:buffer'
import { PAUSE, type Pause } from '../../core/steps'
import { FeedError, type RowPosition } from '../../errors'
import type { Columns, FeedFile, FeedSchema } from '../../schema/feed-schema'
import { type Loan, loanOf } from '../loan'
import type { FileProgress, RowBatch } from '../row-batch'
import { type BadRowPolicy, type BadRowReason, badRow, badRowError, badRowsLimit } from './bad-row'
import { Block } from './block'
import { type BoundHeader, bindHeader } from './header'
import { readHeader } from './read-header'
import { endOfMiscountedLine, nextLine, readRow } from './read-row'
import { type PlacedRow, RowCollector } from './row-collector'
import type { RowGap } from './row-gaps'
import { appendRow, type GoodRow } from './scan-space'
import type { ScanSpace, TsvScanner } from './scanner'
import { tsvScanner } from './tsv-scanner'

export interface TsvParserOptions<C extends Columns> {
  readonly schema: FeedSchema<C>
  /**
   * Which file this is; every batch carries it. A function is asked once, when the header is read.
   */
  readonly file?: FeedFile | (() => FeedFile)
  /**
   * Those of the batches, by name, in this order; the file's when absent. COLUMN_UNKNOWN for one
   * that neither schema nor file has.
   */
  readonly columns?: readonly string[]
  readonly onBadRow?: BadRowPolicy
  /**
   * Rows that may be left out, with `onBadRow` other than 'throw': one more ends the stream with
   * TSV_BAD_ROWS_LIMIT. No limit by default.
   */
  readonly maxBadRows?: number
  /**
   * What bytes that are not UTF-8 make of their row: a bad row, or text with U+FFFD in it, counted.
   */
  readonly invalidUtf8?: 'bad-row' | 'replace'
  /**
   * Bytes of a row, line end included, at the most, the header line among them; also how far an
   * open quote is followed.
   */
  readonly maxRowBytes?: number
  /**
   * Bytes of the file in a batch, unless one row is longer; with `columns`, of those, and up to
   * four times more.
   */
  readonly batchBytes?: number
  readonly scanner?: TsvScanner
  /**
   * A batch is good only until the next is asked for: it may lie where it was read. Its rows must
   * not be kept, detached ones excepted.
   */
  readonly lends?: boolean
  /**
   * Goes on where another parser's `saveState` was called, with the bytes that were pushed after
   * it.
   */
  readonly start?: TsvParserState
}

/** Where a parser stands between two pushes. */
export interface TsvParserState {
  readonly headings: readonly string[]
  /** File offset of `rest`. */
  readonly byteOffset: number
  /** Rows and lines before `rest`. */
  readonly row: number
  readonly line: number
  readonly confinedUntil: number
  readonly discarding: boolean
  readonly badRows: number
  readonly replacedRows: number
  /** Bytes that were pushed and not read yet. */
  readonly rest: Uint8Array
}

/**
 * Where few columns are kept a block is not a batch, and a larger one costs less for each row: so
 * many times `batchBytes`, up to this size.
 */
const BATCHES_IN_BLOCK = 4
const MOST_BLOCK_BYTES = 1 << 20
const NOTHING = new Uint8Array()
/**
 * Bytes that are read without a batch, at the most, before PAUSE is given: about a millisecond's
 * work where all rows are bad.
 */
const PAUSE_BYTES = 1 << 16
/** Bad rows likewise. */
const PAUSE_ROWS = 1 << 10
/**
 * Behind a bad row: where bad rows are many, calling the scan engine for the few rows between them
 * costs more than reading these one by one.
 */
const SLOW_BYTES = 128

/** @typeParam K the columns of its batches */
export class TsvParser<C extends Columns, K extends Columns = C> {
  /** Rows left out by `onBadRow`. */
  badRows = 0
  /** Rows read with U+FFFD in place of bytes that are not UTF-8. */
  replacedRows = 0

  readonly #options: Required<Omit<TsvParserOptions<C>, 'start' | 'columns'>>
  readonly #columns: readonly string[] | undefined
  readonly #block: Block
  readonly #progress: FileProgress = { complete: false }
  /** One for all pushes: a generator for each would cost more than most batches. */
  readonly #steps: IterableIterator<RowBatch<K> | Pause> = {
    next: () => {
      const value = this.#next()
      return value === undefined ? { done: true, value } : { done: false, value }
    },
    [Symbol.iterator]: () => this.#steps,
  }
  /** What was pushed and is not in the block. */
  #input: Uint8Array = NOTHING
  /** The input lies in a lender's memory, with what the block held before it. */
  #isThere = false
  /** The block is whole and not read to its end. */
  #isReading = false
  /** There is no more input. */
  #final = false
  #header: BoundHeader<C> | undefined
  #rows: RowCollector<K> | undefined
  #space: ScanSpace | undefined
  /** Offset in the block of the next row. */
  #at = 0
  /** Rows and lines before `#at`; the header is row 0. */
  #row = 0
  #line = 1
  /** File offset up to which quotes are confined to their line. */
  #confinedUntil = 0
  #discarding = false
  /** What is wrong with the row at `#at`, before which a batch ends. */
  #bad: LeftOut | undefined
  /** Rows left out behind the first row of the space, and how many they are. */
  #gaps: RowGap[] = []
  #gapRows = 0
  /** Behind the last batch. */
  #failure: { readonly error: unknown } | undefined

  constructor(options: TsvParserOptions<C>) {
    this.#options = {
      schema: options.schema,
      file: options.file ?? { feed: options.schema.feed },
      onBadRow: options.onBadRow ?? 'throw',
      maxBadRows: options.maxBadRows ?? Number.POSITIVE_INFINITY,
      invalidUtf8: options.invalidUtf8 ?? 'bad-row',
      maxRowBytes: options.maxRowBytes ?? 1 << 20,
      batchBytes: options.batchBytes ?? 1 << 16,
      scanner: options.scanner ?? tsvScanner(),
      lends: options.lends ?? false,
    }
    this.#columns = options.columns
    this.#block = new Block(blockBytesOf(this.#options.batchBytes, this.#columns))
    if (options.start) this.#startAt(options.start)
  }

  /**
   * All that another parser of the same options needs to go on from here; undefined before the
   * header was read, and, with `columns`, while rows wait for their batch. Call it between two
   * pushes.
   */
  saveState(): TsvParserState | undefined {
    if (this.#header === undefined || this.#rows?.isEmpty === false) return undefined
    const { bytes, filled, baseOffset } = this.#block
    return {
      headings: this.#header.columns.map(column => column.heading),
      byteOffset: baseOffset + this.#at,
      row: this.#row,
      line: this.#line,
      confinedUntil: this.#confinedUntil,
      discarding: this.#discarding,
      badRows: this.badRows,
      replacedRows: this.replacedRows,
      rest: bytes.slice(this.#at, filled),
    }
  }

  /**
   * Takes the next bytes of the file. Batches come as soon as a block is full; they own their
   * memory. The sequence must be used up before the next call. PAUSE stands in it where bad rows
   * alone were met for a while.
   * @param bytes are read where they lie, if they carry a loan and it lasts until the sequence is
   * used up. Otherwise they are copied.
   */
  steps(bytes: Uint8Array): Iterable<RowBatch<K> | Pause> {
    const loan = loanOf(bytes)
    this.#input = bytes
    if (loan && this.#canReadThere(bytes, loan)) this.#readThere(bytes)
    return this.#steps
  }

  /** The batches among `steps`, for a caller that has no event loop to think of. */
  push(bytes: Uint8Array): Iterable<RowBatch<K>> {
    return batchesAmong(this.steps(bytes))
  }

  /** The batches among `lastSteps`. */
  end(): Iterable<RowBatch<K>> {
    return batchesAmong(this.lastSteps())
  }

  /**
   * The end of the file: the last rows.
   * @throws FeedError TSV_EMPTY where not even a header came
   */
  *lastSteps(): Generator<RowBatch<K> | Pause, void, void> {
    this.#final = true
    this.#startReading()
    yield* this.#steps
    const last = this.#rows?.flush()
    if (last !== undefined) yield last
    if (this.#header === undefined)
      throw new FeedError('TSV_EMPTY', 'the file has no header line', { byteOffset: 0 })
    this.#progress.complete = true
  }

  /** Frees what the parser holds. Its batches stay. */
  destroy(): void {
    this.#options.scanner.release()
  }

  #startAt(start: TsvParserState): void {
    this.#bind(start.headings, { row: 0, line: 1, byteOffset: 0 })
    this.#row = start.row
    this.#line = start.line
    this.#confinedUntil = start.confinedUntil
    this.#discarding = start.discarding
    this.badRows = start.badRows
    this.replacedRows = start.replacedRows
    this.#block.startAt(start.byteOffset, start.rest)
  }

  #canReadThere(bytes: Uint8Array, loan: Loan): boolean {
    const { filled, size } = this.#block
    return (
      filled + bytes.length >= size &&
      loan.historyBytes >= filled &&
      this.#options.scanner.borrow(loan)
    )
  }

  /** What was filled in lies before the bytes. */
  #readThere(bytes: Uint8Array): void {
    const { filled } = this.#block
    this.#input = new Uint8Array(bytes.buffer, bytes.byteOffset - filled, filled + bytes.length)
    this.#isThere = true
    this.#block.takeBack()
    // The space of the engine is where it reads.
    this.#space =
      this.#header &&
      this.#rows &&
      this.#options.scanner.newSpace(this.#header.columns.length, this.#rows.wanted)
  }

  /** The next batch of what was pushed; undefined once that is used up. */
  #next(): RowBatch<K> | Pause | undefined {
    for (;;) {
      const waiting = this.#failure || this.#bad ? this.#rows?.flush() : undefined
      if (waiting !== undefined) return waiting
      if (this.#failure !== undefined) throw this.#failure.error
      if (this.#isReading) {
        const batch = this.#readOn()
        if (batch !== undefined) return batch
      } else if (!this.#fillBlock()) return undefined
    }
  }

  /** Puts input into the block. False when there is not enough to make it whole. */
  #fillBlock(): boolean {
    const block = this.#block
    if (this.#isThere && this.#input.length >= block.size)
      block.lend(this.#input.subarray(0, block.size))
    else {
      this.#isThere = false
      const rest = this.#input.subarray(block.fill(this.#input, 0))
      this.#input = rest.length > 0 ? rest : NOTHING
      if (!block.isFull) return false
    }
    this.#startReading()
    return true
  }

  #startReading(): void {
    this.#isReading = true
    if (this.#discarding) this.#discardLine(this.#block.bytes, this.#block.filled)
  }

  /** What was not read is the next block's. */
  #stopReading(): void {
    this.#isReading = false
    if (this.#final) return
    const block = this.#block
    const { baseOffset } = block
    block.dropBefore(this.#at)
    if (this.#isThere) this.#input = this.#input.subarray(block.baseOffset - baseOffset)
    this.#at = 0
  }

  /**
   * Reads on in the block.
   * @returns the next batch, if there is one before the end or a row that is left out
   */
  #readOn(): RowBatch<K> | Pause | undefined {
    if (this.#header === undefined) this.#readHeader(this.#final)
    if (this.#header && this.#rows)
      return this.#readRows(this.#header, this.#rows, this.#spaceFor(this.#header, this.#rows))
    this.#stopReading()
    return undefined
  }

  #spaceFor({ columns }: BoundHeader, { wanted }: RowCollector<K>): ScanSpace {
    return (this.#space ??= this.#options.scanner.newSpace(columns.length, wanted))
  }

  #readHeader(final: boolean): void {
    const { bytes, filled } = this.#block
    const bom = filled >= 3 && bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? 3 : 0
    if (filled === bom) return
    const line = readHeader(bytes, bom, filled, {
      final,
      maxRowBytes: this.#options.maxRowBytes,
      schema: this.#options.schema,
    })
    if (line === undefined) return
    this.#bind(line.headings, { row: 0, line: 1, byteOffset: bom })
    this.#at = line.next
    this.#line = 2
  }

  #bind(headings: readonly string[], position: RowPosition): void {
    const { schema, file, batchBytes, scanner, lends } = this.#options
    const header = bindHeader(schema, headings, position)
    this.#rows = new RowCollector<K>({
      header,
      columns: this.#columns,
      file: typeof file === 'function' ? file() : file,
      progress: this.#progress,
      batchBytes,
      scanner,
      lends,
      takes: (bytes, row) => this.#takesRow(bytes, row),
    })
    this.#header = header
  }

  #readRows(
    header: BoundHeader<C>,
    rows: RowCollector<K>,
    space: ScanSpace,
  ): RowBatch<K> | Pause | undefined {
    const { bytes, filled } = this.#block
    const { scanner, maxRowBytes } = this.#options
    const startedAt = this.#at
    const { badRows } = this
    let next = this.#bad ? this.#leaveOut(this.#bad, this.#at, filled) : this.#at
    let slowUntil = this.badRows === badRows ? 0 : next + SLOW_BYTES
    for (;;) {
      if (next >= slowUntil && next < filled && !this.#isConfined(next))
        next = scanner.scan(bytes, next, filled, maxRowBytes, space)
      if (space.rows === space.maxRows) return this.#take(rows, space, next)
      const badBefore = this.badRows
      next = this.#skipLines(next, filled, header.columns.length, space)
      const reading = next < filled ? this.#readOne(next, filled, this.#final, header) : INCOMPLETE
      if (reading.kind === 'row') next = appendRow(space, bytes, next, reading)
      else if (reading.kind === 'left-out' && this.#canSkip(next, filled, space))
        next = this.#skip(reading, next, filled, space)
      else if (reading.kind === 'left-out' && space.rows === 0 && rows.isEmpty)
        next = this.#leaveOut(reading, next, filled)
      else {
        const batch = this.#take(rows, space, Math.min(next, filled))
        if (reading.kind === 'left-out') this.#bad = reading
        else this.#stopReading()
        return batch ?? (this.badRows === badRows ? undefined : PAUSE)
      }
      if (this.badRows !== badBefore) slowUntil = next + SLOW_BYTES
      if (
        this.badRows - badRows >= PAUSE_ROWS ||
        (this.badRows !== badRows && next - startedAt >= PAUSE_BYTES)
      ) {
        return this.#take(rows, space, next) ?? PAUSE
      }
    }
  }

  /**
   * Leaves out the lines from `from` on that have no quoted cell and not the right number of cells.
   * @returns where the next one begins
   */
  #skipLines(from: number, filled: number, columns: number, space: ScanSpace): number {
    const { onBadRow, maxRowBytes } = this.#options
    if (onBadRow !== 'skip') return from
    const { bytes } = this.#block
    const most = this.#mostSkips(space)
    const stop = Math.min(filled, from + PAUSE_BYTES)
    let at = from
    let lines = 0
    while (at < stop && lines < most) {
      const end = endOfMiscountedLine(bytes, at, Math.min(filled, at + maxRowBytes), columns)
      if (end < 0) break
      at = end
      lines++
    }
    if (lines > 0) this.#noteSkipped(lines, from, at, space)
    return at
  }

  /**
   * Leaves out the row at `from`, whose line ends in the block.
   * @returns where the next one begins
   */
  #skip({ readTo }: LeftOut, from: number, filled: number, space: ScanSpace): number {
    const { bytes, baseOffset } = this.#block
    const next = nextLine(bytes, from, filled)
    this.#confinedUntil = Math.max(this.#confinedUntil, baseOffset + readTo)
    this.#noteSkipped(1, from, next, space)
    return next
  }

  /**
   * Whether the row at `from` is left out without a word to anybody if it is bad. One whose line is
   * too long to be here is not.
   */
  #canSkip(from: number, filled: number, space: ScanSpace): boolean {
    const { onBadRow, maxRowBytes } = this.#options
    if (onBadRow !== 'skip' || this.#mostSkips(space) < 1) return false
    return nextLine(this.#block.bytes, from, Math.min(filled, from + maxRowBytes)) >= 0
  }

  /**
   * Rows of the space may still turn out to be bad, as bytes that are not UTF-8: they come before.
   */
  #mostSkips(space: ScanSpace): number {
    return this.#options.maxBadRows - this.badRows - space.rows
  }

  #noteSkipped(lines: number, from: number, next: number, space: ScanSpace): void {
    this.badRows += lines
    if (space.rows === 0) {
      this.#row += lines
      this.#line += lines
      this.#at = next
      return
    }
    const last = this.#gaps.at(-1)
    if (last?.slot === space.rows) last.rows += lines
    else this.#gaps.push({ slot: space.rows, rows: lines, from })
    this.#gapRows += lines
  }

  /** What the row at `from` is, the number of its cells and its size considered. */
  #readOne(
    from: number,
    filled: number,
    final: boolean,
    header: BoundHeader,
  ): GoodRow | { kind: 'incomplete' } | LeftOut {
    const { maxRowBytes: limitBytes } = this.#options
    const { bytes } = this.#block
    const isCut = filled - from > limitBytes
    const to = isCut ? from + limitBytes : filled
    const columns = header.columns.length
    const reading = readRow(bytes, from, to, {
      final: final && !isCut,
      linesInQuotes: !this.#isConfined(from),
      maxCells: columns,
    })
    if (reading.kind === 'row') {
      const reason = cellCountFault(reading.cellEnds.length, columns, reading.cellEnds[0] === from)
      if (reason === undefined) return reading
      return this.#judge({ reason, readTo: reading.next }, from, to, final || isCut)
    }
    if (reading.kind === 'bad') {
      const code =
        reading.fault === 'unclosed-quote' ? 'TSV_QUOTE_UNCLOSED' : 'TSV_QUOTE_TRAILING_TEXT'
      return this.#judge({ reason: { code }, readTo: reading.readTo }, from, to, final || isCut)
    }
    if (!isCut) return reading
    return {
      kind: 'left-out',
      reason: reading.insideQuotes
        ? { code: 'TSV_QUOTE_UNCLOSED' }
        : { code: 'TSV_ROW_TOO_LARGE', limitBytes },
      readTo: to,
    }
  }

  // A bad row is left out only when its first line is whole (or past the cap): its bytes are handed
  // over, and reading goes on behind them.
  #judge(
    bad: { reason: BadRowReason; readTo: number },
    from: number,
    to: number,
    isAll: boolean,
  ): LeftOut | { kind: 'incomplete' } {
    return isAll || nextLine(this.#block.bytes, from, to) >= 0
      ? { kind: 'left-out', ...bad }
      : { kind: 'incomplete' }
  }

  /**
   * Applies `onBadRow` to the row at `from`, of which somebody may be told.
   * @returns where reading goes on
   */
  #leaveOut({ reason, readTo }: LeftOut, from: number, filled: number): number {
    const { bytes, baseOffset } = this.#block
    const limit = Math.min(filled, from + this.#options.maxRowBytes)
    const next = nextLine(bytes, from, limit)
    const line = bytes.subarray(from, next < 0 ? limit : next)
    const failure = this.#report(
      reason,
      { row: ++this.#row, line: this.#line, byteOffset: baseOffset + from },
      line,
    )
    this.#bad = undefined
    if (failure !== undefined) throw failure
    this.#confinedUntil = Math.max(this.#confinedUntil, baseOffset + readTo)
    this.#at = next < 0 ? limit : next
    if (next >= 0) this.#line++
    else if (limit === from + this.#options.maxRowBytes) {
      this.#discarding = true
      this.#discardLine(bytes, filled)
    }
    return this.#at
  }

  /**
   * Hands a bad row to `onBadRow`.
   * @returns the error where the policy is to throw it, or the row is one too many
   */
  #report(reason: BadRowReason, place: RowPosition, line: Uint8Array): FeedError | undefined {
    const { onBadRow, maxBadRows } = this.#options
    if (onBadRow === 'throw') return badRowError(reason, place, line)
    if (this.badRows >= maxBadRows) return badRowsLimit(maxBadRows, place, line)
    this.badRows++
    if (onBadRow !== 'skip') onBadRow(badRow(reason, place, line))
    return undefined
  }

  #discardLine(bytes: Uint8Array, filled: number): void {
    const next = nextLine(bytes, this.#at, filled)
    this.#at = next < 0 ? filled : next
    if (next < 0) return
    this.#discarding = false
    this.#line++
  }

  /** Takes the rows out of the space, which end at `next`. @returns a batch, once there is one */
  #take(rows: RowCollector<K>, space: ScanSpace, next: number): RowBatch<K> | undefined {
    if (space.rows === 0) return undefined
    const { bytes, filled, baseOffset, isLent } = this.#block
    const place = {
      row: this.#row + 1,
      line: this.#line,
      byteOffset: baseOffset + space.rowStarts[0]!,
    }
    const batch = rows.collect({
      block: bytes,
      space,
      end: Math.min(next, filled),
      place,
      gaps: this.#gaps,
      stays: isLent,
    })
    this.#row += space.rows + this.#gapRows
    this.#line += space.rows + space.innerLines + this.#gapRows
    this.#at = next
    if (this.#gapRows > 0) {
      this.#gaps = []
      this.#gapRows = 0
    }
    space.rows = 0
    space.innerLines = 0
    return batch
  }

  /**
   * Whether a row that may not be UTF-8 is one of the file's. Behind one that the policy is to
   * throw there is none.
   */
  #takesRow(bytes: Uint8Array, row: PlacedRow): boolean {
    if (this.#failure !== undefined) return false
    if (isUtf8(bytes)) return true
    if (this.#options.invalidUtf8 === 'replace') {
      this.replacedRows++
      return true
    }
    try {
      const error = this.#report({ code: 'TSV_UTF8_INVALID' }, row.position, bytes)
      if (error !== undefined) this.#failure = { error }
    } catch (error) {
      // The caller's function threw. The rows before this one come first.
      this.#failure = { error }
    }
    return false
  }

  #isConfined(at: number): boolean {
    return this.#block.baseOffset + at < this.#confinedUntil
  }
}

function* batchesAmong<B>(steps: Iterable<B | Pause>): Generator<B, void, void> {
  for (const step of steps) if (step !== PAUSE) yield step
}

function blockBytesOf(batchBytes: number, columns: readonly string[] | undefined): number {
  return columns
    ? Math.max(batchBytes, Math.min(BATCHES_IN_BLOCK * batchBytes, MOST_BLOCK_BYTES))
    : batchBytes
}

/** There is no whole row. */
const INCOMPLETE = { kind: 'incomplete' } as const

/** A row that is not a row of the file. */
interface LeftOut {
  readonly kind: 'left-out'
  readonly reason: BadRowReason
  /** Where reading it had got to. */
  readonly readTo: number
}

function cellCountFault(
  cells: number,
  columns: number,
  isEmpty: boolean,
): BadRowReason | undefined {
  if (cells === columns) return undefined
  if (cells > columns) return { code: 'TSV_ROW_LONG', cells, columns }
  return cells === 1 && isEmpty
    ? { code: 'TSV_ROW_BLANK' }
    : { code: 'TSV_ROW_SHORT', cells, columns }
}
