// The columns of a table that a sink writes: those of a schema, or of the first row. It makes the
// values of each row in the order of the columns. The sinks of databases use it.

import { projectionsOf } from '../codec/projection'
import type { Row } from '../codec/row'
import type { BoundHeader } from '../codec/tsv/header'
import { optionInvalid, texts } from '../options'
import { headerOf } from '../pipeline/batch'
import { text } from '../schema/column-kinds'
import type { ColumnSpec } from '../schema/column-spec'
import { NamedColumns } from '../schema/column-spec'
import { type Columns, checkedSchema, type FeedSchema } from '../schema/feed-schema'
import { unwritableKind, valueInvalid } from './sink-errors'

export interface TableSinkOptions {
  /** The name of the table. */
  readonly table: string
  /**
   * What happens to a table that is there: `create` refuses it, `replace` replaces it, and `append`
   * adds rows to it. A file without rows makes an empty table of its header line. Where nothing
   * says the columns, as in a run without a file and without `schema`, no table is made, and
   * `replace` removes the one that is there. Default: `create`.
   */
  readonly mode?: 'create' | 'replace' | 'append'
  /**
   * The schema of the columns. It is required where plain objects are written; rows of a parser
   * have their own. Default: that of the rows.
   */
  readonly schema?: FeedSchema
  /** The columns of the table, in their order. Default: all columns. */
  readonly columns?: readonly string[]
}

export interface TableColumn {
  readonly name: string
  readonly spec: ColumnSpec
}

const TEXT = text()

export class TableColumns {
  readonly #sink: string
  readonly #schema: FeedSchema | undefined
  readonly #chosen: readonly string[] | undefined
  #columns: readonly TableColumn[] | undefined
  #names: readonly string[] = []
  /** Number of rows so far. */
  #rows = 0

  /** @throws FeedError OPTION_INVALID */
  constructor(sink: string, { schema, columns }: Pick<TableSinkOptions, 'schema' | 'columns'>) {
    this.#sink = sink
    this.#schema = schema === undefined ? undefined : checkedSchema('schema', schema)
    this.#chosen = columns === undefined ? undefined : texts('columns', columns)
    if (columns?.length === 0) throw optionInvalid('columns', 'at least one column', columns)
    if (this.#schema !== undefined) this.#settle(schemaColumns(this.#schema.columns))
  }

  /** The columns, as soon as they are known: with a schema at once, else with the first row. */
  get columns(): readonly TableColumn[] | undefined {
    return this.#columns
  }

  /**
   * Learns the columns of a batch, which may have no row.
   * @throws FeedError COLUMN_UNKNOWN
   */
  see(item: unknown): void {
    const header = headerOf(item)
    if (header === undefined || this.#columns !== undefined) return
    if (this.#chosen !== undefined) projectionsOf(header).of(this.#chosen)
    this.#settle(headerColumns(header))
  }

  /**
   * Returns the values of a row in the order of the columns.
   * @throws FeedError SINK_VALUE_INVALID, CELL_INVALID, COLUMN_UNKNOWN
   */
  valuesOf(element: unknown): unknown[] {
    this.#rows++
    if (typeof element !== 'object' || element === null || unwritableKind(element) !== undefined)
      throw this.invalid('it is no row and no object with a property for each column')
    if (isRow(element)) {
      if (this.#columns === undefined) this.#settle(headerColumns(element.batch.header))
      const object = element.toObject(this.#names as never[]) as Record<string, unknown>
      return this.#names.map(name => object[name])
    }
    if (this.#columns === undefined)
      throw this.invalid('a table of plain objects needs the option schema')
    const object = element as Record<string, unknown>
    return this.#names.map(name => object[name] ?? null)
  }

  /** The error of the latest row. */
  invalid(reason: string, cause?: unknown) {
    return valueInvalid(this.#sink, this.#rows, reason, cause)
  }

  #settle(known: readonly TableColumn[]): void {
    const specs = new NamedColumns(known.map(({ name, spec }) => [name, spec]))
    this.#columns = this.#chosen?.map(name => ({ name, spec: specs.get(name) ?? TEXT })) ?? known
    this.#names = this.#columns.map(({ name }) => name)
  }
}

function schemaColumns(columns: Columns): TableColumn[] {
  return Object.entries(columns).map(([name, spec]) => ({ name, spec }))
}

/** The columns of the rows of a file, and after them those of the schema that the file lacks. */
export function headerColumns({ columns, absent }: BoundHeader): TableColumn[] {
  return [...columns, ...Array.from(absent, ([name, spec]) => ({ name, spec }))]
}

/** Rows are recognised by shape, because two copies of the package may meet in one process. */
function isRow(element: object): element is Row<Columns> {
  return typeof (element as Partial<Row>).toObject === 'function' && 'batch' in element
}
