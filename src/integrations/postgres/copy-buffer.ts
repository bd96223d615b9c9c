// The text of a COPY as bytes, in memory that is used again. It knows the escapes of the format and
// no column. A NULL is empty text (the statement has NULL ''), and no empty text is written.
//
//   tab  \t between cells      LF  \n behind a row      backslash, tab, LF, CR in a cell: escaped
//
// PostgreSQL has no NUL in text: U+FFFD stands in its place.

import { COPY_BLOCK_BYTES } from './pg-adapter'

const NUL = 0x00
export const TAB = 0x09
const LF = 0x0a
const CR = 0x0d
const BACKSLASH = 0x5c
const LETTER_R = 0x72
const DIGIT_0 = 0x30
/** Shorter runs of bytes are copied in a loop, and not by a call. */
const LOOP_BYTES = 24
/** The most bytes that a byte of a cell becomes: U+FFFD for NUL. */
const GROWTH = 3

export class CopyBuffer {
  #bytes = Buffer.allocUnsafeSlow(COPY_BLOCK_BYTES + FIRST_ROW_BYTES)
  #spare = Buffer.allocUnsafeSlow(COPY_BLOCK_BYTES + FIRST_ROW_BYTES)
  #length = 0

  get length(): number {
    return this.#length
  }

  /** True where the text is large enough to be sent. */
  get isFull(): boolean {
    return this.#length >= COPY_BLOCK_BYTES
  }

  /** Returns the text. Its memory is used again from the next call on. */
  take(): Uint8Array {
    const taken = this.#bytes.subarray(0, this.#length)
    const used = this.#bytes
    this.#bytes = this.#spare
    // The memory of a huge row is not kept.
    this.#spare =
      used.length === COPY_BLOCK_BYTES + FIRST_ROW_BYTES
        ? used
        : Buffer.allocUnsafeSlow(COPY_BLOCK_BYTES + FIRST_ROW_BYTES)
    this.#length = 0
    return taken
  }

  tab(): void {
    this.#reserve(1)
    this.#bytes[this.#length++] = TAB
  }

  endRow(): void {
    this.#reserve(1)
    this.#bytes[this.#length++] = LF
  }

  /** Copies bytes as they are. */
  raw(source: Uint8Array, from: number, to: number): void {
    const length = to - from
    this.#reserve(length)
    const target = this.#bytes
    if (length > LOOP_BYTES) {
      target.set(source.subarray(from, to), this.#length)
      this.#length += length
      return
    }
    let at = this.#length
    for (let next = from; next < to; next++) target[at++] = source[next]!
    this.#length = at
  }

  /** Copies bytes that may have backslashes, CR and NUL. A tab in them stands between two cells. */
  escapedRun(source: Uint8Array, from: number, to: number): void {
    this.#reserve((to - from) * GROWTH)
    for (let next = from; next < to; next++) this.#byte(source[next]!)
  }

  /** Writes a whole number that is not negative. */
  digits(value: number): void {
    if (value > 0xffff_ffff) {
      this.ascii(String(value))
      return
    }
    this.#reserve(10)
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

  /** Writes text of ASCII that needs no escape. */
  ascii(text: string): void {
    this.#reserve(text.length)
    this.#length += this.#bytes.write(text, this.#length, 'latin1')
  }

  /** Writes the text of a cell. */
  cell(text: string): void {
    const escaped = escapedCell(text)
    this.#reserve(escaped.length * 3)
    this.#length += this.#bytes.write(escaped, this.#length)
  }

  #byte(byte: number): void {
    const target = this.#bytes
    if (byte === BACKSLASH || byte === CR) {
      target[this.#length++] = BACKSLASH
      target[this.#length++] = byte === CR ? LETTER_R : BACKSLASH
    } else if (byte === NUL) {
      for (const part of REPLACEMENT) target[this.#length++] = part
    } else target[this.#length++] = byte
  }

  #reserve(length: number): void {
    const needed = this.#length + length
    if (needed <= this.#bytes.length) return
    const larger = Buffer.allocUnsafeSlow(Math.max(needed, this.#bytes.length * 2))
    larger.set(this.#bytes.subarray(0, this.#length))
    this.#bytes = larger
  }
}

/** U+FFFD in UTF-8. */
const REPLACEMENT = Buffer.from('\uFFFD')
const FIRST_ROW_BYTES = 2 ** 16
const NEEDS_ESCAPE = /[\0\t\n\r\\]/
const ESCAPED = /[\0\t\n\r\\]/g
const ESCAPES: Readonly<Record<string, string>> = {
  '\0': '\uFFFD',
  '\t': '\\t',
  '\n': '\\n',
  '\r': '\\r',
  '\\': '\\\\',
}

/** Returns the text of a cell with the escapes of COPY. */
export function escapedCell(text: string): string {
  return NEEDS_ESCAPE.test(text) ? text.replace(ESCAPED, escapeOf) : text
}

function escapeOf(character: string): string {
  return ESCAPES[character]!
}
