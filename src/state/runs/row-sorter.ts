// Gathers rows as they arrive, and gives them in the order of their keys. It copies the lines of each
// batch once, and each row once more into its block.

import {
  type Columns,
  type FeedFile,
  OWN_MEMORY,
  type Row,
  type RowBatch,
} from '../../engine/index'
import type { KeyedRows } from '../keyed-rows'
import { recordOf } from '../origin-record'
import { BlockBuilder } from './block-builder'
import type { BlockSource } from './block-lines'
import { keyOrder } from './key-order'
import { type PlacedStanding, placedAt } from './merge-runs'
import {
  appendHead,
  appendHeads,
  appendKey,
  compareHeads,
  HEAD_BYTES,
  keyOf,
  keyStart,
  newHeads,
  REMOVED,
  type RowHeads,
} from './row-heads'
import { ROWS_PER_BLOCK } from './run-format'
import { RunOrigins } from './run-origins'
import { Block, type KeyedBlocks } from './run-reader'
import type { RunWriter } from './run-writer'

/**
 * The most rows that are kept in memory. The order of keys and a Map of V8 take 2^24, of which a batch may
 * need some.
 */
export const MOST_ROWS = 2 ** 24 - 2 ** 16
const CHUNK_BYTES = 1 << 21
const NO_BYTES = Buffer.alloc(0)
/** A row keeps the memory of its block. */
const BLOCK_BYTES = 1 << 16
/** In place of the chunk of a row that was dropped. */
const DROPPED = 0xffff_ffff

export interface RowSorterOptions {
  /** Chunks that one sorter after the other uses. */
  readonly memory?: Buffer[]
  /** The number of the mending that the rows are of. Default: they are of none. */
  readonly mended?: number
  /** True where rows that remove their keys keep their lines. Default: they have none in a run. */
  readonly keepsRemovals?: boolean
}

export class RowSorter implements BlockSource {
  readonly path = 'the rows in memory'
  readonly heads: RowHeads = newHeads(1024, 1 << 15)
  readonly origins = new RunOrigins()
  readonly #chunks: Buffer[]
  readonly #options: RowSorterOptions
  #chunk = 0
  #end = 0
  /** The chunk of each row, and where its line begins and ends there. */
  #chunkOf = new Uint32Array(1024)
  #from = new Uint32Array(1024)
  #to = new Uint32Array(1024)
  rows = 0
  /** Bytes of memory of the rows that were dropped, about. */
  droppedBytes = 0
  /** The heads of all rows, without their lines. */
  readonly #all: Block
  #byteLength = 0
  #order: Uint32Array | undefined
  /** The origins by the header and the file of a batch. Rows of several may come in turns. */
  readonly #known = new WeakMap<RowBatch['header'], WeakMap<FeedFile, Origin>>()

  constructor(options: RowSorterOptions = {}) {
    this.#options = options
    this.#all = new Block(this, { rows: 0, headBytes: 0, pages: [] }, this.heads, OWN_MEMORY, [])
    this.#chunks = options.memory ?? []
  }

  /** Bytes of memory of the rows and their heads, about. */
  get byteLength(): number {
    return this.rows >= MOST_ROWS ? Number.POSITIVE_INFINITY : this.#byteLength
  }

  /** Adds rows. The place of each is the number of rows before it. */
  add({ batch, heads }: KeyedRows): void {
    const { length, selection, index } = batch
    if (length === 0) return
    const start = this.#copy(batch.bytesOf())
    // Offsets in the batch count from the block of the batch, and these from its first row.
    const base = index.rowStarts[0]! - start
    const { origin, removing } = this.#originOf(batch)
    const first = this.rows
    this.#reserve(length, keyStart(heads, length))
    appendHeads(this.heads, first, heads, length)
    for (let n = 0, at = first; n < length; n++, at++) {
      const slot = selection === undefined ? n : selection[n]!
      this.heads.origin[at] = this.heads.origin[at]! >= REMOVED ? removing : origin
      this.#chunkOf[at] = this.#chunk
      this.#from[at] = index.rowStarts[slot]! - base
      this.#to[at] = batch.endOf(slot) - base
    }
  }

