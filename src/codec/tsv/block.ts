// The block of bytes that the parser reads. Its sizes depend on the bytes alone, never on how the
// input was cut, so batches begin and end at the same rows however the file arrives. A block is
// filled by copying, or lent where it lies.

import { COPY_WORD_BYTES } from '../copy-bytes'

export class Block {
  /** What is read: this block's own memory, or a lender's. */
  bytes: Uint8Array
  /** Bytes in use. */
  filled = 0
  /** File offset of `bytes[0]`. */
  baseOffset = 0
  readonly #minBytes: number
  /** Of this block, when it is full. */
  #size: number
  /** Of `#size`, and a word more. */
  #own: Uint8Array
  #isLent = false

  constructor(minBytes: number) {
    this.#minBytes = minBytes
    this.#size = minBytes
    this.#own = memoryFor(minBytes)
    this.bytes = this.#own.subarray(0, minBytes)
  }

  get size(): number {
    return this.#size
  }

  /**
   * A block that begins inside a file, with bytes that stand there. It has room for more behind
   * them.
   */
  startAt(baseOffset: number, bytes: Uint8Array): void {
    this.baseOffset = baseOffset
    this.#makeRoomFor(bytes.length)
    this.bytes.set(bytes)
    this.filled = bytes.length
  }

  /** What is read now is a lender's, which writes nothing there before more is asked for. */
  get isLent(): boolean {
    return this.#isLent
  }

  get isFull(): boolean {
    return this.filled === this.#size
  }

  /** Copies as much of `input[from…]` as fits. @returns how many bytes were taken */
  fill(input: Uint8Array, from: number): number {
    const count = Math.min(this.#size - this.filled, input.length - from)
    if (this.filled === 0) this.#placeAs(input.byteOffset + from)
    this.bytes.set(count === input.length ? input : input.subarray(from, from + count), this.filled)
    this.filled += count
    return count
  }

  /** Forgets what was filled in: the caller has it, and goes on with it. */
  takeBack(): void {
    this.filled = 0
  }

  /** Instead of filling it: a whole block, read where it lies until `dropBefore`. */
  lend(block: Uint8Array): void {
    this.bytes = block
    this.filled = block.length
    this.#isLent = true
  }

  /**
   * Drops what is before `offset`. The rest is a row cut off: its block has at least as much room
   * again, so that growth stays linear. It moves to the front, unless the block was lent: then it
   * is the caller's to go on with it.
   */
  dropBefore(offset: number): void {
    const rest = this.bytes.subarray(offset, this.filled)
    this.#makeRoomFor(rest.length)
    this.baseOffset += offset
    this.filled = this.#isLent ? 0 : rest.length
    if (!this.#isLent) this.bytes.set(rest)
    this.#isLent = false
  }

  #makeRoomFor(restBytes: number): void {
    this.#size = Math.max(this.#minBytes, powerOfTwo(restBytes * 2))
    if (this.#size + COPY_WORD_BYTES !== this.#own.length) this.#own = memoryFor(this.#size)
    this.bytes = this.#own.subarray(0, this.#size)
  }

  #placeAs(byteOffset: number): void {
    const at = byteOffset % COPY_WORD_BYTES
    this.bytes = this.#own.subarray(at, at + this.#size)
  }
}

function memoryFor(bytes: number): Uint8Array {
  return Buffer.allocUnsafeSlow(bytes + COPY_WORD_BYTES)
}

function powerOfTwo(atLeast: number): number {
  return atLeast <= 1 ? 1 : 2 ** Math.ceil(Math.log2(atLeast))
}
