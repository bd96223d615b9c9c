// Writes many small records of bytes one after the other, without an allocation for each, and reads
// them in the same order. Whole numbers have 7 bits a byte, low bits first, with the high bit set
// on all but the last (LEB128).

import { CELL_END } from './tsv/scan-space'

/** Bytes of a chunk, which are enough for some dozens of rows. */
const CHUNK_BYTES = 1 << 16
const INT32_MAX = 2 ** 31 - 1

export class ByteWriter {
  #chunk = Buffer.alloc(0)
  #start = 0
  #end = 0
  /** Bytes of the earlier chunks since the last {@link rewind}. */
  #fullBytes = 0

  /**
   * Writes the next records over those that were taken, which no reader uses any more. The memory
   * grows to what is written between two calls.
   */
  rewind(): void {
    if (this.#fullBytes > 0) this.#chunk = Buffer.allocUnsafeSlow(this.#fullBytes + this.#start)
    this.#fullBytes = 0
    this.#start = 0
    this.#end = 0
  }

  /** Begins a record, and drops what was written of one that was not taken. */
  begin(): void {
    this.#end = this.#start
  }

  byte(value: number): void {
    this.#reserve(1)
    this.#chunk[this.#end++] = value
  }

  /** Writes a whole number from 0 to 2^53 - 1. */
  number(value: number): void {
    this.#reserve(8)
    this.#end = writeNumber(value, this.#chunk, this.#end)
  }

  /**
   * Writes ends of cells (RowIndex.cellEnds) as the lengths of the cells, without marks. The first
   * cell begins at `start`.
   */
  lengths(ends: Int32Array, from: number, to: number, start: number): void {
    this.#reserve(5 * (to - from))
    const chunk = this.#chunk
    let at = this.#end
    let begin = start
    for (let n = from; n < to; n++) {
      const end = ends[n]! & CELL_END
      // Lengths are below 2^31, so the check for larger numbers in `writeNumber` is left out.
      let rest = end - begin
      for (; rest >= 0x80; rest >>= 7) chunk[at++] = rest | 0x80
      chunk[at++] = rest
      begin = end + 1
    }
    this.#end = at
  }

  /** Writes any number, in 8 bytes. */
  double(value: number): void {
    this.#reserve(8)
    this.#end = this.#chunk.writeDoubleLE(value, this.#end)
  }

  /** Writes a whole number below 2^32, in 4 bytes. */
  uint32(value: number): void {
    this.#reserve(4)
    this.#end = this.#chunk.writeUInt32LE(value, this.#end)
  }

  bytes(value: Uint8Array): void {
    this.#reserve(value.length)
    this.#chunk.set(value, this.#end)
    this.#end += value.length
  }

  /**
   * Returns the record that was written since the last call. Records share chunks, so one record
   * may keep about 64 KiB alive.
   */
  take(): Uint8Array {
    const record = this.#chunk.subarray(this.#start, this.#end)
    this.#start = this.#end
    return record
  }

  // Only `rewind` lets the writer overwrite a chunk, so records stay as they are.
  #reserve(bytes: number): void {
    if (this.#end + bytes <= this.#chunk.length) return
    const begun = this.#end - this.#start
    const chunk = Buffer.allocUnsafeSlow(Math.max(CHUNK_BYTES, 2 * (begun + bytes)))
    this.#chunk.copy(chunk, 0, this.#start, this.#end)
    this.#fullBytes += this.#start
    this.#chunk = chunk
    this.#start = 0
    this.#end = begun
  }
}

/**
 * Writes a whole number from 0 to 2^53 - 1 as {@link ByteWriter.number} does, at an offset of a
 * buffer.
 * @returns the offset behind the number
 */
export function writeNumber(value: number, into: Uint8Array, at: number): number {
  let large = value
  let end = at
  for (; large > INT32_MAX; large = Math.floor(large / 0x80)) into[end++] = (large % 0x80) | 0x80
  // Most numbers are small, and need no division.
  let rest = large | 0
  for (; rest >= 0x80; rest >>= 7) into[end++] = rest | 0x80
  into[end] = rest
  return end + 1
}

// There is no view of the bytes themselves, because V8 keeps a short array in its heap until its
// buffer is asked for, and then moves it out.
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
