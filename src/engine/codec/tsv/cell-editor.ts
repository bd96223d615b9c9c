// What a dialect changes in the cells of rows while they are copied: words for null, blanks, escapes,
// and which rows are left out. The copied cells are written by rules that every reader of rows knows,
// so that nothing behind the parser has to know the dialect.
//
// A cell gets quotes where its text would be read as another one without them.

import type { CellRules, RowEdits } from './cell-rules'
import { DOCUMENTED_CELLS } from './cell-rules'
import { closingQuote, quotedText } from './quoted-cell'
import { CELL_END, CELL_MARK, type RowIndex } from './scan-space'

const CR = 0x0d
const SPACE = 0x20
const BACKSLASH = 0x5c
const BYTE_ORDER_MARK = /^\ufeff/
/** What the character behind a backslash means, by its byte. */
const ESCAPED: Readonly<Record<number, number>> = { 116: 0x09, 110: 0x0a, 114: CR, 92: BACKSLASH }

export class CellEditor {
  /** How edited cells are written. */
  readonly cells: CellRules
  /** The column names of the file, once they are known. */
  headings: readonly string[] = []
  readonly #read: CellRules
  readonly #edits: RowEdits
  readonly #nulls: ReadonlySet<string>
  /** No longer cell is a word for null. */
  readonly #mostNullBytes: number

  /** @param read how the file writes its cells */
  constructor(read: CellRules) {
    const { delimiter, quote, escapedBy, edits = {} } = read
    this.cells = quote < 0 ? { ...DOCUMENTED_CELLS, delimiter } : { delimiter, quote, escapedBy }
    this.#read = read
    this.#edits = edits
    this.#nulls = new Set(edits.nulls)
    // In quotes each byte may be escaped.
    this.#mostNullBytes = Math.max(
      0,
      ...(edits.nulls ?? []).map(word => 2 * Buffer.byteLength(word) + 2),
    )
  }

  /** The most bytes of so many cells that have so many bytes. */
  static mostBytes(bytes: number, cells: number): number {
    return 2 * bytes + 2 * cells
  }

  /** Writes the cell `block[from, to)` into `target` at `at`. Returns where it ends there. */
  write(block: Buffer, from: number, to: number, target: Uint8Array, at: number): number {
    const [start, end] = this.#bounds(block, from, to)
    if (end - start <= this.#mostNullBytes && this.#nulls.has(this.#textBetween(block, start, end)))
      return at
    return this.#copy(block, start, end, target, at)
  }

  /** The mark of a written cell's end. */
  markOf(written: Uint8Array, from: number, to: number): number {
    let bits = 0
    for (let at = from; at < to; at++) bits |= written[at]!
    return bits >= 0x80 || (from < to && written[from] === this.cells.quote) ? CELL_MARK : 0
  }

  /** The text of a heading `block[from, to)`, which may be a word for null. */
  textOf(block: Buffer, from: number, to: number): string {
    const [start, end] = this.#bounds(block, from, to)
    const written = Buffer.allocUnsafe(CellEditor.mostBytes(end - start, 1))
    const { quote, escapedBy } = this.cells
    const size = this.#copy(block, start, end, written, 0)
    return written[0] === quote && size > 0
      ? quotedText(written, 0, size, quote, escapedBy)
      : written.toString('utf8', 0, size)
  }

  /** Returns whether a row is none of the file's: its header line again, or blank. */
  leavesOut(block: Buffer, { columns, rowStarts, cellEnds }: RowIndex, row: number): boolean {
    let start = rowStarts[row]!
    const ends = cellEnds.subarray(row * columns, (row + 1) * columns)
    const isBlank = columns === 1 && (ends[0]! & CELL_END) === start
    if (isBlank) return this.#edits.blankLines === 'skip'
    if (this.#edits.repeatedHeader !== 'skip') return false
    return this.headings.every((heading, column) => {
      const end = ends[column]! & CELL_END
      const text = this.textOf(block, Math.min(start, end), end)
      start = end + 1
      return text === heading || (column === 0 && text.replace(BYTE_ORDER_MARK, '') === heading)
    })
  }

  #bounds(block: Buffer, from: number, to: number): [from: number, to: number] {
    let [start, end] = [from, to]
    if (!this.#edits.trim) return [start, end]
    while (start < end && block[start]! <= SPACE) start++
    while (start < end && block[end - 1]! <= SPACE) end--
    return [start, end]
  }

  #textBetween(block: Buffer, from: number, to: number): string {
    const { quote, escapedBy } = this.#read
    return this.#isQuoted(block, from, to)
      ? quotedText(block, from, to, quote, escapedBy)
      : block.toString('utf8', from, to)
  }

  #isQuoted(block: Buffer, from: number, to: number): boolean {
    return (
      from < to &&
      block[from] === this.#read.quote &&
      closingQuote(block, from, to, this.#read, true) === to - 1
    )
  }

  #copy(block: Buffer, from: number, to: number, target: Uint8Array, at: number): number {
    const { quote, escapedBy } = this.cells
    const escapes = this.#edits.quoting === 'escapes'
    const isPlain =
      from === to ||
      this.#isQuoted(block, from, to) ||
      (block[from] !== quote &&
        block[to - 1] !== CR &&
        !(escapes && block.subarray(from, to).includes(BACKSLASH)))
    let end = at
    if (isPlain) {
      for (let next = from; next < to; next++) target[end++] = block[next]!
      return end
    }
    target[end++] = quote
    for (let next = from; next < to; next++) {
      const meant = escapes && block[next] === BACKSLASH ? ESCAPED[block[next + 1]!] : undefined
      const isEscape = meant !== undefined && next + 1 < to
      const byte = isEscape ? meant : block[next]!
      if (isEscape) next++
      if (byte === quote || byte === escapedBy) target[end++] = escapedBy
      target[end++] = byte
    }
    target[end++] = quote
    return end
  }
}
