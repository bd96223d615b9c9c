// The chunk of one leaf in a row group, as pages of version 1:
//
//   dictionary page   header · the distinct values, PLAIN
//   data page         header · [repetition levels] · definition levels · values
//
// Levels are hybrid runs behind their size in four bytes. Values are their places in the dictionary,
// as a byte with the width of a place and hybrid runs, or are PLAIN. What follows a header is
// compressed as a whole, and the header has the CRC-32 of what is written.
//
// A chunk begins with a dictionary. From the page on for whose values it has no room, and where its
// first page is not smaller by it, the chunk is PLAIN.
// Batches have whole rows and a page ends behind one of them, so that no page begins inside a row.

import { type ColumnData, crc32 } from '../../engine/index'
import { ByteBuffer, withRoom } from './byte-buffer'
import type { Codec } from './compression'
import { Dictionary } from './dictionary'
import { type Leaf, LIVE, type Slots } from './leaf-slots'
import { pageCore } from './page-core'
import { RawValues, turnDecimals } from './raw-values'
import * as thrift from './thrift'
import { ValueRange } from './value-range'

/** A page ends behind the rows with which it has so many slots, or bytes before compression. */
const PAGE_SLOTS = 1 << 14
const PAGE_BYTES = 1 << 20
const DATA_PAGE = 0
const DICTIONARY_PAGE = 2
export const [PLAIN, RLE, RLE_DICTIONARY] = [0, 3, 8]

type Levels = Pick<Slots, 'count' | 'definitions' | 'repetitions'>

/** What the footer says of a chunk. Sizes have the headers of pages. */
export interface ChunkFacts {
  readonly leaf: Leaf
  readonly encodings: readonly number[]
  readonly slots: number
  readonly nulls: number
  readonly range: ValueRange
  readonly rawBytes: number
  readonly bytes: number
  /** 0 without a dictionary. */
  readonly dictionaryBytes: number
  readonly parts: readonly Uint8Array[]
}

export class ColumnChunk {
  readonly #leaf: Leaf
  readonly #codec: Codec
  readonly #core = pageCore()
  readonly #isBoolean: boolean
  readonly #dictionary = new Dictionary()
  // The page.
  #definitions: Uint8Array = new Uint8Array(64)
  #repetitions: Uint8Array = new Uint8Array(0)
  #slots = 0
  /** The last slots, which have no levels yet. */
  #nullRows = 0
  readonly #raw: RawValues
  #flags = new Int32Array(0)
  #flagCount = 0
  // The chunk.
  #isPlain = false
  #pages: Uint8Array[] = []
  #encodings = new Set<number>()
  #range: ValueRange
  #allSlots = 0
  #nulls = 0
  #rawBytes = 0
  #bytes = 0

  constructor(leaf: Leaf, codec: Codec) {
    this.#leaf = leaf
    this.#codec = codec
    this.#isBoolean = leaf.type.kind === 'boolean'
    this.#raw = new RawValues(leaf.type)
    this.#range = new ValueRange(leaf.type)
  }

  /** Bytes of the chunk before compression, about. */
  get rawBytes(): number {
    return this.#rawBytes + this.#raw.plainBytes + this.#slots / 4
  }

  /** Bytes of memory. */
  get heldBytes(): number {
    const levels = this.#definitions.length + this.#repetitions.length + 4 * this.#flags.length
    const { values, entries } = this.#dictionary
    const held = values.bytes.length + entries.byteLength
    return this.#bytes + levels + this.#raw.heldBytes + held
  }

