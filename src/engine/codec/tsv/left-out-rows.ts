// Leaves out bad rows and counts them. Under `onBadRow: 'skip'` the parser reports no bad row, so a
// batch goes on behind it, and does not show it. Otherwise the parser reports it, by an error or by
// a call, and ends the batch before it, so that the reader gets the rows before it first.
//
// Reading goes on behind the bad row. A quote that never closes costs one row and not the file: its
// row ends with the line of the quote. The lines behind it that the quote had run over are read
// again with quotes confined to their line, so each byte is read at most twice whatever the input.

import { isUtf8 } from 'node:buffer'
import type { FeedError, RowPosition } from '../../errors'
import { noPromise } from '../../options'
import type { FeedFile } from '../../schema/feed-schema'
import {
  type QuarantinedFile,
  quarantinedFile,
  type RowQuarantine,
} from '../quarantine/row-quarantine'
import {
  type BadRowPolicy,
  type BadRowReason,
  badRow,
  badRowError,
  badRowMessage,
  badRowsLimit,
} from './bad-row-report'
import type { FileRules } from './dialect'
import type { BoundHeader } from './header'
import type { InputWindow } from './input-window'
import type { LeftOutRow } from './judge-row'
import { endOfMiscountedLine, linesIn } from './read-row'
import { appendLeftOut, type ScanSpace } from './scan-space'

/**
 * The parser gives PAUSE when it has read so many bytes, bad rows among them, without a batch:
 * about a millisecond's work where all rows are bad.
 */
export const PAUSE_BYTES = 1 << 16

export interface LeftOutRowsOptions {
  readonly onBadRow: BadRowPolicy
  readonly maxBadRows: number
  readonly invalidUtf8: 'bad-row' | 'replace'
  readonly maxRowBytes: number
}

/** A row whose position is computed on demand. */
export interface PlacedRow {
  readonly position: RowPosition
}

export type RowVerdict = 'taken' | 'left-out' | 'last'

export class LeftOutRows {
  /** Rows that were left out. */
  count = 0
  /** Rows that were read with U+FFFD in place of bytes that are not UTF-8. */
  replaced = 0
  /** The bad row at the window's position, before which a batch ends. */
  pending: LeftOutRow | undefined
  /** The error that comes behind the last batch. */
  failure: { readonly error: unknown } | undefined
  /** How the file is written. */
  rules: FileRules
  readonly #options: LeftOutRowsOptions
  readonly #window: InputWindow
  readonly #quarantine: RowQuarantine | undefined
  #file: QuarantinedFile | undefined