  /** Adds one row under a key, whose rows come in the order of `timeMs`. */
  addRow({ batch, slot, position }: Row<Columns>, key: string, timeMs: number): void {
    const bytes = batch.bytesOf(slot)
    const from = this.#copy(bytes)
    const keyBytes = Buffer.from(key)
    const at = this.rows
    this.#reserve(1, keyBytes.length)
    const { heads } = this
    appendKey(heads, at, keyBytes, 0, keyBytes.length)
    heads.timeMs[at] = timeMs
    heads.checksum[at] = 0
    heads.origin[at] = this.#originOf(batch).origin
    heads.row[at] = position.row
    heads.line[at] = position.line
    heads.byteOffset[at] = position.byteOffset
    this.#chunkOf[at] = this.#chunk
    this.#from[at] = from
    this.#to[at] = from + bytes.length
  }

  /** Returns what is compared of the row at a place. */
  standingAt(place: number): PlacedStanding {
    return placedAt(this.#all, place, 0)
  }

  /** Returns the bytes of memory that the row at a place takes, about. */
  bytesAt(place: number): number {
    const keyBytes = this.heads.keyEnds[place]! - keyStart(this.heads, place)
    return this.#to[place]! - this.#from[place]! + keyBytes + HEAD_BYTES
  }

  /** Drops the row at a place, whose memory stays in use until {@link compact}. */
  drop(place: number): void {
    this.#order = undefined
    this.droppedBytes += this.bytesAt(place)
    this.#chunkOf[place] = DROPPED
  }

  /** Closes the holes that dropped rows leave. @returns the new place of each other row, by its place */
  compact(): Uint32Array {
    const moved = new Uint32Array(this.rows)
    const { heads, rows } = this
    this.#order = undefined
    this.#byteLength = 0
    this.droppedBytes = 0
    this.#chunk = 0
    this.#end = 0
    this.rows = 0
    for (let place = 0; place < rows; place++) {
      const chunk = this.#chunkOf[place]!
      if (chunk === DROPPED) continue
      const from = this.#from[place]!
      const bytes = this.#to[place]! - from
      this.#byteLength += this.bytesAt(place)
      // The line itself lies no further ahead than in a chunk that has room for it.
      while (this.#end + bytes > this.#chunks[this.#chunk]!.length) {
        this.#chunk++
        this.#end = 0
      }
      this.#chunks[chunk]!.copy(this.#chunks[this.#chunk]!, this.#end, from, from + bytes)
      const at = this.rows++
      appendHead(heads, at, heads, place)
      this.#chunkOf[at] = this.#chunk
      this.#from[at] = this.#end
      this.#to[at] = this.#end += bytes
      moved[place] = at
    }
    return moved
  }

  /** Tells whether all rows belong behind those of a run. */
  isBehind(writer: RunWriter): boolean {
    return writer.isBefore(this.heads, this.#sorted()[0]!)
  }

  /** Writes all rows to a run. */
  async writeTo(writer: RunWriter): Promise<void> {
    const numbers = this.origins.origins.map((_, n) => writer.originOf(this.origins.record(n)))
    const { origin } = this.heads
    for (const n of this.#sorted()) {
      const isRemoved = origin[n]! >= REMOVED
      const number = numbers[origin[n]! & ~REMOVED]!
      const bytes = isRemoved ? NO_BYTES : this.#chunks[this.#chunkOf[n]!]!
      const written = isRemoved ? (number | REMOVED) >>> 0 : number
      const waits = writer.add(this.heads, n, written, bytes, this.#from[n]!, this.#to[n]!)
      if (waits !== undefined) await waits
    }
  }

  /** Returns copies of some rows as a block. */
  blockOf(places: ArrayLike<number>, source: BlockSource = this): Block {
    const { heads, origins } = this
    const block = new BlockBuilder(places.length)
    for (let n = 0; n < places.length; n++) {
      const place = places[n]!
      const origin = heads.origin[place]!
      const { header } = origins.origins[origin & ~REMOVED]!
      const chunk = this.#chunks[this.#chunkOf[place]!]!
      block.add(heads, place, origin, header, chunk, this.#from[place]!, this.#to[place]!)
    }
    return block.block(source)
  }

  /** Returns all rows in the order of their keys. None is added while they are read. */
  blocks(): KeyedBlocks {
    return new SorterBlocks(this, this.#sorted())
  }

  /** The places of the rows in the order of their keys. */
  #sorted(): Uint32Array {
    if (this.#order !== undefined) return this.#order
    const order = keyOrder(this.heads, this.rows)
    const isThere = (place: number) => this.#chunkOf[place] !== DROPPED
    return (this.#order = this.droppedBytes > 0 ? order.filter(isThere) : order)
  }

  /** Copies lines into one chunk, the current one then. @returns where they begin there */
  #copy(lines: Uint8Array): number {
    const bytes = lines.length
    if (this.#end + bytes > (this.#chunks[this.#chunk]?.length ?? 0)) {
      if (this.#end > 0) this.#chunk++
      this.#end = 0
      if (!((this.#chunks[this.#chunk]?.length ?? 0) >= bytes))
        this.#chunks.splice(this.#chunk, 0, Buffer.allocUnsafeSlow(Math.max(CHUNK_BYTES, bytes)))
    }
    const at = this.#end
    this.#chunks[this.#chunk]!.set(lines, at)
    this.#end += bytes
    this.#byteLength += bytes
    return at
  }

  /** Makes room for rows, whose lines are copied, and counts them. */
  #reserve(more: number, keyBytes: number): void {
    this.#order = undefined
    this.rows += more
    this.#byteLength += keyBytes + more * HEAD_BYTES
    if (this.rows <= this.#from.length) return
    this.#chunkOf = grown(this.#chunkOf, this.rows)
    this.#from = grown(this.#from, this.rows)
    this.#to = grown(this.#to, this.rows)
  }

  #originOf(batch: Pick<RowBatch, 'header' | 'file'>): Origin {
    const { header, file } = batch
    let known = this.#known.get(header)
    if (known === undefined) this.#known.set(header, (known = new WeakMap()))
    const before = known.get(file)
    if (before !== undefined) return before
    const { mended, keepsRemovals } = this.#options
    const record = { ...recordOf(batch), ...(mended !== undefined && { mended }) }
    const origin = this.origins.numberOf(record)
    const removing = keepsRemovals
      ? this.origins.numberOf({ ...record, removes: true })
      : (origin | REMOVED) >>> 0
    const numbers = { origin, removing }
    known.set(file, numbers)
    return numbers
  }
}

/** The number of the origin of a batch's rows, and that of the rows that remove their keys. */
interface Origin {
  readonly origin: number
  readonly removing: number
}

/** The rows of a sorter as those of a run. Blocks are made when they are asked for. */
class SorterBlocks implements KeyedBlocks {
  readonly path: string
  readonly origins: RunOrigins
  readonly index: KeyedBlocks['index']
  readonly #sorter: RowSorter
  readonly #order: Uint32Array
  /** Where each block begins in the order. */
  readonly #starts: number[] = []

  constructor(sorter: RowSorter, order: Uint32Array) {
    const { heads } = sorter
    this.#sorter = sorter
    this.#order = order
    this.path = sorter.path
    this.origins = sorter.origins
    let isUnique = true
    let bytes = Number.POSITIVE_INFINITY
    for (let n = 0; n < order.length; n++) {
      if (bytes >= BLOCK_BYTES || n - this.#starts.at(-1)! >= ROWS_PER_BLOCK) {
        this.#starts.push(n)
        bytes = 0
      }
      bytes += sorter.bytesAt(order[n]!)
      if (n > 0 && compareHeads(heads, order[n - 1]!, heads, order[n]!) === 0) isUnique = false
    }
    const blocks = this.#starts.map(n => ({ firstKey: keyOf(heads, order[n]!) }))
    this.index = { isUnique, blocks }
  }

  async block(number: number): Promise<Block> {
    const places = this.#order.subarray(this.#starts[number], this.#starts[number + 1])
    return this.#sorter.blockOf(places, this)
  }

  async blocksFrom(first: number): Promise<Block[]> {
    return [await this.block(first)]
  }

  async close(): Promise<void> {}
}

function grown(array: Uint32Array, rows: number): Uint32Array<ArrayBuffer> {
  const more = new Uint32Array(2 * rows)
  more.set(array)
  return more
}