  /** Adds the slots of whole rows. */
  add(data: ColumnData, slots: Slots): void {
    this.#addLevels(slots)
    if (slots.liveCount > 0) {
      if (this.#isBoolean) this.#addFlags(data, slots)
      else this.#raw.add(data, slots)
    }
    this.#nulls += slots.count - slots.liveCount
    if (this.#slots >= PAGE_SLOTS || this.#raw.plainBytes >= PAGE_BYTES) this.#endPage()
  }

  /** Ends the chunk, so that the next one begins. */
  end(): ChunkFacts {
    if (this.#slots > 0 || this.#pages.length === 0) this.#endPage()
    const dictionary = this.#dictionaryPage()
    const facts = {
      leaf: this.#leaf,
      encodings: [...this.#encodings, RLE],
      slots: this.#allSlots,
      nulls: this.#nulls,
      range: this.#range,
      rawBytes: this.#rawBytes,
      bytes: this.#bytes,
      dictionaryBytes: dictionary.reduce((sum, { length }) => sum + length, 0),
      parts: [...dictionary, ...this.#pages],
    }
    this.#pages = []
    this.#encodings = new Set()
    this.#range = new ValueRange(this.#leaf.type)
    this.#allSlots = this.#nulls = this.#rawBytes = this.#bytes = 0
    this.#dictionary.clear()
    this.#isPlain = false
    return facts
  }

  /** Adds rows that are null. */
  addNulls(count: number): void {
    this.#slots += count
    this.#nulls += count
    this.#nullRows += count
    if (this.#slots >= PAGE_SLOTS) this.#endPage()
  }

  #addLevels({ count, definitions, repetitions }: Levels): void {
    this.#levelNulls()
    const from = this.#slots
    const to = from + count
    this.#slots = to
    this.#definitions = withRoom(this.#definitions, to)
    if (typeof definitions === 'object') this.#definitions.set(definitions, from)
    else this.#definitions.fill(definitions ?? LIVE, from, to)
    if (this.#leaf.maxRepetition === 0) return
    this.#repetitions = withRoom(this.#repetitions, to)
    if (repetitions === undefined) this.#repetitions.fill(0, from, to)
    else this.#repetitions.set(repetitions, from)
  }

  /** Gives the latest slots, which are null rows, their levels. */
  #levelNulls(): void {
    if (this.#nullRows === 0) return
    const count = this.#nullRows
    this.#nullRows = 0
    this.#slots -= count
    this.#addLevels({ count, definitions: 0, repetitions: undefined })
  }

  #addFlags({ values }: ColumnData, { live, from, liveCount }: Slots): void {
    const bits = values as Uint8Array
    this.#flags = withRoom(this.#flags, this.#flagCount + liveCount)
    for (let nth = 0; nth < liveCount; nth++) {
      const at = live === undefined ? from + nth : live[nth]!
      this.#flags[this.#flagCount++] = (bits[at >> 3]! >> (at & 7)) & 1
    }
  }

  #endPage(): void {
    this.#levelNulls()
    const { maxDefinition, maxRepetition } = this.#leaf
    const page = scratch
    page.length = 0
    if (maxRepetition > 0) this.#addRuns(this.#repetitions, maxRepetition, page)
    this.#addRuns(this.#definitions, maxDefinition, page)
    const encoding = this.#addEncoded(page)
    this.#encodings.add(encoding)
    const header = thrift.struct({
      1: thrift.i32(this.#slots),
      2: thrift.i32(encoding),
      3: thrift.i32(RLE),
      4: thrift.i32(RLE),
    })
    this.#pages.push(...this.#page(DATA_PAGE, page.written(), header))
    this.#allSlots += this.#slots
    this.#slots = this.#flagCount = 0
    this.#raw.clear()
  }

  #addRuns(levels: Uint8Array, largest: number, page: ByteBuffer): void {
    page.reserve(4)
    const at = page.length
    page.length += 4
    this.#core.addLevels(levels, this.#slots, largest, page)
    page.view.setInt32(at, page.length - at - 4, true)
  }

  /** Adds the values of the page, and returns their encoding. */
  #addEncoded(page: ByteBuffer): number {
    if (this.#isBoolean) this.#addBooleans(page)
    else if (this.#addPlaces(page)) return RLE_DICTIONARY
    else this.#addPlain(page)
    return PLAIN
  }

  #addBooleans(page: ByteBuffer): void {
    const flags = this.#flags.subarray(0, this.#flagCount)
    for (const flag of [0, 1]) if (flags.includes(flag)) this.#range.seeAll(Uint8Array.of(flag), 1)
    this.#core.addBits(flags, flags.length, page)
  }

  /** Returns false where the values are PLAIN. */
  #addPlaces(page: ByteBuffer): boolean {
    const { count, plainBytes } = this.#raw
    const dictionary = this.#dictionary
    // A page without a value has no dictionary where the chunk may have none.
    if (this.#isPlain || (count === 0 && dictionary.size === 0)) return false
    places = withRoom(places, count)
    this.#isPlain = !this.#core.places(this.#raw, dictionary, places)
    // Not all readers take places of no bits.
    const width = Math.max(1, bitWidth(dictionary.size - 1))
    const isFirst = this.#encodings.size === 0
    if (isFirst && dictionary.values.length + (count * width) / 8 > plainBytes) {
      this.#isPlain = true
      dictionary.clear()
    }
    if (this.#isPlain) return false
    page.add(Uint8Array.of(width))
    this.#core.addPlaces(places, count, width, page)
    return true
  }

  #addPlain(page: ByteBuffer): void {
    const { width, bytes } = this.#raw
    if (width === 0) {
      this.#core.addTexts(this.#raw, page, text => this.#range.see(text))
      return
    }
    this.#range.seeAll(bytes, width)
    const from = page.length
    page.add(bytes)
    if (this.#leaf.type.kind === 'decimal') turnDecimals(page.bytes.subarray(from, page.length))
  }

  #dictionaryPage(): Uint8Array[] {
    const { size, values } = this.#dictionary
    if (size === 0) return []
    const plain = values.written()
    this.#range.seeAll(plain, this.#raw.width)
    if (this.#leaf.type.kind === 'decimal') turnDecimals(plain)
    const header = thrift.struct({ 1: thrift.i32(size), 2: thrift.i32(PLAIN) })
    this.#encodings.add(PLAIN)
    return this.#page(DICTIONARY_PAGE, plain, header)
  }

  #page(type: number, content: Uint8Array, header: thrift.Value): Uint8Array[] {
    const body = this.#codec.compress(content).slice()
    const [, head] = thrift.struct({
      1: thrift.i32(type),
      2: thrift.i32(content.length),
      3: thrift.i32(body.length),
      4: thrift.i32(crc32(body) | 0),
      [type === DATA_PAGE ? 5 : 7]: header,
    })
    this.#rawBytes += head.length + content.length
    this.#bytes += head.length + body.length
    return [head, body]
  }
}

/** The page that is being made, one after the other. */
const scratch = new ByteBuffer()
let places = new Int32Array(0)

/** Returns the bits of the largest value. */
function bitWidth(largest: number): number {
  return 32 - Math.clz32(largest)
}
