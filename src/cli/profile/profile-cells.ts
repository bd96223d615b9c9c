// What is done with the rows of a profiled file: cells are read, as the user's own code would read
// them, and dropped.

import { FeedError, type Row, type RowBatch, Stage } from '../../index'

/**
 * The first so many cells of each row as text, all of them as an object of strings, or all of them
 * decoded.
 */
export type CellReading = number | 'objects' | 'typed'

/**
 * The end of a chain: rows in, nothing out. A row with a cell that cannot be decoded is counted,
 * and costs itself only.
 */
export class ReadCells extends Stage<RowBatch, never> {
  /** Of the file; 0 before its first row. */
  columns = 0
  /** Rows with a cell that could not be decoded. */
  badRows = 0
  firstBad: FeedError | undefined
  readonly #reading: CellReading
  /** Columns read one by one. */
  #names: readonly string[] = []
  #header: RowBatch['header'] | undefined

  constructor(reading: CellReading) {
    super('reader')
    this.#reading = reading
  }

  protected override transform(batch: RowBatch): undefined {
    if (batch.header !== this.#header) this.#enter(batch.header)
    if (this.#reading === 'objects') for (const row of batch) row.toStrings()
    else if (this.#reading === 'typed') for (const row of batch) this.#decode(row)
    else for (const row of batch) for (const name of this.#names) row.text(name)
  }

  #enter(header: RowBatch['header']): void {
    this.#header = header
    this.columns = header.columns.length
    if (typeof this.#reading === 'number')
      this.#names = header.columns.slice(0, this.#reading).map(({ name }) => name)
  }

  #decode(row: Row): void {
    try {
      row.toObject()
    } catch (error) {
      if (!FeedError.is(error) || error.code !== 'CELL_INVALID') throw error
      this.badRows++
      this.firstBad ??= error
    }
  }
}
