// A growing buffer of JSON text.

const QUOTE = 0x22
const BACKSLASH = 0x5c
const SPACE = 0x20
const FIRST_BYTES = 1 << 16

export class JsonBuffer {
  #bytes: Buffer
  #length = 0

  constructor(bytes = FIRST_BYTES) {
    this.#bytes = Buffer.allocUnsafeSlow(bytes)
  }

  get length(): number {
    return this.#length
  }

  /** Drops what was written behind an earlier length. */
  cutTo(length: number): void {
    this.#length = length
  }

  raw(bytes: Uint8Array): void {
    this.#reserve(bytes.length)
    this.#bytes.set(bytes, this.#length)
    this.#length += bytes.length
  }

  json(text: string): void {
    // A UTF-16 unit has at most three bytes.
    this.#reserve(3 * text.length)
    this.#length += this.#bytes.write(text, this.#length)
  }

  /**
   * Writes UTF-8 as a string of JSON.
   * @returns false, and writes nothing, where JSON has to escape a byte
   */
  plainText(source: Uint8Array, start: number, end: number): boolean {
    this.#reserve(end - start + 2)
    const bytes = this.#bytes
    let at = this.#length
    bytes[at++] = QUOTE
    for (let from = start; from < end; from++) {
      const byte = source[from]!
      if (byte < SPACE || byte === QUOTE || byte === BACKSLASH) return false
      bytes[at++] = byte
    }
    bytes[at++] = QUOTE
    this.#length = at
    return true
  }

  /** Returns a view of what was written, which is valid until the next call. */
  view(): Buffer {
    return this.#bytes.subarray(0, this.#length)
  }

  #reserve(count: number): void {
    const needed = this.#length + count
    if (needed <= this.#bytes.length) return
    const larger = Buffer.allocUnsafeSlow(Math.max(needed, 2 * this.#bytes.length))
    larger.set(this.view())
    this.#bytes = larger
  }
}
