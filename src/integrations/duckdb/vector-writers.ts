// Writers of vectors: they gather the values of one column of a chunk in DuckDB's own layout and
// copy them at once. Each takes values in order, null included. The layout is that of
// `duckdb_vector_get_data`: fixed sizes, a bit for each value that is not null, 16 bytes for a text
// (up to 12 bytes stand in it), and offset and length for a list.

import { CHUNK_ROWS, type ColumnWriter, type Vector, type VectorCalls } from './duckdb-api'

/** The most bytes that one value takes in its vector. */
const MOST_BYTES = 16
/** The values of a chunk of nulls. */
const ZEROS = new ArrayBuffer(CHUNK_ROWS * MOST_BYTES)

export interface VectorWriter<V = unknown> extends ColumnWriter {
  add(value: V | null): void
  addNulls(count: number): void
}

/** The bits of values that are not null, and the room of a writer, which a list's items outgrow. */
abstract class Writer<V> implements VectorWriter<V> {
  protected room = CHUNK_ROWS
  protected count = 0
  #valid = new Uint8Array(CHUNK_ROWS / 8).fill(0xff)
  #hasNulls = false

  add(value: V | null): void {
    if (value === null) this.addNulls(1)
    else {
      this.makeRoom(1)
      this.put(value)
      this.count++
    }
  }

  addNulls(count: number): void {
    this.makeRoom(count)
    const end = this.count + count
    const valid = this.#valid
    for (let n = this.count; n < end; n++) valid[n >> 3]! &= ~(1 << (n & 7))
    this.#hasNulls = true
    this.skip(count)
    this.count = end
  }

  flush(calls: VectorCalls, vector: Vector): void {
    this.copy(calls, vector)
    if (this.#hasNulls) {
      const bytes = Math.ceil(this.count / 64) * 8
      calls.vector_ensure_validity_writable(vector)
      calls.copy_data_to_vector_validity(vector, 0, this.#valid.buffer, 0, bytes)
      this.#valid.fill(0xff, 0, bytes)
      this.#hasNulls = false
    }
    this.count = 0
  }

  protected makeRoom(count: number): void {
    if (this.count + count <= this.room) return
    while (this.count + count > this.room) this.room *= 2
    this.#valid = widened(this.#valid, new Uint8Array(this.room / 8).fill(0xff))
    this.grow()
  }

  /** Writes a value at the place `count`. */
  protected abstract put(value: V): void
  protected abstract copy(calls: VectorCalls, vector: Vector): void
  /** Passes over places of nulls, from `count` on. */
  protected skip(_count: number): void {}
  protected grow(): void {}
}

type NumberArray =
  | Int32Array<ArrayBuffer>
  | Uint32Array<ArrayBuffer>
  | Float64Array<ArrayBuffer>
  | Uint8Array<ArrayBuffer>

/**
 * Values of one size. Nulls have zeros, because DuckDB reads the texts and lists of nulls too where
 * they stand in lists and structs. Most columns of most feeds are empty, so the first value makes
 * the array.
 */
abstract class FixedWriter<V, A extends NumberArray> extends Writer<V> {
  readonly #width: number
  #values: A

  /**
   * @param none an array of no elements
   * @param width the elements of the array for one value
   */
  constructor(none: A, width: number) {
    super()
    this.#width = width
    this.#values = none
  }

  protected abstract make(length: number): A