  constructor(window: InputWindow, rules: FileRules, options: LeftOutRowsOptions) {
    this.#window = window
    this.rules = rules
    this.#options = options
    this.#quarantine = typeof options.onBadRow === 'object' ? options.onBadRow : undefined
    if (this.#quarantine !== undefined) window.onDiscard = bytes => this.#takeRest(bytes)
  }

  /** Says which file the rows belong to, before the first of them is left out. */
  beginFile(file: FeedFile, header: BoundHeader): void {
    if (this.#quarantine !== undefined) this.#file = quarantinedFile(file, header)
  }

  /**
   * Leaves out consecutive lines from `from` on that have no quoted cell and a wrong number of
   * cells, where the policy is to skip them. It passes at most PAUSE_BYTES and one line.
   * @param isFirst true where no row of a batch stands before them, so that they need no place in it
   * @returns where the next line begins
   */
  skipLines(from: number, space: ScanSpace, isFirst: boolean): number {
    const { maxRowBytes } = this.#options
    const { cells } = this.rules
    // A short or blank line need not be bad.
    if (cells.edits !== undefined) return from
    const { bytes, filled } = this.#window
    const most = isFirst ? this.#mostSkips(space) : this.#mostPlaces(space)
    const stop = Math.min(filled, from + PAUSE_BYTES)
    let at = from
    let lines = 0
    while (at < stop && lines < most) {
      const lineTo = Math.min(filled, at + maxRowBytes)
      const end = endOfMiscountedLine(bytes, at, lineTo, space.columns, cells)
      if (end < 0) break
      if (!isFirst) appendLeftOut(space, at)
      at = end
      lines++
    }
    this.count += lines
    if (isFirst) this.#window.advance(at, lines, lines)
    return at
  }

  /**
   * Leaves out the bad row at `from` behind other rows, where the policy is to skip it and it ends
   * in the block.
   * @returns where the next row begins; -1 where `leaveOut` has to treat the row
   */
  skip({ next, readTo }: LeftOutRow, from: number, space: ScanSpace): number {
    if (next < 0 || this.#mostPlaces(space) < 1) return -1
    this.#window.confineQuotesUntil(readTo)
    appendLeftOut(space, from)
    space.innerLines += linesIn(this.#window.bytes, from, next) - 1
    this.count++
    return next
  }

  /**
   * Applies `onBadRow` to the bad row at the window's position.
   * @returns where reading goes on
   * @throws what `onBadRow` throws; FeedError of the row, TSV_BAD_ROWS_LIMIT
   */
  leaveOut({ reason, next, readTo }: LeftOutRow): number {
    const window = this.#window
    const { bytes, filled, at } = window
    const { maxRowBytes } = this.#options
    const limit = Math.min(filled, at + maxRowBytes)
    const to = next < 0 ? limit : next
    const failure = this.#report(reason, window.positionOf(at), bytes.subarray(at, to))
    this.pending = undefined
    if (failure !== undefined) throw failure
    window.confineQuotesUntil(readTo)
    window.advance(to, 1, linesIn(bytes, at, to))
    if (next < 0 && limit === at + maxRowBytes) window.discardLine()
    return window.at
  }

  /**
   * Says whether a row, whose bytes may not be UTF-8, belongs into its batch; `last` where neither it
   * does nor any row behind it.
   */
  judge(bytes: Uint8Array, row: PlacedRow): RowVerdict {
    if (this.failure !== undefined) return 'last'
    if (isUtf8(bytes)) return 'taken'
    if (this.#options.invalidUtf8 === 'replace') {
      this.replaced++
      return 'taken'
    }
    try {
      const { encoding } = this.rules
      const error = this.#report({ code: 'TSV_UTF8_INVALID', encoding }, row.position, bytes)
      if (error !== undefined) this.failure = { error }
    } catch (error) {
      // The caller's function threw. The parser throws this behind the rows before the bad one.
      this.failure = { error }
    }
    return this.failure === undefined ? 'left-out' : 'last'
  }

  /**
   * How many rows may be left out until `maxBadRows` is reached. Each row of the space counts as
   * bad here, because its bytes may turn out not to be UTF-8.
   */
  #mostSkips(space: ScanSpace): number {
    const { onBadRow, maxBadRows } = this.#options
    return onBadRow === 'skip' ? maxBadRows - this.count - space.rows : 0
  }

  /** The same for rows that take a place in the space. */
  #mostPlaces(space: ScanSpace): number {
    return Math.min(this.#mostSkips(space), space.maxRows - space.rows)
  }

  /** Returns the error where the policy is to throw it, or the row is one too many. */
  #report(reason: BadRowReason, position: RowPosition, line: Uint8Array): FeedError | undefined {
    const { onBadRow, maxBadRows } = this.#options
    if (onBadRow === 'throw') return badRowError(reason, position, line)
    if (this.count >= maxBadRows) return badRowsLimit(maxBadRows, position, line)
    this.count++
    if (typeof onBadRow === 'function')
      noPromise('onBadRow', onBadRow(badRow(reason, position, line)))
    else if (onBadRow !== 'skip') {
      const message = badRowMessage(reason, position, line)
      this.#take(position, line, { code: reason.code, message })
    }
    return undefined
  }

  /** Gives the quarantine further bytes of a line that is too long. */
  #takeRest(bytes: Uint8Array): void {
    const { row, ...place } = this.#window.positionOf(this.#window.at)
    // Lines before the first row are no rows.
    if (bytes.length > 0 && row > 1) this.#take({ row: row - 1, ...place }, bytes, undefined)
  }

  #take(
    position: RowPosition,
    bytes: Uint8Array,
    reason: { readonly code: string; readonly message: string } | undefined,
  ): void {
    if (this.#file !== undefined)
      this.#quarantine?.take({ of: this.#file, position, bytes, reason })
  }
}
