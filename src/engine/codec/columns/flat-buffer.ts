// Writes FlatBuffers, the encoding of the messages of Arrow's IPC format. A value is written behind
// the table that refers to it. Everything begins at a multiple of its size, as readers check.

/** A field of a table: a number of so many bytes, what stands elsewhere, or the default. */
export type Field = Scalar | Reference | undefined

interface Scalar {
  readonly bytes: 1 | 2 | 4 | 8
  readonly value: number
}

/** Writes a value, and returns its place. */
export type Reference = (buffer: FlatBuffer) => number

const WORD = 8

export const int8 = (value: number): Scalar => ({ bytes: 1, value })
export const int16 = (value: number): Scalar => ({ bytes: 2, value })
export const int32 = (value: number): Scalar => ({ bytes: 4, value })
export const int64 = (value: number): Scalar => ({ bytes: 8, value })

/** A table: its fields in the order of their numbers in the schema. */
export function table(...fields: readonly Field[]): Reference {
  return buffer => {
    let end = 4
    const slots = fields.map(field => {
      if (field === undefined) return 0
      const bytes = typeof field === 'function' ? 4 : field.bytes
      const slot = aligned(end, bytes)
      end = slot + bytes
      return slot
    })
    const slotsBytes = 4 + 2 * fields.length
    const slotsAt = buffer.reserve(slotsBytes, 2)
    const at = buffer.reserve(end, WORD)
    for (const [n, value] of [slotsBytes, end, ...slots].entries())
      buffer.put(slotsAt + 2 * n, int16(value))
    buffer.put(at, int32(at - slotsAt))
    for (const [n, field] of fields.entries()) buffer.putField(at + slots[n]!, field)
    return at
  }
}

export function vector(references: readonly Reference[]): Reference {
  return buffer => {
    const at = buffer.reserve(4 + 4 * references.length, 4)
    buffer.put(at, int32(references.length))
    for (const [n, reference] of references.entries()) buffer.putField(at + 4 + 4 * n, reference)
    return at
  }
}

/** A vector of structs of 64-bit numbers. */
export function structs(values: readonly (readonly number[])[]): Reference {
  return buffer => {
    const numbers = values.flat()
    // The first number behind the count begins at a multiple of its size.
    const at = buffer.reserve(WORD + WORD * numbers.length, WORD) + 4
    buffer.put(at, int32(values.length))
    for (const [n, value] of numbers.entries()) buffer.put(at + 4 + WORD * n, int64(value))
    return at
  }
}

export function string(text: string): Reference {
  return buffer => {
    const bytes = Buffer.from(text)
    // A NUL stands behind the text.
    const at = buffer.reserve(4 + bytes.length + 1, 4)
    buffer.put(at, int32(bytes.length))
    buffer.bytes.set(bytes, at + 4)
    return at
  }
}

/** Returns the bytes of a buffer with this root, a multiple of eight. */
export function flatBuffer(root: Reference): Uint8Array {
  const buffer = new FlatBuffer()
  buffer.putField(buffer.reserve(4, WORD), root)
  return buffer.bytes.subarray(0, buffer.reserve(0, WORD))
}

class FlatBuffer {
  bytes = Buffer.alloc(1 << 12)
  #end = 0

  /** Returns the place of so many zeros at the end. */
  reserve(bytes: number, alignment: number): number {
    const at = aligned(this.#end, alignment)
    this.#end = at + bytes
    if (this.#end > this.bytes.length)
      this.bytes = Buffer.concat([this.bytes], 2 * aligned(this.#end, WORD))
    return at
  }

  put(at: number, { bytes, value }: Scalar): void {
    if (bytes === 8) this.bytes.writeBigInt64LE(BigInt(value), at)
    else this.bytes.writeIntLE(value, at, bytes)
  }

  putField(at: number, field: Field): void {
    if (typeof field === 'function') this.put(at, int32(field(this) - at))
    else if (field !== undefined) this.put(at, field)
  }
}

function aligned(place: number, alignment: number): number {
  return Math.ceil(place / alignment) * alignment
}
