// Copies rows into a table by one COPY for each header of their files, or of values that the caller
// writes. The rows of a target begin with the cells of `HEAD_COLUMNS`: the category, the version and
// the checksum. copy-rows.ts writes the cells of the feed behind them.

import {
  type BoundHeader,
  type Columns,
  compareVersions,
  type RegisterHead,
  type RowBatch,
} from '../../engine/index'
import type { Category } from '../../sync/index'
import { CopyBuffer, escapedCell } from './copy-buffer'
import type { CopyRows } from './copy-rows'
import type { CopyIn, PgConnection } from './pg-adapter'
import { quoted } from './sql-names'

export interface TableCopyOptions {
  /** The quoted name of the table. */
  readonly table: string
  /** The names of the columns before those of the feed. */
  readonly head: readonly string[]
  /** Returns what writes the rows of a header. */
  rowsOf(header: BoundHeader<Columns>): CopyRows
}

export class TableCopy {
  readonly buffer = new CopyBuffer()
  readonly #connection: PgConnection
  readonly #options: TableCopyOptions
  #header: BoundHeader<Columns> | undefined
  #rows: CopyRows | undefined
  #copy: CopyIn | undefined

  constructor(connection: PgConnection, options: TableCopyOptions) {
    this.#connection = connection
    this.#options = options
  }

  /** Returns a function that writes the cells of a slot of the batch to {@link buffer}. */
  async writer(batch: RowBatch<Columns>): Promise<(slot: number) => void> {
    if (this.#rows === undefined || batch.header !== this.#header) {
      this.#header = batch.header
      const rows = this.#options.rowsOf(batch.header)
      await this.#begin([...this.#options.head, ...rows.columns])
      this.#rows = rows
    }
    return this.#rows.writer(batch, this.buffer)
  }

  /** Lets the caller write the cells of these columns to {@link buffer}. */
  async beginValues(columns: readonly string[]): Promise<void> {
    if (this.#copy !== undefined && this.#rows === undefined) return
    this.#rows = undefined
    await this.#begin(columns)
  }

  /** Ends a row. Returns true where the caller has to {@link send} the text. */
  endRow(): boolean {
    this.buffer.endRow()
    return this.buffer.isFull
  }

  async send(): Promise<void> {
    await this.#copy?.write(this.buffer.take())
  }

  /** Resolves when the server has all rows. */
  async end(): Promise<void> {
    if (this.buffer.length > 0) await this.send()
    await this.#copy?.end()
    this.#copy = undefined
  }

  /** Ends the COPY without its rows. */
  async abort(): Promise<void> {
    if (!this.#connection.isLost) await this.#copy?.abort().catch(() => this.#connection.destroy())
  }

  /** Rows of another file may have other columns, which a COPY names once. */
  async #begin(columns: readonly string[]): Promise<void> {
    await this.end()
    this.#copy = await this.#connection.copy(
      `COPY ${this.#options.table} (${columns.map(quoted).join(', ')}) FROM STDIN WITH (FORMAT text, NULL '')`,
    )
  }
}

/** Writes the cells of `HEAD_COLUMNS`. Rows of one version share their text. */
export class CopyHeads {
  readonly #category: string
  #latest: RegisterHead['version'] | undefined
  #bytes = Buffer.alloc(0)

  constructor({ marketplace, categoryId }: Category) {
    this.#category = `${escapedCell(marketplace)}\t${escapedCell(categoryId)}`
  }

  write({ version, checksum }: RegisterHead, target: CopyBuffer): void {
    if (this.#latest === undefined || compareVersions(version, this.#latest) !== 0) {
      const { timeMs, removed, generatedMs } = version
      this.#latest = version
      this.#bytes = Buffer.from(`${this.#category}\t${timeMs}\t${removed}\t${generatedMs}\t`)
    }
    target.raw(this.#bytes, 0, this.#bytes.length)
    target.digits(checksum)
  }
}
