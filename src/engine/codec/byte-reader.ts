// Reads the values of byte-writer.ts in the order in which they were written.

// A view of the bytes themselves would cost more than the copy: V8 keeps a short array in its heap
// until its buffer is asked for, and then moves it out.
const SCRATCH_BYTES = new Uint8Array(8)
const SCRATCH = new DataView(SCRATCH_BYTES.buffer)

export class ByteReader {
  readonly #bytes: Uint8Array
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
      // Behind the end there is no byte, and the number ends too.
      if (!(byte >= 0x80)) return value
      scale *= 0x80
    }
  }

  double(): number {
    for (let n = 0; n < 8; n++) SCRATCH_BYTES[n] = this.#bytes[this.#at++]!
    return SCRATCH.getFloat64(0, true)
  }

  uint32(): number {
    for (let n = 0; n < 4; n++) SCRATCH_BYTES[n] = this.#bytes[this.#at++]!
    return SCRATCH.getUint32(0, true)
  }

  /** Returns a view of all bytes that follow. */
  rest(): Uint8Array {
    return this.#bytes.subarray(this.#at)
  }
}
