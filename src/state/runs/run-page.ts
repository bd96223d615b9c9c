// A page of a run as rows, each with its place in the file that it came from.

import {
  type BoundHeader,
  corruptState,
  type FeedFile,
  type Memory,
  type Row,
  type RowBatch,
  rowsInPlace,
} from '../../engine/index'

/** The block of a page. */
export interface PageBlock {
  readonly memory: Memory
  readonly run: { readonly path: string; readonly origins: { readonly files: readonly FeedFile[] } }
}

/** The places of the rows of a page in their files. */
export interface PagePlaces {
  readonly rows: Float64Array
  readonly lines: Float64Array
  readonly byteOffsets: Float64Array
}

/** Memory of a batch beside its bytes and its index, about. */
const BATCH_BYTES = 1 << 10

interface PageRows {
  /** The lines, which the page keeps. */
  readonly lines: Uint8Array
  readonly count: number
  places(): PagePlaces
}

export class ParsedPage {
  readonly #run: PageBlock['run']
  readonly #header: BoundHeader
  readonly #rows: PageRows
  #places: PagePlaces | undefined
  readonly #batches: RowBatch[]
  /** The place of the first row of each batch. */
  readonly #firsts: number[] = []
  readonly #ofOrigin = new Map<number, RowBatch>()

  constructor({ run, memory }: PageBlock, header: BoundHeader, rows: PageRows) {
    this.#run = run
    this.#header = header
    this.#rows = rows
    this.#batches = rowsInPlace(header, rows.lines, memory)
    let first = 0
    for (const { length } of this.#batches) {
      this.#firsts.push(first)
      first += length
    }
    if (first !== rows.count)
      throw corruptState(run.path, `a page of the run has ${first} of ${rows.count} rows`)
  }

  /** Bytes of memory that the page keeps. */
  get byteLength(): number {
    const indexes = this.#batches.map(({ index }) => index.cellEnds.buffer.byteLength)
    const places = 3 * (this.#places?.rows.byteLength ?? 0)
    const batches = BATCH_BYTES * (this.#batches.length + this.#ofOrigin.size)
    return indexes.reduce((sum, bytes) => sum + bytes, this.#rows.lines.length + places + batches)
  }

  bytes(place: number): Uint8Array {
    const at = this.#batchAt(place)
    return this.#batches[at]!.bytesOf(place - this.#firsts[at]!)
  }

  /** Returns a row that does not know its place in its file. */
  bareRow(place: number): Row {
    const at = this.#batchAt(place)
    return this.#batches[at]!.row(place - this.#firsts[at]!)
  }

  row(place: number, origin: number): Row {
    const at = this.#batchAt(place)
    const key = origin * this.#batches.length + at
    let batch = this.#ofOrigin.get(key)
    if (batch === undefined) this.#ofOrigin.set(key, (batch = this.#placed(at, origin)))
    return batch.row(place - this.#firsts[at]!)
  }

  #batchAt(place: number): number {
    let at = this.#firsts.length - 1
    while (this.#firsts[at]! > place) at--
    return at
  }

  #placed(at: number, origin: number): RowBatch {
    const batch = this.#batches[at]!
    const from = this.#firsts[at]!
    const { rows, lines, byteOffsets } = (this.#places ??= this.#rows.places())
    return batch.placed(this.#header, this.#run.origins.files[origin]!, batch.progress, slot => {
      const n = from + slot
      return { row: rows[n]!, line: lines[n]!, byteOffset: byteOffsets[n]! }
    })
  }
}
