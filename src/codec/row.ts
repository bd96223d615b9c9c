// One row of a batch, read cell by cell. Decoding is decode/cell-decoders.ts; where cells stand is the batch's.

import { type CellPosition, excerpt, FeedError, type RowPosition } from '../errors'
import type { CellOf, Columns, RowObject } from '../schema/feed-schema'
import type { CellType } from '../schema/values'
import { cellDecoders } from './decode/cell-decoders'
import type { RowBatch } from './row-batch'
import { rowTemplate } from './row-template'
import { unescapeCell } from './tsv/cell-text'
import { ROW_NON_ASCII } from './tsv/scanner'

const QUOTE = 0x22

/**
 * A view of one row. It pins its batch's block: keep `row.detach()`, not the row.
 * The strings and objects that its methods return never pin the batch (a string may share the text of its own row).
 */
export class Row<C extends Columns = Columns> {
  readonly batch: RowBatch<C>
  /** @internal Place in the batch's index, which a selection does not change. */
  readonly slot: number
  #text: string | undefined

  constructor(batch: RowBatch<C>, slot: number) {
    this.batch = batch
    this.slot = slot
  }

  /**
   * One cell with the type that the schema gives its column. Empty cells, and columns that this file lacks, are null
   * or an empty list; a column unknown to the schema is text.
   * @throws FeedError CELL_INVALID with the position, COLUMN_UNKNOWN for a name that neither schema nor file has
   */
  get<N extends (keyof C & string) | (string & {})>(name: N): CellOf<C, N> {
    const { header } = this.batch
    const column = header.indexes.get(name)
    if (column !== undefined) return this.#value(column) as CellOf<C, N>
    const absent = header.absent.get(name)
    if (absent === undefined) throw this.#unknown(name)
    return cellDecoders[absent].empty as CellOf<C, N>
  }

  /** One cell as the file's text, quotes and escapes undone; '' when empty. @throws FeedError COLUMN_UNKNOWN */
  text(name: (keyof C & string) | (string & {})): string {
    const column = this.batch.header.indexes.get(name)
    if (column !== undefined) return this.#cell(column)
    if (!this.batch.header.absent.has(name)) throw this.#unknown(name)
    return ''
  }

  /** All cells as a plain object, every schema column typed as by {@link get}. @throws FeedError CELL_INVALID */
  toObject(): RowObject<C> {
    const template = rowTemplate(this.batch.header)
    const object = template.typed()
    const { names } = template
    for (let column = 0; column < names.length; column++) object[names[column]!] = this.#value(column)
    return object as RowObject<C>
  }

  /** All cells of the file as a plain object of strings. */
  toStrings(): Record<string, string> {
    const template = rowTemplate(this.batch.header)
    const object = template.strings()
    const { names } = template
    const { block, index } = this.batch
    const { cellEnds } = index
    const first = this.slot * index.columns
    const from = index.rowStarts[this.slot]!
    const isPlain = (index.rowFlags[this.slot]! & ROW_NON_ASCII) === 0
    const text = this.#rowText()
    let start = from
    // The same as #cell for each column, with what they share taken out of the loop: this is where whole files are read.
    for (let column = 0; column < names.length; column++) {
      const end = cellEnds[first + column]!
      if (start < end) {
        object[names[column]!] = isPlain && block[start] !== QUOTE ? text.slice(start - from, end - from) : this.#textBetween(start, end)
      }
      start = end + 1
    }
    return object
  }

  /** What JSON.stringify writes of a row: {@link toObject}. */
  toJSON(): RowObject<C> {
    return this.toObject()
  }

  /** The file's columns in order, each with its typed value. */
  *[Symbol.iterator](): IterableIterator<[name: string, value: unknown]> {
    const { columns } = this.batch.header
    for (let column = 0; column < columns.length; column++) yield [columns[column]!.name, this.#value(column)]
  }

  /** A copy that holds only its own bytes: the form to keep. */
  detach(): Row<C> {
    return new Row(this.batch.copyOf(this.slot), 0)
  }

  /** Where the row stands in its file. */
  get position(): RowPosition {
    return this.batch.positionOf(this.slot)
  }

  #value(column: number): unknown {
    const decoded = this.batch.decodedCells(column)
    if (decoded !== undefined) return decoded[this.slot]
    const { type } = this.batch.header.columns[column]!
    const text = this.#cell(column)
    if (type === 'text') return text === '' && !this.#isQuoted(column) ? null : text
    return text === '' ? cellDecoders[type].empty : this.#decode(type, column, text)
  }

  #decode(type: CellType, column: number, text: string): unknown {
    try {
      return cellDecoders[type].decode(text)
    } catch (error) {
      if (!FeedError.is(error) || error.code !== 'CELL_INVALID') throw error
      const { name } = this.batch.header.columns[column]!
      const position: CellPosition = { ...this.position, column: name, excerpt: error.context.excerpt ?? excerpt(text) }
      throw new FeedError('CELL_INVALID', `${name}: ${error.message}`, { ...error.context, ...position }, { cause: error })
    }
  }

  #start(column: number): number {
    const { index } = this.batch
    return column === 0 ? index.rowStarts[this.slot]! : index.cellEnds[this.slot * index.columns + column - 1]! + 1
  }

  #end(column: number): number {
    const { index } = this.batch
    return index.cellEnds[this.slot * index.columns + column]!
  }

  #isQuoted(column: number): boolean {
    const start = this.#start(column)
    return start < this.#end(column) && this.batch.block[start] === QUOTE
  }

  #cell(column: number): string {
    const start = this.#start(column)
    const end = this.#end(column)
    return start === end ? '' : this.#textBetween(start, end)
  }

  #textBetween(start: number, end: number): string {
    if (this.batch.block[start] === QUOTE) return unescapeCell(this.#decodeText(start + 1, end - 1))
    return this.#decodeText(start, end)
  }

  #decodeText(start: number, end: number): string {
    const { block, index } = this.batch
    if (index.rowFlags[this.slot]! & ROW_NON_ASCII && hasNonAscii(block, start, end)) return block.toString('utf8', start, end)
    const from = index.rowStarts[this.slot]!
    return this.#rowText().slice(start - from, end - from)
  }

  // One copy of the row's text, of which cells are slices: cheaper than a call a cell, and what is kept pins one row only.
  #rowText(): string {
    const { block, index } = this.batch
    this.#text ??= block.toString('latin1', index.rowStarts[this.slot]!, this.#end(index.columns - 1))
    return this.#text
  }

  #unknown(name: string): FeedError {
    const known = this.batch.header.columns.map(column => column.name)
    return new FeedError('COLUMN_UNKNOWN', `no column ${name} in the schema or in the file`, { column: excerpt(name), known })
  }
}

function hasNonAscii(block: Uint8Array, start: number, end: number): boolean {
  for (let at = start; at < end; at++) if (block[at]! >= 0x80) return true
  return false
}
