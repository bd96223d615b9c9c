// A bounded dictionary from Base64 pieces, as they stand in a cell, to their texts: a feed repeats
// its names and values, so most pieces are decoded once. What is not plainly good Base64 is never
// kept and gives undefined.
//
// A piece stands in one of the two places of its hash's set. A new one takes the second, and what
// is found there moves to the first, so the many pieces that never come again push out nothing but
// each other. Whoever reads most of its pieces in the first place compares them there itself,
// aspect-reader.ts; everything else is done here.

import { COLON, decodePiece, PIPE, SEMICOLON } from './base64-pieces'
import { hashWord, WORD_BYTES } from './byte-table'

/**
 * Every piece is read and hashed by so many bytes, with zeros behind it: four of five are not
 * longer.
 */
export const HEAD_BYTES = 4 * WORD_BYTES
/** 2,048 sets: some thousand pieces make up nearly all that a category holds. */
const SET_BITS = 11
const SETS = 2 ** SET_BITS
/** A length and a piece, together one line of a processor's cache. All entries have 256 KiB. */
export const ENTRY_WORDS = 16
/** Of a piece that is kept, encoded: names have up to 40, most values fewer. */
const MAX_KEY_BYTES = (ENTRY_WORDS - 1) * WORD_BYTES

/**
 * No bit for the bytes that end a piece, those that end a cell among them; all bits for any other.
 */
export const PIECE_BITS = Int32Array.from({ length: 256 }, (_, byte) => (isEnd(byte) ? 0 : -1))

export class PieceTable {
  /**
   * Of each entry the piece's length, then its bytes with zeros behind; length 0 where there is
   * none. Those in the first places come first.
   */
  readonly entries = new Int32Array(2 * SETS * ENTRY_WORDS)
  readonly texts: string[] = new Array<string>(2 * SETS).fill('')
  /**
   * Offset of what ends the piece that was read last: up to three bytes beyond its limit where it
   * is no multiple of four.
   */
  end = 0

  /**
   * The text of the piece that begins at `start`; undefined where it is not plainly good. A good
   * piece is a multiple of four bytes long, so its end is looked for four bytes at a time: `end`
   * and `hash` are what its head gave. None is looked for beyond `limit`.
   */
  read(
    bytes: Uint8Array,
    view: DataView,
    start: number,
    end: number,
    limit: number,
    hash: number,
  ): string | undefined {
    while (end < limit && PIECE_BITS[bytes[end]!] !== 0) {
      hash = hashWord(hash, view.getInt32(end, true))
      end += WORD_BYTES
    }
    this.end = end
    if (end - start > MAX_KEY_BYTES) return decodePiece(bytes, start, end)
    const first = setOf(hash)
    if (this.#has(first, view, start, end)) return this.texts[first]
    const second = first + SETS
    if (this.#has(second, view, start, end)) return this.#promote(first, second)
    const text = decodePiece(bytes, start, end)
    if (text !== undefined) this.#keep(second, view, start, end, text)
    return text
  }

  #has(entry: number, view: DataView, start: number, end: number): boolean {
    const { entries } = this
    let word = entry * ENTRY_WORDS
    if (entries[word++] !== end - start) return false
    let at = start
    while (at < end && entries[word] === view.getInt32(at, true)) {
      at += WORD_BYTES
      word++
    }
    return at === end
  }

  #keep(entry: number, view: DataView, start: number, end: number, text: string): void {
    this.texts[entry] = text
    let word = entry * ENTRY_WORDS
    const stop = word + ENTRY_WORDS
    this.entries[word++] = end - start
    for (let at = start; at < end; at += WORD_BYTES) this.entries[word++] = view.getInt32(at, true)
    while (word < stop) this.entries[word++] = 0
  }

  /** Two entries change places. @returns the text of the one that is now the first */
  #promote(first: number, second: number): string {
    const { entries, texts } = this
    const text = texts[second]!
    texts[second] = texts[first]!
    texts[first] = text
    for (let n = 0; n < ENTRY_WORDS; n++) {
      const word = entries[first * ENTRY_WORDS + n]!
      entries[first * ENTRY_WORDS + n] = entries[second * ENTRY_WORDS + n]!
      entries[second * ENTRY_WORDS + n] = word
    }
    return text
  }
}

/** The hash of a piece's head. {@link hashWord} adds what follows. */
export function hashHead(a: number, b: number, c: number, d: number): number {
  return hashWord(hashWord(a, b), hashWord(c, d))
}

/** The first entry of the set that a hash belongs to. */
export function setOf(hash: number): number {
  return hash >>> (32 - SET_BITS)
}

/** COLON and SEMICOLON between pieces, PIPE; tab and line ends behind a cell. */
function isEnd(byte: number): boolean {
  return (
    byte === COLON ||
    byte === SEMICOLON ||
    byte === PIPE ||
    byte === 0x09 ||
    byte === 0x0a ||
    byte === 0x0d
  )
}
