// Writers of vectors: they gather the values of one column of a chunk in DuckDB's own layout and
// copy them at once. Each takes values in order, null included. The layout is that of
// `duckdb_vector_get_data`: fixed sizes, a bit for each value that is not null, 16 bytes for a text
// (up to 12 bytes stand in it), and offset and length for a list.

import { CHUNK_ROWS, type ColumnWriter, type Vector, type VectorCalls } from './duckdb-api'

export interface VectorWriter<V = unknown> extends ColumnWriter {
  add(value: V | null): void
}

const INLINE_BYTES = 12
const TEXT_BYTES = 16
const TWO_32 = 2 ** 32

/** The bits of values that are not null, and the room of a writer, which a list's items outgrow. */
abstract class Writer<V> implements VectorWriter<V> {
  protected room = CHUNK_ROWS
  protected count = 0
  #valid = new Uint8Array(CHUNK_ROWS / 8).fill(0xff)
  #hasNulls = false

  add(value: V | null): void {
    if (this.count === this.room) this.#grow()
    if (value === null) {
      this.#valid[this.count >> 3]! &= ~(1 << (this.count & 7))
      this.#hasNulls = true
      this.addNull()
    } else this.put(value)
    this.count++
  }

  flush(calls: VectorCalls, vector: Vector): void {
    this.copy(calls, vector)
    if (this.#hasNulls) {
      const bytes = Math.ceil(this.count / 64) * 8
      calls.vector_ensure_validity_writable(vector)
      calls.copy_data_to_vector_validity(vector, 0, this.#valid.buffer, 0, bytes)
      this.#valid.fill(0xff)
      this.#hasNulls = false
    }
    this.count = 0
  }

  /** Writes a value at the place `count`. */
  protected abstract put(value: V): void
  protected abstract copy(calls: VectorCalls, vector: Vector): void
  protected addNull(): void {}
  protected grow(): void {}

  #grow(): void {
    this.room *= 2
    this.#valid = widened(this.#valid, new Uint8Array(this.room / 8).fill(0xff))
    this.grow()
  }
}

export class TextWriter extends Writer<string> {
  #words = new Uint32Array((CHUNK_ROWS * TEXT_BYTES) / 4)
  #bytes = new Uint8Array(this.#words.buffer)
  /** The texts that do not stand in their 16 bytes, with their places. */
  readonly #long: string[] = []
  readonly #places: number[] = []

  protected put(text: string): void {
    const at = this.count * TEXT_BYTES
    const { length } = text
    if (length <= INLINE_BYTES) {
      const bytes = this.#bytes
      const words = this.#words
      const word = at >> 2
      words[word + 1] = words[word + 2] = words[word + 3] = 0
      let seen = 0
      for (let n = 0; n < length; n++) {
        const unit = text.charCodeAt(n)
        seen |= unit
        bytes[at + 4 + n] = unit
      }
      words[word] = length
      if (seen < 0x80) return
    }
    this.#words.fill(0, at >> 2, (at >> 2) + 4)
    this.#long.push(text)
    this.#places.push(this.count)
  }

  protected override grow(): void {
    this.#words = widened(this.#words, new Uint32Array((this.room * TEXT_BYTES) / 4))
    this.#bytes = new Uint8Array(this.#words.buffer)
  }

  /** DuckDB reads the texts of nulls too where it compresses a list's items. */
  protected override addNull(): void {
    this.#words.fill(0, this.count * 4, this.count * 4 + 4)
  }

  protected copy(calls: VectorCalls, vector: Vector): void {
    calls.copy_data_to_vector(vector, 0, this.#words.buffer, 0, this.count * TEXT_BYTES)
    const places = this.#places
    for (let n = 0; n < places.length; n++)
      calls.vector_assign_string_element(vector, places[n]!, this.#long[n]!)
    this.#long.length = 0
    places.length = 0
  }
}

type NumberArray = Int32Array<ArrayBuffer> | Float64Array<ArrayBuffer> | Uint8Array<ArrayBuffer>

/** INTEGER and DATE (days since 1970) over an Int32Array, DOUBLE, and BOOLEAN over bytes. */
export class NumberWriter extends Writer<number | boolean> {
  readonly #make: (room: number) => NumberArray
  #values: NumberArray

  constructor(make: (room: number) => NumberArray) {
    super()
    this.#make = make
    this.#values = make(CHUNK_ROWS)
  }

  protected put(value: number | boolean): void {
    this.#values[this.count] = Number(value)
  }

  protected override grow(): void {
    this.#values = widened(this.#values, this.#make(this.room))
  }

  protected copy(calls: VectorCalls, vector: Vector): void {
    const values = this.#values
    calls.copy_data_to_vector(vector, 0, values.buffer, 0, this.count * values.BYTES_PER_ELEMENT)
  }
}

/** BIGINT, TIMESTAMP (microseconds since 1970) and DECIMAL up to 18 digits. */
export class Int64Writer extends Writer<number | bigint> {
  #words = new Int32Array(CHUNK_ROWS * 2)

  protected put(value: number | bigint): void {
    const at = this.count * 2
    if (typeof value === 'bigint') {
      this.#words[at] = Number(BigInt.asIntN(32, value))
      this.#words[at + 1] = Number(BigInt.asIntN(32, value >> 32n))
      return
    }
    this.#words[at] = value
    this.#words[at + 1] = Math.floor(value / TWO_32)
  }

  protected override grow(): void {
    this.#words = widened(this.#words, new Int32Array(this.room * 2))
  }

  protected copy(calls: VectorCalls, vector: Vector): void {
    calls.copy_data_to_vector(vector, 0, this.#words.buffer, 0, this.count * 8)
  }
}

export class ListWriter<V> extends Writer<readonly V[]> {
  readonly #items: VectorWriter<V>
  #length = 0
  /** Offset and length of each list, as two words each. */
  #entries = new Uint32Array(CHUNK_ROWS * 4)

  constructor(items: VectorWriter<V>) {
    super()
    this.#items = items
  }

  protected put(values: readonly V[]): void {
    this.#entry(values.length)
    for (const value of values) this.#items.add(value)
    this.#length += values.length
  }

  protected override addNull(): void {
    this.#entry(0)
  }

  protected override grow(): void {
    this.#entries = widened(this.#entries, new Uint32Array(this.room * 4))
  }

  protected copy(calls: VectorCalls, vector: Vector): void {
    calls.copy_data_to_vector(vector, 0, this.#entries.buffer, 0, this.count * 16)
    calls.list_vector_reserve(vector, this.#length)
    calls.list_vector_set_size(vector, this.#length)
    this.#items.flush(calls, calls.list_vector_get_child(vector))
    this.#length = 0
  }

  #entry(length: number): void {
    this.#entries[this.count * 4] = this.#length
    this.#entries[this.count * 4 + 2] = length
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

  protected override addNull(): void {
    for (const [, writer] of this.#fields) writer.add(null)
  }

  protected copy(calls: VectorCalls, vector: Vector): void {
    this.#fields.forEach(([, writer], n) =>
      writer.flush(calls, calls.struct_vector_get_child(vector, n)),
    )
  }
}

function widened<T extends NumberArray | Uint32Array<ArrayBuffer>>(from: T, to: T): T {
  to.set(from)
  return to
}
