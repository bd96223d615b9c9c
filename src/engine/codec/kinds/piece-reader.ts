// Reads the pieces of a cell straight from its bytes, and pairs of them as aspects. aspects.ts
// describes the forms, and says what is wrong with other cells.
//
// Aspects are the most expensive column of a feed, with many pieces of changing lengths. So there is
// one loop, which reads and hashes the first 16 bytes of each piece and compares them with the
// first entry of the table's set without a branch or a call. The table reads pieces that are
// longer, new or irregular. bench/README.md has the figures.

import type { Aspect } from '../../schema/values'
import { COLON, decodePiece, PIPE, SEMICOLON } from './base64-pieces'
import type { CellSource } from './kind-of-cells'
import { hashWord, WORD_BYTES } from './shared-cells'

/** The pieces of a cell, in order. An empty piece is an empty text. */
export interface Pieces {
  readonly texts: string[]
  /**
   * The byte after each piece: COLON, PIPE or SEMICOLON. The last piece is always followed by
   * SEMICOLON.
   */
  readonly separators: number[]
}

/**
 * Adds the pairs of the cell from `start` to `end` to a list, or else its pieces. Returns false
 * where the cell is not plainly good, with the pieces before the first that is not. Behind the cell
 * is a byte that ends cells, or the end of the block.
 */
export type PieceReader = (
  block: Pick<CellSource, 'bytes' | 'view'>,
  start: number,
  end: number,
  aspects: Aspect[] | undefined,
  pieces?: Pieces,
) => boolean

/** Makes a reader with a table of its own. */
export function pieceReader(): PieceReader {
  // These are constants of the function because bundlers make variables of a module's constants.
  const table = new PieceTable()
  const { entries, texts } = table
  const bits = PIECE_BITS

  return function readPieces({ bytes, view }, start, end, aspects, pieces) {
    if (end + HEAD_BYTES >= bytes.length) return false
    const last = bytes[end - 1] === SEMICOLON ? end - 1 : end
    let label: string | null = null
    let name = ''
    let before = SEMICOLON
    for (let at = start; ; ) {
      const a = view.getInt32(at, true)
      let b = view.getInt32(at + 4, true)
      let c = view.getInt32(at + 8, true)
      let d = view.getInt32(at + 12, true)
      // The mask has all bits set while the piece goes on, and clears the bytes behind the piece.
      const inB = bits[b & 0xff]!
      const inC = bits[c & 0xff]! & inB
      const inD = bits[d & 0xff]! & inC
      const inNext = bits[view.getUint8(at + HEAD_BYTES)]! & inD
      b &= inB
      c &= inC
      d &= inD
      const length = 4 - 4 * (inB + inC + inD)
      const hash = hashHead(a, b, c, d)
      const set = setOf(hash)
      const word = set * ENTRY_WORDS
      const differs =
        (entries[word]! ^ length) |
        (entries[word + 1]! ^ a) |
        (entries[word + 2]! ^ b) |
        (entries[word + 3]! ^ c) |
        (entries[word + 4]! ^ d)
      let text: string | undefined
      let stop = at + length
      if ((differs | inNext) === 0) text = texts[set]
      else if (bits[a & 0xff] === 0) {
        text = ''
        stop = at
      } else {
        text = table.read(bytes, view, at, stop, last, hash)
        stop = table.end
      }
      if (text === undefined || stop > last) return false
      const separator = stop === last ? SEMICOLON : view.getUint8(stop)
      if (aspects === undefined) {
        if (separator !== COLON && separator !== SEMICOLON && separator !== PIPE) return false
        pieces?.texts.push(text)
        pieces?.separators.push(separator)
      } else if (separator === SEMICOLON && before === COLON)
        aspects.push({ label, name, value: text })
      else if (separator === COLON && before !== COLON) name = text
      else if (separator === PIPE && before === SEMICOLON) label = text
      else return false
      if (stop === last) return true
      before = separator
      at = stop + 1
    }
  }
}

// A bounded cache from encoded Base64 pieces to their texts: a feed repeats its names and values,
// so most pieces are decoded once. The table never keeps a piece that is not plainly good Base64,
// and returns undefined for it.
//
// The hash of a piece selects a set of two entries. A new piece replaces the second entry, and a
// hit in the second entry swaps the two, so the many pieces that never come again replace only each
// other. The reader compares pieces with first entries itself.

/**
 * Bytes of a piece's head, which every piece is read and hashed by, with zeros behind a shorter
 * piece. Most pieces are not longer.
 */
export const HEAD_BYTES = 4 * WORD_BYTES
/** There are 2,048 sets, as some thousand pieces make up nearly all pieces of a category. */
const SET_BITS = 11
const SETS = 2 ** SET_BITS
/** An entry is a length and a piece. All entries have 256 KiB. */
export const ENTRY_WORDS = 16
/** The most encoded bytes of a piece in the table: names have up to 40, most values fewer. */
const MAX_KEY_BYTES = (ENTRY_WORDS - 1) * WORD_BYTES

/**
 * The mask of each byte: no bit for bytes that end a piece or a cell, all bits for other bytes.
 */
export const PIECE_BITS = Int32Array.from({ length: 256 }, (_, byte) => (isEnd(byte) ? 0 : -1))

export class PieceTable {
  /**
   * The entries: the length of a piece, 0 for a free entry, then its bytes with zeros behind. The
   * first entries of all sets come first.
   */
  readonly entries = new Int32Array(2 * SETS * ENTRY_WORDS)
  readonly texts: string[] = new Array<string>(2 * SETS).fill('')
  /**
   * Offset of the byte that ends the piece that was read last. It is up to three bytes beyond the
   * limit where the length of the piece is not a multiple of four.
   */
  end = 0

  /**
   * Returns the text of the piece at `start`, or undefined where it is not plainly good. The length
   * of a good piece is a multiple of four, so the search for its end takes four bytes a step, up to
   * `limit`. `end` and `hash` come from the head of the piece.
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

  /** Swaps two entries. @returns the text of the one that is now the first */
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

/** Returns the hash of a piece's head. {@link hashWord} adds the bytes that follow. */
export function hashHead(a: number, b: number, c: number, d: number): number {
  return hashWord(hashWord(a, b), hashWord(c, d))
}

/** Returns the first entry of the set that a hash selects. */
export function setOf(hash: number): number {
  return hash >>> (32 - SET_BITS)
}

/** The bytes that end a piece: separators, and the tab and line ends behind a cell. */
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
