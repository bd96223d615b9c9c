// Copies rows into a table by one COPY for each header of their files, or of values that the caller
// has. copy-rows.ts writes the rows.

import {
  type BoundHeader,
  type Columns,
  type RowBatch,
  sqlIdentifier,
  TextBuffer,
} from '../../engine/index'
import { type CopyRows, copyText } from './copy-rows'
import { COPY_BLOCK_BYTES, type CopyIn, type PgConnection } from './pg-adapter'

export interface TableCopyOptions {
  /** The sqlIdentifier name of the table. */
  readonly table: string
  /** Returns what writes the rows of a header. */
  rowsOf(header: BoundHeader<Columns>): CopyRows
}

/** Room for a block, and for the rows of a batch behind it. */
const TEXT_BYTES = 2 * COPY_BLOCK_BYTES

export class TableCopy {
  readonly #connection: PgConnection
  readonly #options: TableCopyOptions
  #text = new TextBuffer(TEXT_BYTES)
  /** The text that was given to the connection last. */
  #sent = new TextBuffer(TEXT_BYTES)
  #header: BoundHeader<Columns> | undefined
  #rows: CopyRows | undefined
  #copy: CopyIn | undefined

  constructor(connection: PgConnection, options: TableCopyOptions) {
    this.#connection = connection
    this.#options = options
  }

  async writeBatch(batch: RowBatch<Columns>): Promise<void> {
    if (this.#rows === undefined || batch.header !== this.#header) {
      this.#header = batch.header
      const rows = this.#options.rowsOf(batch.header)
      await this.#begin(rows.columns)
      this.#rows = rows
    }
    this.#rows.text.write(batch, this.#text)
    await this.#sendBlock()
  }

  /** Writes a row of values, as PostgreSQL reads them, into these columns. */
  async writeValues(columns: readonly string[], values: readonly unknown[]): Promise<void> {
    if (this.#copy === undefined || this.#rows !== undefined) {
      this.#rows = undefined
      await this.#begin(columns)
    }
    this.#text.text(`${values.map(copyText).join('\t')}\n`)
    await this.#sendBlock()
  }

  /** Resolves when the server has all rows. */
  async end(): Promise<void> {
    await this.#send()
    await this.#copy?.end()
    this.#copy = undefined
  }

  /** Ends the COPY without its rows. */
  async abort(): Promise<void> {
    if (!this.#connection.isLost) await this.#copy?.abort().catch(() => this.#connection.destroy())
  }

  async #sendBlock(): Promise<void> {
    if (this.#text.length >= COPY_BLOCK_BYTES) await this.#send()
  }

  async #send(): Promise<void> {
    if (this.#text.length === 0) return
    await this.#copy?.write(this.#text.view())
    // The connection has the text until its next call, and the memory of huge rows is not kept.
    const free = this.#sent.length > TEXT_BYTES ? new TextBuffer(TEXT_BYTES) : this.#sent
    free.cutTo(0)
    this.#sent = this.#text
    this.#text = free
  }

  /** Rows of another file may have other columns, which a COPY names once. */
  async #begin(columns: readonly string[]): Promise<void> {
    await this.end()
    this.#copy = await this.#connection.copy(
      `COPY ${this.#options.table} (${columns.map(sqlIdentifier).join(', ')}) FROM STDIN WITH (FORMAT text, NULL '')`,
    )
  }
}
