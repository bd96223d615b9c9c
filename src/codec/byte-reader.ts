// Reads the values of byte-writer.ts in the order in which they were written.

export class ByteReader {
  readonly #bytes: Uint8Array
  #view: DataView | undefined
  #at: number

  /** @param at offset of the first value */
  constructor(bytes: Uint8Array, at = 0) {
    this.#bytes = bytes
    this.#at = at
  }

  get at(): number {
    return this.#at
  }

  byte(): number {
    return this.#bytes[this.#at++]!
  }

  number(): number {
    let value = 0
    let scale = 1
    for (;;) {
      const byte = this.#bytes[this.#at++]!
      value += (byte & 0x7f) * scale
      if (byte < 0x80) return value
      scale *= 0x80
    }
  }

  double(): number {
    const value = this.#dataView().getFloat64(this.#at, true)
    this.#at += 8
    return value
  }

  uint32(): number {
    const value = this.#dataView().getUint32(this.#at, true)
    this.#at += 4
    return value
  }

  /** Returns a view of all bytes that follow. */
  rest(): Uint8Array {
    return this.#bytes.subarray(this.#at)
  }

  #dataView(): DataView {
    const { buffer, byteOffset, byteLength } = this.#bytes
    this.#view ??= new DataView(buffer, byteOffset, byteLength)
    return this.#view
  }
}
