// The rows of a block of a run: they are parsed a page at a time, or one line alone for a look-up.

import {
  type Columns,
  corruptState,
  type FeedSchema,
  OWN_MEMORY,
  type Row,
  rowsInPlace,
} from '../../engine/index'
import { REMOVED, type RowHeads } from './row-heads'
import type { BlockRecord } from './run-format'
import type { RunOrigins } from './run-origins'
import { type PageBlock, type PagePlaces, ParsedPage } from './run-page'

/** Bytes of the page of a row and of the row's place in it. */
const PLACE_BYTES = 8
const NO_ENDS = new Uint32Array()
const LF = 0x0a

/** What blocks come from: a file, or the memory of a sorter. */
export interface BlockSource {
  readonly path: string
  readonly origins: RunOrigins
}

/** The block of the rows. */
interface HeadedBlock extends PageBlock {
  readonly run: BlockSource
  readonly record: Pick<BlockRecord, 'pages'>
  readonly heads: RowHeads
  readonly rows: number
}

/** The rows of a block. They keep its memory. */
export class BlockLines {
  readonly #block: HeadedBlock
  /** The pages that are not parsed yet. */
  readonly #pages: (Uint8Array | undefined)[]
  /** The page of each row, and the row's place in it. */
  readonly #page: Uint32Array
  readonly #place: Uint32Array
  /** The rows of each page. */
  readonly #counts: readonly number[]
  /** Where the lines of each page end; nothing where a row has several lines. */
  readonly #lineEnds: Uint32Array[] = []
  readonly #parsed: ParsedPage[] = []

  constructor(block: HeadedBlock, pages: Uint8Array[]) {
    const { run, record, heads, rows } = block
    this.#block = block
    this.#pages = pages
    this.#page = new Uint32Array(rows)
    this.#place = new Uint32Array(rows)
    const numbers = new Map(record.pages.map(({ header }, n) => [header, n]))
    const counts = record.pages.map(() => 0)
    for (let n = 0; n < rows; n++) {
      const origin = heads.origin[n]!
      if (origin >= REMOVED) continue
      const page = numbers.get(run.origins.origins[origin]!.header)!
      this.#page[n] = page
      this.#place[n] = counts[page]!++
    }
    this.#counts = counts
  }

  get byteLength(): number {
    const bytes = this.#pages.map((page, n) =>
      page === undefined ? this.#parsed[n]!.byteLength : page.length + 4 * this.#counts[n]!,
    )
    return bytes.reduce((sum, some) => sum + some, PLACE_BYTES * this.#place.length)
  }

  /**
   * Returns a copy of a row that is no removal. Where each row of its page is one line, no other row
   * is parsed.
   */
  copyOf<C extends Columns>(n: number, schema: FeedSchema<C>): Row<C> {
    const { run, record, heads } = this.#block
    const page = this.#page[n]!
    const header = run.origins.header(schema, record.pages[page]!.header)
    const lines = this.#pages[page]
    const ends = lines && (this.#lineEnds[page] ??= lineEndsOf(lines, this.#counts[page]!))
    // The page may have been parsed for another schema.
    if (!ends?.length) return this.row(n, schema).detach().batch.withHeader(header).row(0)
    const place = this.#place[n]!
    const line = Uint8Array.prototype.slice.call(lines, ends[place - 1] ?? 0, ends[place])
    const [batch] = rowsInPlace(header, line, OWN_MEMORY)
    if (batch === undefined) throw corruptState(run.path, 'a line of the run is no row')
    const position = {
      row: heads.row[n]!,
      line: heads.line[n]!,
      byteOffset: heads.byteOffset[n]!,
    }
    const file = run.origins.files[heads.origin[n]!]!
    return batch.placed(header, file, batch.progress, () => position).row(0)
  }

  /** Returns a row that is no removal. */
  row<C extends Columns>(n: number, schema: FeedSchema<C>): Row<C> {
    return this.#pageOf(n, schema).row(this.#place[n]!, this.#block.heads.origin[n]!) as Row<C>
  }

  /** Returns a row that does not know its file and its place there, which takes less time. */
  bareRow<C extends Columns>(n: number, schema: FeedSchema<C>): Row<C> {
    return this.#pageOf(n, schema).bareRow(this.#place[n]!) as Row<C>
  }

  /** Returns the line of a row without its end. */
  bytes(n: number, schema: FeedSchema<Columns>): Uint8Array {
    return this.#pageOf(n, schema).bytes(this.#place[n]!)
  }

  #pageOf(n: number, schema: FeedSchema<Columns>): ParsedPage {
    const page = this.#page[n]!
    let parsed = this.#parsed[page]
    if (parsed === undefined) {
      this.#parsed[page] = parsed = this.#parse(page, schema)
      this.#pages[page] = undefined
    }
    return parsed
  }

  #parse(page: number, schema: FeedSchema<Columns>): ParsedPage {
    const { run, record } = this.#block
    const header = run.origins.header(schema, record.pages[page]!.header)
    return new ParsedPage(this.#block, header, {
      lines: this.#pages[page]!,
      count: this.#counts[page]!,
      places: () => this.#placesOf(page),
    })
  }

  /** Returns the places of the rows of a page in their files. */
  #placesOf(page: number): PagePlaces {
    const { heads, rows } = this.#block
    const count = this.#counts[page]!
    const places = {
      rows: new Float64Array(count),
      lines: new Float64Array(count),
      byteOffsets: new Float64Array(count),
    }
    for (let n = 0, at = 0; n < rows; n++) {
      if (heads.origin[n]! >= REMOVED || this.#page[n] !== page) continue
      places.rows[at] = heads.row[n]!
      places.lines[at] = heads.line[n]!
      places.byteOffsets[at++] = heads.byteOffset[n]!
    }
    return places
  }
}

/** Returns the ends of lines; nothing where rows of a page have several lines. */
function lineEndsOf({ buffer, byteOffset, length }: Uint8Array, rows: number): Uint32Array {
  const lines = Buffer.from(buffer, byteOffset, length)
  const ends = new Uint32Array(rows)
  let end = 0
  // A row has at least one line end.
  for (let n = 0; n < rows; n++) ends[n] = end = lines.indexOf(LF, end) + 1
  return end === length ? ends : NO_ENDS
}
