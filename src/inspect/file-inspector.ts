// The stage that inspects the rows of a file: it parses bytes and gives nothing. Its report has
// what it found so far. The rows are lent: they lie in the memory of the parser or of the inflate
// engine.

import type { BadRow, BoundHeader, Dialect, ErrorCode, RowBatch } from '../engine/index'
import {
  type Columns,
  defineSchema,
  type FeedSchema,
  PAUSE,
  type Pause,
  ProfiledCells,
  TsvStage,
} from '../engine/index'
import { ColumnProfiler } from './columns/column-profiler'
import { guessedSchema, headerReport, looseHeader } from './header-report'
import type { BadRowsReport, SampleRow } from './report'
import { sampleRow } from './sample-row'
import { KindFinder } from './schema/kind-finder'

/** The bad rows whose positions are kept. */
const SHOWN_BAD_ROWS = 5
const ANY_COLUMNS: FeedSchema = defineSchema({ name: 'other', columns: {} })

export interface FileInspectorOptions {
  /** Undefined for a guess, null for none. */
  readonly schema: FeedSchema | null | undefined
  readonly dialect: Dialect | undefined
  /** The number of rows in the sample. */
  readonly sampleRows: number
  /** True to find the kinds of the columns. */
  readonly infer: boolean
}

interface InspectedFile {
  readonly schema: FeedSchema | undefined
  readonly header: BoundHeader
}

export class FileInspector extends TsvStage<Columns, string, Columns, never> {
  readonly #given: FeedSchema | null | undefined
  readonly #sampleRows: number
  readonly #infers: boolean
  readonly #badRows: BadRowTally
  readonly #sample: SampleRow[] = []
  /** Undefined until the header is read. */
  #file: InspectedFile | undefined
  #profilers: readonly ColumnProfiler[] = []
  #finders: readonly KindFinder[] = []
  #rows = 0

  /** @throws FeedError OPTION_INVALID */
  constructor({ schema, dialect, sampleRows, infer }: FileInspectorOptions) {
    const badRows = new BadRowTally()
    // The parser has no schema, so that it refuses no file for its columns.
    super('inspect', { ...(dialect && { dialect }), onBadRow: bad => badRows.take(bad) }, true)
    this.#given = schema
    this.#sampleRows = sampleRows
    this.#infers = infer
    this.#badRows = badRows
  }

  /** What was found so far. It is complete once the stage has ended. */
  get report() {
    const file = (this.#file ??= this.#readHeader())
    return {
      schema: (file?.schema ?? this.#given)?.name ?? null,
      schemaIsGuess: this.#given === undefined && file?.schema !== undefined,
      header:
        file === undefined ? null : headerReport(file.schema ?? ANY_COLUMNS, file.header.columns),
      rows: this.#rows,
      badRows: this.#badRows.report,
      columns: this.#profilers.map(profiler => profiler.profile()),
      sample: this.#sample,
    }
  }

  /** The columns of the file, with what was found about the kind of each; none before the header. */
  get kinds() {
    return { columns: this.#file?.header.columns ?? [], finders: this.#finders }
  }

  protected override *outputsOf(
    batches: Iterable<RowBatch | Pause>,
  ): Generator<never | Pause, void, void> {
    for (const batch of batches) {
      if (batch !== PAUSE) this.#take(batch)
      // The event loop may turn between two batches.
      yield PAUSE
    }
  }

  #take(textBatch: RowBatch): void {
    this.#file ??= this.#readHeader(textBatch.header)
    const batch = textBatch.withHeader(this.#file!.header)
    this.#rows += batch.length
    const profiled = new ProfiledCells(batch)
    for (const profiler of this.#profilers) profiler.take(batch, profiled)
    for (let n = 0; n < batch.length && this.#sample.length < this.#sampleRows; n++)
      this.#sample.push(sampleRow(batch.row(n)))
  }

  /** @param cells how the rows write their cells */
  #readHeader({ cells }: Pick<BoundHeader, 'cells'> = {}): InspectedFile | undefined {
    const names = this.columnNames
    if (names === undefined) return undefined
    const schema = this.#given === undefined ? guessedSchema(names) : (this.#given ?? undefined)
    const header = { ...looseHeader(schema ?? ANY_COLUMNS, names), ...(cells && { cells }) }
    if (this.#infers) this.#finders = header.columns.map(() => new KindFinder())
    this.#profilers = header.columns.map((column, at) => {
      const isStrict = column.known && schema?.columns[column.name]?.notNull === true
      return new ColumnProfiler(column, at, isStrict, this.#finders[at])
    })
    return { schema, header }
  }
}

/** Counts bad rows, and keeps the first of them. */
class BadRowTally {
  readonly #counts = new Map<ErrorCode, number>()
  readonly #first: BadRowsReport['first'][number][] = []
  #count = 0

  take(bad: BadRow): void {
    this.#count++
    this.#counts.set(bad.code, (this.#counts.get(bad.code) ?? 0) + 1)
    if (this.#first.length === SHOWN_BAD_ROWS) return
    const { row, line, byteOffset, excerpt = '' } = bad.position
    this.#first.push({ row, line, byteOffset, code: bad.code, message: bad.error.message, excerpt })
  }

  get report(): BadRowsReport {
    return {
      count: this.#count,
      byCode: [...this.#counts].map(([code, count]) => ({ code, count })),
      first: this.#first,
    }
  }
}
