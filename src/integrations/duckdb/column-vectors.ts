// Copies columns in the layout of Arrow into vectors of DuckDB. Values of one size have the same
// layout in both. What differs: a byte for each boolean, 16 bytes for a text (up to 12 bytes stand
// in it, a longer text has its first four and its address), and offset and length for a list.

import type { ColumnData } from '../../engine/index'
import { columnData } from '../../engine/index'

/** A column of a chunk, as the bindings of DuckDB know it. */
export type Vector = { readonly __duckdb_type: 'duckdb_vector' }

/**
 * The functions of the bindings that write vectors. The classes of @duckdb/node-api over them cost
 * twice the time: they take each value as an object, and each null as a bigint.
 */
export interface VectorCalls {
  vector_assign_string_element_len(vector: Vector, index: number, utf8: Uint8Array): void
  /** Returns a copy. */
  vector_get_data(vector: Vector, bytes: number): Uint8Array
  vector_ensure_validity_writable(vector: Vector): void
  list_vector_get_child(vector: Vector): Vector
  list_vector_reserve(vector: Vector, items: number): void
  list_vector_set_size(vector: Vector, items: number): void
  struct_vector_get_child(vector: Vector, index: number): Vector
  copy_data_to_vector: CopyToVector
  copy_data_to_vector_validity: CopyToVector
}

type CopyToVector = (
  to: Vector,
  at: number,
  from: ArrayBufferLike,
  offset: number,
  bytes: number,
) => void

const INLINE_BYTES = 12
const PREFIX_BYTES = 4
/** 32-bit words of a text, and of the offset and the length of a list. */
const WORDS = 4
const TWO_32 = 2 ** 32

/** Values of a column that stand side by side. */
export interface ColumnPart {
  readonly data: ColumnData
  readonly from: number
  readonly count: number
  /**
   * The validity of the structs that the column is a field of. DuckDB takes the fields of a null
   * for nulls.
   */
  readonly above?: readonly Uint8Array[]
}

/** A vector and the values that it gets. */
interface Filling {
  readonly calls: VectorCalls
  readonly vector: Vector
  readonly parts: readonly ColumnPart[]
  readonly rows: number
}

/** Copies values to the begin of a vector, a part behind the other. All have the same type. */
export function fillVector(calls: VectorCalls, vector: Vector, parts: readonly ColumnPart[]): void {
  const rows = parts.reduce((sum, part) => sum + part.count, 0)
  const filling = { calls, vector, parts, rows }
  writeNulls(filling)
  const { type } = parts[0]!.data
  switch (type.kind) {
    case 'utf8':
      copyAll(filling, textWords(filling))
      return
    case 'dictionary':
      copyAll(filling, chosenWords(filling))
      return
    case 'boolean':
      copyAll(filling, booleans(filling))
      return
    case 'struct':
      type.fields.forEach((_, n) => {
        const fields = parts.map(part => ({
          ...part,
          data: part.data.children[n]!,
          above: validitiesOf(part),
        }))
        fillVector(calls, calls.struct_vector_get_child(vector, n), fields)
      })
      return
    case 'list':
      fillLists(filling)
      return
    default:
      copyParts(filling, type.kind === 'decimal' ? 2 : 1)
  }
}

function copyAll({ calls, vector }: Filling, values: Uint8Array | Uint32Array): void {
  calls.copy_data_to_vector(vector, 0, values.buffer, values.byteOffset, values.byteLength)
}

/** @param width the elements of an array for one value */
function copyParts({ calls, vector, parts }: Filling, width: number): void {
  let at = 0
  for (const { data, from, count } of parts) {
    const { buffer, byteOffset, BYTES_PER_ELEMENT } = data.values!
    const bytes = width * BYTES_PER_ELEMENT
    calls.copy_data_to_vector(vector, at, buffer, byteOffset + from * bytes, count * bytes)
    at += count * bytes
  }
}

function validitiesOf({ data: { validity }, above = [] }: ColumnPart): readonly Uint8Array[] {
  return validity === undefined ? above : [...above, validity]
}

