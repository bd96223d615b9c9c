// The end of a profiled pipeline: it reads cells as the code of a user would, and drops them.

import { FeedError, type Row, type RowBatch, Stage } from '../../index'

/**
 * What is read of each row: the given number of first cells as text, all cells as an object of
 * strings, or all cells decoded.
 */
export type CellReading = number | 'objects' | 'typed'

/**
 * Takes rows and gives no output. A row with an invalid cell is counted, and the next row follows.
 */
export class ReadCells extends Stage<RowBatch, never> {
  /** The number of columns of the file. It is 0 before the first row. */
  columns = 0
  /** The number of rows with an invalid cell. */
  badRows = 0
  firstBad: FeedError | undefined
  readonly #reading: CellReading
  /** The columns that are read one by one. */
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
