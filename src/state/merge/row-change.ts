// A change that an arriving row made to what stands under its key. There may be a change for each row,
// of which most callers read little, so that its rows are made when they are read.

import {
  type ChangeKind,
  type Columns,
  type FeedSchema,
  Row,
  type RowBatch,
  type Version,
} from '../../engine/index'
import type { KeyedRows } from '../keyed-rows'
import { recordOf } from '../origin-record'
import { asStored, type RunOrigins } from '../runs/run-origins'
import type { Block } from '../runs/run-reader'

/** A change that a row made to an item's row or to its priority. */
export interface Change<Part extends string, C extends Columns> {
  /** What of the item the row is: its row or its priority. */
  readonly part: Part
  /** What the arrived row did. */
  readonly kind: ChangeKind
  /** The key of the item. */
  readonly itemId: string
  /** The version that is kept now. */
  readonly version: Version
  /**
   * The row that arrived, with its file and position, and whether it is confirmed. It keeps its
   * batch in memory.
   */
  readonly source: Row<Columns>
  /**
   * The row that is kept now; null where it was removed. It is made at each read and keeps the memory
   * of a batch: see {@link Row.detach}.
   */
  readonly row: Row<C> | null
  /**
   * The row that was kept before. Null where there was none, undefined without the option `before`.
   * It keeps only its own bytes in memory.
   */
  readonly before: Row<C> | null | undefined
}

/** A row that arrived, which is made when it is read. */
export interface Arrived {
  readonly version: Version
  readonly row: Row<Columns>
}

/** A row of a batch that arrived. */
export class BatchRow implements Arrived {
  readonly #rows: KeyedRows
  readonly #n: number

  constructor(rows: KeyedRows, n: number) {
    this.#rows = rows
    this.#n = n
  }

  get version(): Version {
    return this.#rows.head(this.#n).version
  }

  get row(): Row<Columns> {
    return this.#rows.batch.row(this.#n)
  }
}

/** What stood before. Its row is in a block whose lines are read where a change has it. */
export interface Stood {
  readonly version: Version
  block: Block | undefined
  readonly n: number
}

/** What all changes of a part share. */
export class Reporter<Part extends string, C extends Columns> {
  readonly part: Part
  readonly schema: FeedSchema<C>
  /** True where changes have the row that was kept before. */
  readonly before: boolean
  /** The batches that arrived, as they are read once they are stored. */
  readonly #merged = new WeakMap<RowBatch<Columns>, RowBatch<C>>()
  readonly #asStored: (batch: RowBatch<Columns>) => RowBatch<C>
  /** The batches of the disk as they arrived. */
  readonly #arrived = new WeakMap<RowBatch<Columns>, RowBatch<Columns>>()
  /** What is not on the disk of each origin, by its text. */
  readonly #sources = new Map<string, Source>()
  readonly #sourcesOf = new WeakMap<RunOrigins, Source[]>()
  #last: Source | undefined

  constructor(part: Part, schema: FeedSchema<C>, before: boolean) {
    this.part = part
    this.schema = schema
    this.before = before
    this.#asStored = asStored(schema)
  }

  /** Keeps what {@link source} needs of a batch that goes to the disk. */
  remember({ header, file, progress }: RowBatch<Columns>): void {
    const last = this.#last
    if (last?.header === header && last.file === file && last.progress === progress) return
    this.#last = { header, file, progress }
    this.#sources.set(JSON.stringify(recordOf({ header, file })), this.#last)
  }

  /** Returns a row of the disk as it arrived. */
  source(block: Block, n: number): Row<Columns> {
    const { batch, slot } = this.rowAt(block, n)
    let arrived = this.#arrived.get(batch)
    if (arrived === undefined) {
      const { header, file, progress } = this.#sourceOf(block, n)
      arrived = batch.placed(header, file, progress, at => batch.positionOf(at))
      this.#arrived.set(batch, arrived)
    }
    return new Row(arrived, slot)
  }

  /** Returns a row that arrived under the header of the schema. */
  merged({ batch, slot }: Row<Columns>): Row<C> {
    let merged = this.#merged.get(batch)
    if (merged === undefined) {
      merged = this.#asStored(batch)
      this.#merged.set(batch, merged)
    }
    return new Row(merged, slot)
  }

  /** Returns a row that stood, whose lines are read. */
  rowAt(block: Block, n: number): Row<C> {
    return block.read!.row(n, this.schema)
  }

  #sourceOf({ run: { origins }, heads }: Block, n: number): Source {
    let sources = this.#sourcesOf.get(origins)
    if (sources === undefined) this.#sourcesOf.set(origins, (sources = []))
    const origin = heads.origin[n]!
    const { removes: _, ...record } = origins.record(origin)
    return (sources[origin] ??= this.#sources.get(JSON.stringify(record))!)
  }
}

/** The batch of an origin, without its rows. */
type Source = Pick<RowBatch<Columns>, 'header' | 'file' | 'progress'>

export class MadeChange<Part extends string, C extends Columns> implements Change<Part, C> {
  readonly kind: ChangeKind
  readonly itemId: string
  readonly #reporter: Reporter<Part, C>
  readonly #arrived: Arrived
  readonly #stood: Stood | undefined
  readonly #isKept: boolean

  /** @param isKept true where the row that arrived is the one that is kept now */
  constructor(
    reporter: Reporter<Part, C>,
    kind: ChangeKind,
    itemId: string,
    arrived: Arrived,
    stood: Stood | undefined,
    isKept: boolean,
  ) {
    this.kind = kind
    this.itemId = itemId
    this.#reporter = reporter
    this.#arrived = arrived
    this.#stood = stood
    this.#isKept = isKept
  }

  get part(): Part {
    return this.#reporter.part
  }

  get source(): Row<Columns> {
    return this.#arrived.row
  }

  get version(): Version {
    return this.#isKept ? this.#arrived.version : this.#stood!.version
  }

  get row(): Row<C> | null {
    if (!this.#isKept) return this.#rowBefore()
    return this.version.removed ? null : this.#reporter.merged(this.source)
  }

  get before(): Row<C> | null | undefined {
    return this.#reporter.before ? (this.#rowBefore()?.detach() ?? null) : undefined
  }

  #rowBefore(): Row<C> | null {
    const stood = this.#stood
    if (stood === undefined || stood.version.removed) return null
    return this.#reporter.rowAt(stood.block!, stood.n)
  }
}
