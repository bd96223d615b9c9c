// The block of bytes that the parser fills and scans. Its sizes depend on the bytes alone, never on how the input was cut,
// so batches begin and end at the same rows however the file arrives.

export class Block {
  bytes: Uint8Array
  /** Bytes in use. */
  filled = 0
  /** File offset of `bytes[0]`. */
  baseOffset = 0
  readonly #minBytes: number
  #shared = false

  constructor(minBytes: number) {
    this.#minBytes = minBytes
    this.bytes = Buffer.allocUnsafeSlow(minBytes)
  }

  /** A block that begins inside a file, with bytes that stand there. It has room for more behind them. */
  startAt(baseOffset: number, bytes: Uint8Array): void {
    this.baseOffset = baseOffset
    if (bytes.length >= this.bytes.length) this.bytes = Buffer.allocUnsafeSlow(powerOfTwo(bytes.length * 2))
    this.bytes.set(bytes)
    this.filled = bytes.length
  }

  get isFull(): boolean {
    return this.filled === this.bytes.length
  }

  /** Copies as much of `input[from…]` as fits. @returns how many bytes were taken */
  fill(input: Uint8Array, from: number): number {
    const count = Math.min(this.bytes.length - this.filled, input.length - from)
    this.bytes.set(input.subarray(from, from + count), this.filled)
    this.filled += count
    return count
  }

  /** From here on the bytes belong to a batch: they are not written again. */
  share(): Uint8Array {
    this.#shared = true
    return this.bytes
  }

  /** Drops what is before `offset`. The rest, a row cut off, moves to the front with at least as much room again, so that growth stays linear. */
  dropBefore(offset: number): void {
    const rest = this.bytes.subarray(offset, this.filled)
    const size = Math.max(this.#minBytes, powerOfTwo(rest.length * 2))
    const target = this.#shared || size !== this.bytes.length ? Buffer.allocUnsafeSlow(size) : this.bytes
    target.set(rest)
    this.#shared = this.#shared && target === this.bytes
    this.bytes = target
    this.baseOffset += offset
    this.filled = rest.length
  }
}

function powerOfTwo(atLeast: number): number {
  return atLeast <= 1 ? 1 : 2 ** Math.ceil(Math.log2(atLeast))
}