  protected get values(): A {
    if (this.#values.length === 0) this.#values = this.make(this.room * this.#width)
    return this.#values
  }

  protected override grow(): void {
    this.#values = widened(this.#values, this.make(this.room * this.#width))
  }

  /** Copies the values, and leaves zeros. */
  protected copy(calls: VectorCalls, vector: Vector): void {
    const values = this.#values
    const used = this.count * this.#width
    const bytes = used * values.BYTES_PER_ELEMENT
    calls.copy_data_to_vector(vector, 0, values.length === 0 ? ZEROS : values.buffer, 0, bytes)
    values.fill(0, 0, used)
  }
}

function widened<T extends NumberArray>(from: T, to: T): T {
  to.set(from)
  return to
}

const INLINE_BYTES = 12
const TEXT_BYTES = 16
const TWO_32 = 2 ** 32
const NO_BYTES = Buffer.alloc(0)
const LEAST_HEAP = 16_384

export class TextWriter extends FixedWriter<string, Uint32Array<ArrayBuffer>> {
  #bytes = new Uint8Array(0)
  /** The texts that do not stand in their 16 bytes, one behind the other. */
  #heap = NO_BYTES
  #heapLength = 0

  constructor() {
    super(new Uint32Array(0), TEXT_BYTES / 4)
  }

  protected override make(length: number): Uint32Array<ArrayBuffer> {
    const words = new Uint32Array(length)
    this.#bytes = new Uint8Array(words.buffer)
    return words
  }

  protected put(text: string): void {
    const { length } = text
    if (length <= INLINE_BYTES) {
      const { values } = this
      const bytes = this.#bytes
      const at = this.count * TEXT_BYTES
      let seen = 0
      for (let n = 0; n < length; n++) {
        const unit = text.charCodeAt(n)
        seen |= unit
        bytes[at + 4 + n] = unit
      }
      values[at >> 2] = length
      if (seen < 0x80) return
      bytes.fill(0, at, at + TEXT_BYTES)
    }
    this.#makeHeap(length * 3)
    this.#end(this.#heap.write(text, this.#heapLength))
  }

  /** Adds a text of ASCII. */
  addAscii(from: Uint8Array, start: number, end: number): void {
    this.makeRoom(1)
    const length = end - start
    if (length <= INLINE_BYTES) {
      const { values } = this
      const bytes = this.#bytes
      const at = this.count * TEXT_BYTES
      for (let n = 0; n < length; n++) bytes[at + 4 + n] = from[start + n]!
      values[at >> 2] = length
    } else {
      this.#makeHeap(length)
      const heap = this.#heap
      const at = this.#heapLength
      for (let n = 0; n < length; n++) heap[at + n] = from[start + n]!
      this.#end(length)
    }
    this.count++
  }

  /**
   * Gives the vector all long texts at once, as one text, and points each text into it, in place of
   * a call for each text.
   */
  protected override copy(calls: VectorCalls, vector: Vector): void {
    if (this.#heapLength > 0) {
      calls.vector_assign_string_element_len(vector, 0, this.#heap.subarray(0, this.#heapLength))
      const { buffer, byteOffset } = calls.vector_get_data(vector, TEXT_BYTES)
      const [low = 0, high = 0] = new Uint32Array(buffer, byteOffset + 8, 2)
      const { values } = this
      for (let at = 0; at < this.count * 4; at += 4) {
        if (values[at]! <= INLINE_BYTES) continue
        const address = low + values[at + 2]!
        values[at + 2] = address
        values[at + 3] = address < TWO_32 ? high : high + 1
      }
      this.#heapLength = 0
    }
    super.copy(calls, vector)
  }

  /** Ends a text that stands in the heap, or moves it to its 16 bytes where it is short. */
  #end(length: number): void {
    const { values } = this
    const bytes = this.#bytes
    const heap = this.#heap
    const start = this.#heapLength
    const at = this.count * TEXT_BYTES
    const isShort = length <= INLINE_BYTES
    values[at >> 2] = length
    for (let n = isShort ? length : 4; n-- > 0; ) bytes[at + 4 + n] = heap[start + n]!
    if (isShort) return
    values[(at >> 2) + 2] = start
    this.#heapLength = start + length
  }

