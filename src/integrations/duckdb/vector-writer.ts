// What all writers of vectors share: the bits of values that are not null, an array of values of one
// size, and the room for them.

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
export abstract class Writer<V> implements VectorWriter<V> {
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

export type NumberArray =
  | Int32Array<ArrayBuffer>
  | Uint32Array<ArrayBuffer>
  | Float64Array<ArrayBuffer>
  | Uint8Array<ArrayBuffer>

/**
 * Values of one size. Nulls have zeros, because DuckDB reads the texts and lists of nulls too where
 * they stand in lists and structs. Most columns of most feeds are empty, so the first value makes
 * the array.
 */
export abstract class FixedWriter<V, A extends NumberArray> extends Writer<V> {
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
