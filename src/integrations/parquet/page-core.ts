// The instance of the WebAssembly module src/engine/wasm/pages.ts, with typed calls. One instance
// serves all chunks, because each call copies its input there and its result out. What is longer than
// a piece of the module goes through it in parts.

import { WasmModule, wasmInstance, wasmMemory } from '../../engine/index'
import type { ByteBuffer } from './byte-buffer'
import type { Dictionary } from './dictionary'
import { PAGES_BINARY, PAGES_PAGES } from './pages-binary'
import type { RawValues } from './raw-values'

interface Exports {
  readonly PIECE_BYTES: number
  readonly PIECE_VALUES: number
  readonly INPUT: number
  readonly ENDS: number
  readonly PLACES: number
  readonly VALUES: number
  readonly ENTRIES: number
  readonly OUT: number
  begin(values: number, bytes: number, coming: number): void
  addValues(count: number, width: number): number
  dictionarySize(): number
  dictionaryBytes(): number
  levelRuns(count: number, largest: number): number
  placeRuns(count: number, width: number): number
  bits(count: number, width: number): number
  texts(count: number): number
  leastText(): number
  greatestText(): number
  snappy(bytes: number): number
}

/** Snappy looks for copies in blocks of so many bytes. */
const BLOCK_BYTES = 1 << 16

export class PageCore {
  readonly #exports: Exports
  readonly #memory: Uint8Array
  readonly #words: Int32Array

  constructor() {
    const memory = wasmMemory(PAGES_PAGES)
    this.#exports = wasmInstance(new WasmModule(PAGES_BINARY).compiledFor(memory), memory)
    this.#memory = new Uint8Array(memory.buffer)
    this.#words = new Int32Array(memory.buffer)
  }

  /**
   * Finds the places of values in a dictionary, and adds those that it lacks. Returns false, and leaves
   * the dictionary as it was, where it has no room for one of them.
   */
  places(raw: RawValues, dictionary: Dictionary, places: Int32Array): boolean {
    const { begin, addValues, dictionarySize, dictionaryBytes, VALUES, ENTRIES, PLACES } =
      this.#exports
    const { size, values, entries } = dictionary
    this.#memory.set(values.written(), VALUES)
    this.#words.set(entries.subarray(0, 2 * size), ENTRIES >> 2)
    begin(size, values.length, Math.min(raw.count, MOST_COMING))
    const isWhole = this.#pieces(raw, (from, count) => {
      if (addValues(count, raw.width) < count) return false
      places.set(this.#words.subarray(PLACES >> 2, (PLACES >> 2) + count), from)
      return true
    })
    if (!isWhole) return false
    const first = ENTRIES >> 2
    dictionary.add(
      this.#memory.subarray(VALUES + values.length, VALUES + dictionaryBytes()),
      this.#words.subarray(first + 2 * size, first + 2 * dictionarySize()),
    )
    return true
  }

  /** Adds texts behind their lengths. @param see gets the least and the greatest of some of them */
  addTexts(raw: RawValues, out: ByteBuffer, see: (text: Uint8Array) => void): void {
    const { texts, leastText, greatestText } = this.#exports
    const { bytes, ends } = raw
    const textAt = (n: number) => bytes.subarray(ends[n], ends[n + 1])
    this.#pieces(
      raw,
      (from, part) => {
        this.#result(texts(part), out)
        for (const n of [leastText(), greatestText()]) see(textAt(from + n))
        return true
      },
      long => {
        see(textAt(long))
        return out.addText(textAt(long))
      },
    )
  }

  /** @param largest in place of all levels above it */
  addLevels(levels: Uint8Array, count: number, largest: number, out: ByteBuffer): void {
    const { INPUT, PIECE_VALUES, levelRuns } = this.#exports
    for (let from = 0; from < count; from += PIECE_VALUES) {
      const to = Math.min(count, from + PIECE_VALUES)
      this.#memory.set(levels.subarray(from, to), INPUT)
      this.#result(levelRuns(to - from, largest), out)
    }
  }

  addPlaces(places: Int32Array, count: number, width: number, out: ByteBuffer): void {
    this.#addWords(places, count, part => this.#exports.placeRuns(part, width), out)
  }

  addBits(values: Int32Array, count: number, out: ByteBuffer): void {
    this.#addWords(values, count, part => this.#exports.bits(part, 1), out)
  }

  /** Adds a block of Snappy: how long its content is, as a varint, and elements. */
  addSnappy(content: Uint8Array, out: ByteBuffer): void {
    const { INPUT, snappy } = this.#exports
    out.reserve(5)
    let rest = content.length
    for (; rest >= 0x80; rest >>>= 7) out.bytes[out.length++] = rest | 0x80
    out.bytes[out.length++] = rest
    for (let from = 0; from < content.length; from += BLOCK_BYTES) {
      const block = content.subarray(from, from + BLOCK_BYTES)
      this.#memory.set(block, INPUT)
      this.#result(snappy(block.length), out)
    }
  }

  #addWords(words: Int32Array, count: number, run: (part: number) => number, out: ByteBuffer) {
    const { PLACES, PIECE_VALUES } = this.#exports
    for (let from = 0; from < count; from += PIECE_VALUES) {
      const to = Math.min(count, from + PIECE_VALUES)
      this.#words.set(words.subarray(from, to), PLACES >> 2)
      this.#result(run(to - from), out)
    }
  }

  /**
   * Copies values piece by piece. Returns false where `use` does.
   * @param useLong gets a value that is larger than a piece
   */
  #pieces(
    raw: RawValues,
    use: (from: number, count: number) => boolean,
    useLong: (n: number) => boolean = () => false,
  ): boolean {
    const { INPUT, ENDS, PIECE_BYTES, PIECE_VALUES } = this.#exports
    const { bytes, ends, count, width } = raw
    const endOf = (n: number) => (width === 0 ? ends[n]! : n * width)
    for (let from = 0; from < count; ) {
      let to = Math.min(count, from + PIECE_VALUES)
      const start = endOf(from)
      while (endOf(to) - start > PIECE_BYTES) to = from + ((to - from) >> 1)
      if (to === from) {
        if (!useLong(from++)) return false
        continue
      }
      this.#memory.set(bytes.subarray(start, endOf(to)), INPUT)
      if (width === 0) this.#words.set(ends.subarray(from, to + 1), ENDS >> 2)
      if (!use(from, to - from)) return false
      from = to
    }
    return true
  }

  #result(bytes: number, out: ByteBuffer): void {
    out.add(this.#memory.subarray(this.#exports.OUT, this.#exports.OUT + bytes))
  }
}

/** The values that a dictionary may get at once. */
const MOST_COMING = 1 << 16

/** @throws FeedError DEPENDENCY_UNSUPPORTED where WebAssembly or its 128-bit SIMD is missing */
export function pageCore(): PageCore {
  return (core ??= new PageCore())
}
let core: PageCore | undefined