function writeNulls({ calls, vector, parts, rows }: Filling): void {
  const bits = new Uint8Array(Math.ceil(rows / 64) * 8).fill(0xff)
  let hasNulls = false
  let at = 0
  for (const part of parts) {
    for (const validity of validitiesOf(part)) {
      hasNulls = true
      for (let n = 0; n < part.count; n++)
        if (!isSet(validity, part.from + n)) bits[(at + n) >> 3]! &= ~(1 << ((at + n) & 7))
    }
    at += part.count
  }
  if (!hasNulls) return
  calls.vector_ensure_validity_writable(vector)
  calls.copy_data_to_vector_validity(vector, 0, bits.buffer, 0, bits.length)
}

function isSet(bits: Uint8Array, n: number): boolean {
  return ((bits[n >> 3]! >> (n & 7)) & 1) === 1
}

function booleans({ parts, rows }: Filling): Uint8Array {
  const bytes = new Uint8Array(rows)
  let at = 0
  for (const { data, from, count } of parts)
    for (let n = 0; n < count; n++) bytes[at++] = Number(isSet(data.values as Uint8Array, from + n))
  return bytes
}

function fillLists(filling: Filling): void {
  const { calls, vector, parts, rows } = filling
  const words = new Uint32Array(rows * WORDS)
  let row = 0
  let items = 0
  const children = parts.map(({ data: { offsets, children }, from, count }) => {
    const first = offsets![from]!
    const moved = items - first
    for (let n = from; n < from + count; n++) {
      const start = offsets![n]!
      words[row * WORDS] = start + moved
      words[row++ * WORDS + 2] = offsets![n + 1]! - start
    }
    const part = { data: children[0]!, from: first, count: offsets![from + count]! - first }
    items += part.count
    return part
  })
  copyAll(filling, words)
  calls.list_vector_reserve(vector, items)
  calls.list_vector_set_size(vector, items)
  fillVector(calls, calls.list_vector_get_child(vector), children)
}

/**
 * Gives the vector the bytes of all texts of a part at once, as one text, and points each text into
 * it, in place of a call for each text. Nulls are empty texts, because DuckDB reads those in lists
 * too.
 */
function textWords({ calls, vector, parts, rows }: Filling): Uint32Array {
  const words = new Uint32Array(rows * WORDS)
  const bytes = new Uint8Array(words.buffer)
  let word = 0
  for (const { data, from, count } of parts) {
    const heap = data.values as Uint8Array
    const offsets = data.offsets!
    const first = offsets[from]!
    const [low, high] = addressOf(calls, vector, heap.subarray(first, offsets[from + count]))
    for (let n = from; n < from + count; n++, word += WORDS) {
      const start = offsets[n]!
      const length = offsets[n + 1]! - start
      if (length === 0) continue
      const at = word * 4 + 4
      words[word] = length
      const shown = length > INLINE_BYTES ? PREFIX_BYTES : length
      for (let k = 0; k < shown; k++) bytes[at + k] = heap[start + k]!
      if (length <= INLINE_BYTES) continue
      const address = low + start - first
      words[word + 2] = address
      words[word + 3] = address < TWO_32 ? high : high + 1
    }
  }
  return words
}

/**
 * Returns the lower and the higher half of the address of a text that the vector holds from now on,
 * also where its first element gets another one.
 */
function addressOf(
  calls: VectorCalls,
  vector: Vector,
  text: Uint8Array,
): readonly [low: number, high: number] {
  if (text.length <= INLINE_BYTES) return [0, 0]
  calls.vector_assign_string_element_len(vector, 0, text)
  const { buffer, byteOffset } = calls.vector_get_data(vector, WORDS * 4)
  const [low = 0, high = 0] = new Uint32Array(buffer, byteOffset + 8, 2)
  return [low, high]
}

/** The texts of a column of `oneOf`. */
function chosenWords(filling: Filling): Uint32Array {
  const { parts, rows } = filling
  const { type } = parts[0]!.data
  const texts = type.kind === 'dictionary' ? type.values : []
  const data = columnData({ kind: 'utf8' }, texts)
  const all = [{ data, from: 0, count: texts.length }]
  const known = textWords({ ...filling, parts: all, rows: texts.length })
  const words = new Uint32Array(rows * WORDS)
  let word = 0
  for (const { data, from, count } of parts)
    for (let n = from; n < from + count; n++) {
      const place = (data.values as Int32Array)[n]! * WORDS
      for (let k = 0; k < WORDS; k++) words[word++] = known[place + k]!
    }
  return words
}