  #makeHeap(length: number): void {
    const needed = this.#heapLength + length
    if (needed <= this.#heap.length) return
    const heap = Buffer.allocUnsafeSlow(Math.max(LEAST_HEAP, 2 * this.#heap.length, needed))
    heap.set(this.#heap.subarray(0, this.#heapLength))
    this.#heap = heap
  }
}

/** INTEGER and DATE (days since 1970) over an Int32Array, DOUBLE, and BOOLEAN over bytes. */
export class NumberWriter extends FixedWriter<number | boolean, NumberArray> {
  readonly #make: (length: number) => NumberArray

  constructor(make: (length: number) => NumberArray) {
    super(make(0), 1)
    this.#make = make
  }

  protected override make(length: number): NumberArray {
    return this.#make(length)
  }

  protected put(value: number | boolean): void {
    this.values[this.count] = Number(value)
  }
}

/** BIGINT, TIMESTAMP (microseconds since 1970) and DECIMAL up to 18 digits. */
export class Int64Writer extends FixedWriter<number | bigint, Int32Array<ArrayBuffer>> {
  constructor() {
    super(new Int32Array(0), 2)
  }

  protected override make(length: number): Int32Array<ArrayBuffer> {
    return new Int32Array(length)
  }

  protected put(value: number | bigint): void {
    const { values } = this
    const at = this.count * 2
    if (typeof value === 'bigint') {
      values[at] = Number(BigInt.asIntN(32, value))
      values[at + 1] = Number(BigInt.asIntN(32, value >> 32n))
      return
    }
    values[at] = value
    values[at + 1] = Math.floor(value / TWO_32)
  }
}

/** DECIMAL with more than 18 digits. */
export class Int128Writer extends FixedWriter<number | bigint, Int32Array<ArrayBuffer>> {
  constructor() {
    super(new Int32Array(0), 4)
  }

  protected override make(length: number): Int32Array<ArrayBuffer> {
    return new Int32Array(length)
  }

  protected put(value: number | bigint): void {
    const exact = BigInt(value)
    for (let n = 0; n < 4; n++)
      this.values[this.count * 4 + n] = Number(BigInt.asIntN(32, exact >> BigInt(32 * n)))
  }
}

/** An offset and a length for each list, as two words each. */
export class ListWriter<V> extends FixedWriter<readonly V[], Uint32Array<ArrayBuffer>> {
  readonly #items: VectorWriter<V>
  #length = 0

  constructor(items: VectorWriter<V>) {
    super(new Uint32Array(0), 4)
    this.#items = items
  }

  protected override make(length: number): Uint32Array<ArrayBuffer> {
    return new Uint32Array(length)
  }

  protected put(list: readonly V[]): void {
    const { length } = list
    if (length === 0) return
    const { values } = this
    values[this.count * 4] = this.#length
    values[this.count * 4 + 2] = length
    for (const item of list) this.#items.add(item)
    this.#length += length
  }

  protected override copy(calls: VectorCalls, vector: Vector): void {
    super.copy(calls, vector)
    calls.list_vector_reserve(vector, this.#length)
    calls.list_vector_set_size(vector, this.#length)
    this.#items.flush(calls, calls.list_vector_get_child(vector))
    this.#length = 0
  }
}

/** A STRUCT, or the entries of a MAP, whose fields are properties of an object. */
export class StructWriter extends Writer<object> {
  readonly #fields: readonly (readonly [name: string, writer: VectorWriter])[]

  constructor(fields: Readonly<Record<string, VectorWriter>>) {
    super()
    this.#fields = Object.entries(fields)
  }

  protected put(value: object): void {
    for (const [name, writer] of this.#fields) writer.add((value as Record<string, unknown>)[name])
  }

  protected override skip(count: number): void {
    for (const [, writer] of this.#fields) writer.addNulls(count)
  }

  protected copy(calls: VectorCalls, vector: Vector): void {
    this.#fields.forEach(([, writer], n) =>
      writer.flush(calls, calls.struct_vector_get_child(vector, n)),
    )
  }
}
