// The least and the greatest value of a column chunk, by which readers leave out row groups, so that a
// bound may be too wide and never too narrow. Numbers have their own order, texts that of their bytes
// without a sign. Long texts are cut between two characters: the lower bound is the start of the text,
// the upper one that start with its last character replaced by the next one. Doubles leave NaN out,
// and a zero is -0 as the least and 0 as the greatest value, because readers take both for the same.

import type { ArrowType } from '../../engine/index'
import { turnDecimals } from './raw-values'

/** The most bytes of a bound. */
const MOST_BYTES = 64
const LAST_CHARACTER = 0x10ffff
const SURROGATES = { before: 0xd7ff, after: 0xe000 }

export interface Bound {
  readonly bytes: Uint8Array
  readonly isExact: boolean
}

/** Compares the values at two places. */
type IsLess = (
  a: DataView,
  at: number,
  length: number,
  b: DataView,
  to: number,
  size: number,
) => boolean

export class ValueRange {
  readonly #kind: ArrowType['kind']
  readonly #isLess: IsLess
  #least: DataView | undefined
  #greatest: DataView | undefined

  constructor({ kind }: ArrowType) {
    this.#kind = kind
    this.#isLess = kind === 'float64' ? isLessDouble : isText(kind) ? isLessText : isLessNumber
  }

  see({ buffer, byteOffset, byteLength }: Uint8Array): void {
    this.#see(new DataView(buffer, byteOffset, byteLength), 0, byteLength)
  }

  /** @param plain values in the encoding PLAIN, before decimals are turned, each of `width` bytes */
  seeAll({ buffer, byteOffset, byteLength }: Uint8Array, width: number): void {
    const view = new DataView(buffer, byteOffset, byteLength)
    for (let at = 0, length = width; at < byteLength; at += length) {
      if (width === 0) {
        length = view.getInt32(at, true)
        at += 4
      }
      this.#see(view, at, length)
    }
  }

  #see(view: DataView, at: number, length: number): void {
    if (this.#kind === 'float64' && Number.isNaN(view.getFloat64(at, true))) return
    const isLess = this.#isLess
    const [least, greatest] = [this.#least, this.#greatest]
    if (least === undefined || isLess(view, at, length, least, 0, least.byteLength))
      this.#least = copyOf(view, at, length)
    if (greatest === undefined || isLess(greatest, 0, greatest.byteLength, view, at, length))
      this.#greatest = copyOf(view, at, length)
  }

  /** Undefined where there is no value. */
  least(): Bound | undefined {
    if (this.#kind === 'float64') return zeroOr(this.#least, -0)
    return this.#bound(this.#least, text => text)
  }

  /** Undefined where there is no value, or none that is greater than a long text and short. */
  greatest(): Bound | undefined {
    if (this.#kind === 'float64') return zeroOr(this.#greatest, 0)
    return this.#bound(this.#greatest, following)
  }

  #bound(value: DataView | undefined, wider: (start: string) => string | undefined) {
    if (value === undefined) return undefined
    const bytes = new Uint8Array(value.buffer)
    if (this.#kind === 'decimal') {
      const turned = bytes.slice()
      turnDecimals(turned)
      return { bytes: turned, isExact: true }
    }
    if (!isText(this.#kind) || bytes.length <= MOST_BYTES) return { bytes, isExact: true }
    const start = wider(startOf(bytes))
    return start === undefined ? undefined : { bytes: Buffer.from(start), isExact: false }
  }
}

function isText(kind: ArrowType['kind']): boolean {
  return kind === 'utf8' || kind === 'dictionary'
}

function copyOf({ buffer, byteOffset }: DataView, at: number, length: number): DataView {
  return new DataView(buffer.slice(byteOffset + at, byteOffset + at + length))
}

/** False for NaN. */
function isLessDouble(a: DataView, at: number, _length: number, b: DataView, to: number): boolean {
  return a.getFloat64(at, true) < b.getFloat64(to, true)
}

/** The highest word has the sign. */
function isLessNumber(a: DataView, at: number, length: number, b: DataView, to: number): boolean {
  if (length === 1) return a.getUint8(at) < b.getUint8(to)
  const top = length - 4
  const difference = a.getInt32(at + top, true) - b.getInt32(to + top, true)
  if (difference !== 0) return difference < 0
  for (let n = top - 4; n >= 0; n -= 4) {
    const lower = a.getUint32(at + n, true) - b.getUint32(to + n, true)
    if (lower !== 0) return lower < 0
  }
  return false
}

const isLessText: IsLess = (a, at, length, b, to, size) => {
  const both = Math.min(length, size)
  let n = 0
  // Words with the first byte highest are in the order of their bytes.
  for (; n + 4 <= both; n += 4) {
    const difference = a.getUint32(at + n) - b.getUint32(to + n)
    if (difference !== 0) return difference < 0
  }
  for (; n < both; n++) {
    const difference = a.getUint8(at + n) - b.getUint8(to + n)
    if (difference !== 0) return difference < 0
  }
  return length < size
}

function zeroOr(value: DataView | undefined, zero: number): Bound | undefined {
  if (value === undefined) return undefined
  const isZero = value.getFloat64(0, true) === 0
  const bytes = new Uint8Array(isZero ? Float64Array.of(zero).buffer : value.buffer)
  return { bytes, isExact: true }
}

/** Returns the start of a text without the character that its end would cut. */
function startOf(bytes: Uint8Array): string {
  let end = MOST_BYTES
  while (((bytes[end] ?? 0) & 0xc0) === 0x80) end--
  return Buffer.from(bytes.subarray(0, end)).toString()
}

/** Returns the least text that is greater than all texts with a start, and not longer than it. */
function following(start: string): string | undefined {
  const characters = Array.from(start, character => character.codePointAt(0)!)
  while (characters.at(-1) === LAST_CHARACTER) characters.pop()
  const last = characters.pop()
  if (last === undefined) return undefined
  const next = last === SURROGATES.before ? SURROGATES.after : last + 1
  return String.fromCodePoint(...characters, next)
}
