// Text as bytes, in memory that grows and is used again.

const FIRST_BYTES = 1 << 16
const DIGIT_0 = 0x30
const MOST_DIGITS = 10

/** A growing buffer of text in UTF-8. */
export class TextBuffer {
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

  text(text: string): void {
    // A UTF-16 unit has at most three bytes.
    this.#reserve(3 * text.length)
    this.#length += this.#bytes.write(text, this.#length)
  }

  /** Writes a whole number of 32 bits that is not negative. */
  digits(value: number): void {
    this.#reserve(MOST_DIGITS)
    let digits = 1
    for (let limit = 10; value >= limit; limit *= 10) digits++
    let rest = value
    for (let at = this.#length + digits - 1; at >= this.#length; at--) {
      const shorter = Math.floor(rest / 10)
      this.#bytes[at] = DIGIT_0 + rest - shorter * 10
      rest = shorter
    }
    this.#length += digits
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
