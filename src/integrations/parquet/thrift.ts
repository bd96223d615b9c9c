// Values in the compact protocol of Thrift, which the headers of pages and the footer are written in.
//
//   field    delta of its id (4 bits) | type (4 bits), then the value; a struct ends in a zero byte
//   i16–i64  a varint of the zigzag form, seven bits a byte, the lowest first
//   binary   a varint of its length, and the bytes
//   list     count (4 bits; 15: a varint follows) | type of its elements (4 bits), and the elements
//   bool     a field has it in its type

/** A value: the number of its type, and its bytes. */
export type Value = readonly [type: number, bytes: Uint8Array]

const [TRUE, FALSE, I32, I64, BINARY, LIST, STRUCT] = [1, 2, 5, 6, 8, 9, 12]
const SHORT_LIST = 15
const STOP = Uint8Array.of(0)
const NO_BYTES = new Uint8Array()

export const i32 = (value: number): Value => [I32, varint(zigzag(value))]

/** @param value a whole number below 2^52, which is more than the bytes of any file */
export const i64 = (value: number): Value => [I64, varint(zigzag(value))]

export const bool = (value: boolean): Value => [value ? TRUE : FALSE, NO_BYTES]

export function binary(bytes: Uint8Array): Value {
  return [BINARY, Buffer.concat([varint(bytes.length), bytes])]
}

export const text = (value: string): Value => binary(Buffer.from(value))

/** @param values all of one type */
export function list(values: readonly Value[]): Value {
  const type = values[0]?.[0] ?? STRUCT
  const { length } = values
  const head =
    length < SHORT_LIST
      ? Uint8Array.of((length << 4) | type)
      : Buffer.concat([Uint8Array.of((SHORT_LIST << 4) | type), varint(length)])
  return [LIST, Buffer.concat([head, ...values.map(([, bytes]) => bytes)])]
}

/** @param fields by their ids, which differ by less than 16; those that are undefined are left out */
export function struct(fields: { readonly [id: number]: Value | undefined }): Value {
  const parts: Uint8Array[] = []
  let before = 0
  for (const [id, value] of Object.entries(fields)) {
    if (value === undefined) continue
    parts.push(Uint8Array.of(((Number(id) - before) << 4) | value[0]), value[1])
    before = Number(id)
  }
  return [STRUCT, Buffer.concat([...parts, STOP])]
}

/** Works with doubles, because bitwise operators would cut numbers to 32 bits. */
function zigzag(value: number): number {
  return value < 0 ? -2 * value - 1 : 2 * value
}

function varint(value: number): Uint8Array {
  const bytes: number[] = []
  let rest = value
  for (; rest >= 0x80; rest = Math.floor(rest / 0x80)) bytes.push((rest % 0x80) | 0x80)
  bytes.push(rest)
  return Uint8Array.from(bytes)
}
