// Gathers rows as they arrive, and writes them in the order of their keys. It copies the
// lines of each batch once, and each row once more into the block of its run.

import type { AnyBatch } from '../../engine/index'
import type { KeyedRows } from '../keyed-rows'
import { Numbered, type OriginRecord, recordOf } from '../origin-record'
import { keyOrder } from './key-order'
import { appendHeads, HEAD_BYTES, keyStart, newHeads, REMOVED, type RowHeads } from './row-heads'
import type { RunWriter } from './run-writer'

/** The most rows that are sorted at once. */
const MOST_ROWS = 1 << 22
const CHUNK_BYTES = 1 << 21
const NO_BYTES = Buffer.alloc(0)

export class RowSorter {
  readonly #heads: RowHeads = newHeads(1024, 1 << 15)
  readonly #chunks: Buffer[]
  readonly #mended: number | undefined
  #chunk = -1
  #end = 0
  /** The chunk of each row, and where its line begins and ends there. */
  #chunkOf = new Uint32Array(1024)
  #from = new Uint32Array(1024)
  #to = new Uint32Array(1024)
  readonly #origins = new Numbered<OriginRecord>()
  rows = 0
  #byteLength = 0
  #order: Uint32Array | undefined
  /** The last batch's header line and file, with the number of their origin. */
  #last: { readonly header: unknown; readonly file: unknown; readonly number: number } | undefined

  /**
   * @param memory chunks that one sorter after the other uses
   * @param mended the number of the mending that the rows are of. Default: they are of none
   */
  constructor(memory: Buffer[] = [], mended?: number) {
    this.#chunks = memory
    this.#mended = mended
  }

  /** Bytes of memory of the rows and their heads, about. */
  get byteLength(): number {
    return this.rows >= MOST_ROWS ? Number.POSITIVE_INFINITY : this.#byteLength
  }

  add({ batch, heads }: KeyedRows): void {
    const { length, selection, index } = batch
    if (length === 0) return
    const lines = batch.bytesOf()
    const { byteLength } = lines
    const place = this.#take(byteLength)
    place.chunk.set(lines, place.at)
    // Offsets in the batch count from the block of the batch, and these from its first row.
    const base = index.rowStarts[0]! - place.at
    const origin = this.#originOf(batch)
    this.#byteLength += byteLength + keyStart(heads, length) + length * HEAD_BYTES
    const first = this.rows
    this.rows += length
    this.#reserve(this.rows)
    appendHeads(this.#heads, first, heads, length)
    for (let n = 0, at = first; n < length; n++, at++) {
      const slot = selection === undefined ? n : selection[n]!
      this.#heads.origin[at]! |= origin
      this.#chunkOf[at] = this.#chunk
      this.#from[at] = index.rowStarts[slot]! - base
      this.#to[at] = batch.endOf(slot) - base
    }
  }

  /** Tells whether all rows belong behind those of a run. */
  isBehind(writer: RunWriter): boolean {
    return writer.isBefore(this.#heads, this.#sorted()[0]!)
  }

  /** Writes all rows to a run. */
  async writeTo(writer: RunWriter): Promise<void> {
    const numbers = this.#origins.all.map(record => writer.originOf(record))
    const { origin } = this.#heads
    for (const n of this.#sorted()) {
      const isRemoved = origin[n]! >= REMOVED
      const number = numbers[origin[n]! & ~REMOVED]!
      const bytes = isRemoved ? NO_BYTES : this.#chunks[this.#chunkOf[n]!]!
      const written = isRemoved ? (number | REMOVED) >>> 0 : number
      const waits = writer.add(this.#heads, n, written, bytes, this.#from[n]!, this.#to[n]!)
      if (waits !== undefined) await waits
    }
  }

  /** The places of the rows in the order of their keys. */
  #sorted(): Uint32Array {
    return (this.#order ??= keyOrder(this.#heads, this.rows))
  }

  /** Returns room for so many bytes in one chunk. */
  #take(bytes: number): { readonly chunk: Buffer; readonly at: number } {
    if (this.#chunk < 0 || this.#end + bytes > this.#chunks[this.#chunk]!.length) {
      this.#chunk++
      this.#end = 0
      if (!((this.#chunks[this.#chunk]?.length ?? 0) >= bytes))
        this.#chunks.splice(this.#chunk, 0, Buffer.allocUnsafeSlow(Math.max(CHUNK_BYTES, bytes)))
    }
    const at = this.#end
    this.#end += bytes
    return { chunk: this.#chunks[this.#chunk]!, at }
  }

  #reserve(rows: number): void {
    if (rows <= this.#from.length) return
    this.#chunkOf = grown(this.#chunkOf, rows)
    this.#from = grown(this.#from, rows)
    this.#to = grown(this.#to, rows)
  }

  #originOf(batch: AnyBatch): number {
    const { header, file } = batch
    if (this.#last?.header === header && this.#last.file === file) return this.#last.number
    const mended = this.#mended
    const record = { ...recordOf(batch), ...(mended !== undefined && { mended }) }
    const number = this.#origins.numberOf(record, JSON.stringify(record))
    this.#last = { header, file, number }
    return number
  }
}

function grown(array: Uint32Array, rows: number): Uint32Array<ArrayBuffer> {
  const more = new Uint32Array(2 * rows)
  more.set(array)
  return more
}
