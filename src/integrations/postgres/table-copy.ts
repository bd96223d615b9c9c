// Copies rows into a table by one COPY for each header of their files, or of values that the caller
// has. The rows of a target begin with their heads: the category, the file, the version and
// the checksum. copy-rows.ts writes the cells of the feed behind them.

import {
  type BoundHeader,
  type Columns,
  compareVersions,
  type Row,
  type RowBatch,
  sqlIdentifier,
  TextBuffer,
  type Version,
} from '../../engine/index'
import {
  type Category,
  type FileId,
  fileRankOf,
  type RowTable,
  type TargetRows,
} from '../../sync/index'
import { type CopyPart, type CopyRows, copyText } from './copy-rows'
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

/** Writes what a row has before its cells. Rows of one version share their text. */
export class CopyHeads implements CopyPart {
  readonly names: readonly string[]
  /** The rows of the batch that is written next. */
  rows: TargetRows | undefined
  readonly #start: string
  readonly #isFilled: boolean
  /** Behind the checksum: the place of the file, of a feed of one's own. */
  readonly #rank: Buffer | undefined
  #latest: Version | undefined
  #bytes = Buffer.alloc(0)

  /** @param isFilled true where no row is a removal, and the table has no column that says so */
  constructor(
    { heads }: RowTable,
    { marketplace, categoryId }: Category,
    sequence: number,
    id: FileId,
    isFilled: boolean,
  ) {
    this.names = isFilled ? heads : [...heads.slice(0, 3), 'removed', ...heads.slice(3)]
    this.#isFilled = isFilled
    this.#start = `${copyText(marketplace)}\t${copyText(categoryId)}\t${sequence}\t`
    const rank = fileRankOf(id)
    this.#rank = rank === undefined ? undefined : Buffer.from(`\t${copyText(rank)}\t`)
  }

  write(row: Row, out: TextBuffer, n: number): void {
    const { version, checksum } = this.rows!.head(n)
    if (this.#latest === undefined || compareVersions(version, this.#latest) !== 0) {
      const { timeMs, removed, generatedMs } = version
      this.#latest = version
      const mark = this.#isFilled ? '' : `${removed}\t`
      this.#bytes = Buffer.from(`${this.#start}${mark}${timeMs}\t${generatedMs}\t`)
    }
    out.raw(this.#bytes)
    out.digits(checksum)
    if (this.#rank === undefined) return
    out.raw(this.#rank)
    out.digits(row.position.row)
  }
}
