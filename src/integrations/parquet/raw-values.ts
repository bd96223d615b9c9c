// The values of a page that is not full yet, as they lie in columns: the bytes of numbers and texts
// one behind the other, and where texts end.

import { type ArrowType, type ColumnData, columnData } from '../../engine/index'
import { ByteBuffer, withRoom } from './byte-buffer'
import type { Slots } from './leaf-slots'

const WIDTHS: { readonly [K in ArrowType['kind']]?: number } = {
  int32: 4,
  date: 4,
  int64: 8,
  timestamp: 8,
  float64: 8,
  decimal: 16,
}

/** The texts of a column of a fixed set of texts. */
const choices = new WeakMap<object, ColumnData>()

export class RawValues {
  readonly #bytes = new ByteBuffer()
  /** Texts: where each begins, and the last ends. */
  ends = new Int32Array(64)
  count = 0
  /** The bytes of a number; 0 for texts. */
  readonly width: number

  constructor({ kind }: ArrowType) {
    this.width = WIDTHS[kind] ?? 0
  }

  get bytes(): Uint8Array {
    return this.#bytes.written()
  }

  /** The bytes that the values have in PLAIN. */
  get plainBytes(): number {
    return this.#bytes.length + (this.width === 0 ? 4 * this.count : 0)
  }

  get heldBytes(): number {
    return this.#bytes.bytes.length + this.ends.byteLength
  }

  clear(): void {
    this.count = this.#bytes.length = 0
  }

  add(data: ColumnData, slots: Slots): void {
    const { type } = data
    if (type.kind === 'dictionary') this.#addChoices(type, data.values as Int32Array, slots)
    else if (this.width === 0) this.#addTexts(data, slots)
    else this.#addNumbers(data.values!, slots)
  }

  #addChoices(type: { readonly values: readonly string[] }, places: Int32Array, slots: Slots) {
    const texts = choices.get(type) ?? columnData({ kind: 'utf8' }, type.values)
    choices.set(type, texts)
    const { live, from, liveCount } = slots
    const chosen = live?.map(at => places[at]!) ?? places.subarray(from, from + liveCount)
    this.#addTexts(texts, { ...slots, live: chosen })
  }

  #addTexts({ values, offsets }: ColumnData, { live, from, liveCount }: Slots): void {
    const before = this.count
    this.ends = withRoom(this.ends, before + liveCount + 1)
    const { ends } = this
    const starts = offsets!
    const bytes = values as Uint8Array
    let end = this.#bytes.length
    if (live === undefined) {
      const moved = end - starts[from]!
      for (let n = 1; n <= liveCount; n++) ends[before + n] = starts[from + n]! + moved
      this.#bytes.add(bytes.subarray(starts[from], starts[from + liveCount]))
    } else {
      for (let n = 0; n < liveCount; n++) {
        const at = live[n]!
        end += starts[at + 1]! - starts[at]!
        ends[before + n + 1] = end
      }
      this.#gather(bytes, starts, live, liveCount, end - this.#bytes.length)
    }
    this.count = before + liveCount
  }

  /** Adds texts, at once where no others lie between them. */
  #gather(bytes: Uint8Array, starts: Int32Array, live: Int32Array, count: number, size: number) {
    const first = starts[live[0]!]!
    const end = starts[live[count - 1]! + 1]!
    if (end - first === size) {
      this.#bytes.add(bytes.subarray(first, end))
      return
    }
    this.#bytes.reserve(size)
    const to = this.#bytes.bytes
    let out = this.#bytes.length
    for (let n = 0; n < count; n++) {
      const stop = starts[live[n]! + 1]!
      for (let at = starts[live[n]!]!; at < stop; at++) to[out++] = bytes[at]!
    }
    this.#bytes.length = out
  }

  #addNumbers(values: NonNullable<ColumnData['values']>, { live, from, liveCount }: Slots): void {
    const { width } = this
    const { buffer, byteOffset, byteLength } = values
    this.count += liveCount
    if (live === undefined) {
      this.#bytes.add(new Uint8Array(buffer, byteOffset + from * width, liveCount * width))
      return
    }
    const words = new Int32Array(buffer, byteOffset, byteLength >> 2)
    const perValue = width >> 2
    this.#bytes.reserve(liveCount * width)
    let out = this.#bytes.length
    for (let n = 0; n < liveCount; n++)
      for (let word = live[n]! * perValue, end = word + perValue; word < end; word++, out += 4)
        this.#bytes.view.setInt32(out, words[word]!, true)
    this.#bytes.length = out
  }
}

/** Turns the bytes of decimals of 128 bits: the format has their highest byte first. */
export function turnDecimals(bytes: Uint8Array): void {
  for (let at = 0; at < bytes.length; at += 16)
    for (let low = at, high = at + 15; low < high; low++, high--) {
      const byte = bytes[low]!
      bytes[low] = bytes[high]!
      bytes[high] = byte
    }
}
