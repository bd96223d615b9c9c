// Base64 pieces straight from a cell's bytes, one by one, for cells that are plainly good. A feed repeats its names and values, so
// most pieces are found in a table by their encoded bytes and nothing is decoded. What is not plainly good gives undefined:
// base64-pieces.ts, over the cell's text, says what it is.
//
// The table is that of byte-table.ts, written out: there are 17 pieces in a row, and only arrays that are constants of the module
// are read without looking up where they are and how long.

import { COLON, decodePiece, PIPE } from './base64-pieces'
import { hashWord, SET_BITS, SET_ENTRIES, tagOf, WORD_BYTES } from './byte-table'

/** Some thousand pieces make up nearly all that a category holds. */
const ENTRY_BITS = 12
/** Of a piece that is kept, encoded: names have up to 40, most values fewer. For all entries 256 KiB. */
const MAX_KEY_BYTES = 64
const KEY_WORDS = MAX_KEY_BYTES / WORD_BYTES

const tags = new Int32Array(1 << ENTRY_BITS)
const words = new Int32Array(KEY_WORDS << ENTRY_BITS)
const texts = new Array<string>(1 << ENTRY_BITS).fill('')
let turn = 0

/** Offset behind the piece that was read last: of a separator, or the end. */
export let pieceEnd = 0

/**
 * The text of the piece that begins at `start` and ends before a separator or at `end`; undefined where it is not plainly good.
 * A good piece is a multiple of four bytes long, so its end is looked for, and its hash made, four bytes at a time.
 */
export function readPiece(bytes: Uint8Array, view: DataView, start: number, end: number): string | undefined {
  let at = start
  let hash = 0
  for (; at + WORD_BYTES <= end; at += WORD_BYTES) {
    const word = view.getInt32(at, true)
    if (isSeparator(word & 0xff)) break
    hash = hashWord(hash, word)
  }
  pieceEnd = at
  if (at === start) return ''
  if (at - start > MAX_KEY_BYTES) return decodePiece(bytes, start, at)
  const tag = tagOf(hash, at - start)
  const first = firstOf(hash)
  for (let entry = first; entry < first + SET_ENTRIES; entry++) {
    if (tags[entry] !== tag) continue
    let word = entry * KEY_WORDS
    let same = start
    for (; same < at && words[word] === view.getInt32(same, true); same += WORD_BYTES) word++
    if (same === at) return texts[entry]
  }
  const text = decodePiece(bytes, start, at)
  if (text !== undefined) keep(hash, view, start, at, text)
  return text
}

function keep(hash: number, view: DataView, start: number, end: number, text: string): void {
  turn = (turn + 1) % SET_ENTRIES
  const entry = firstOf(hash) + turn
  for (let at = start, word = entry * KEY_WORDS; at < end; at += WORD_BYTES) words[word++] = view.getInt32(at, true)
  tags[entry] = tagOf(hash, end - start)
  texts[entry] = text
}

/** The first entry of the set that a hash belongs to. */
function firstOf(hash: number): number {
  return (hash >>> (32 - ENTRY_BITS + SET_BITS)) << SET_BITS
}

/** COLON and SEMICOLON differ in their last bit. */
function isSeparator(byte: number): boolean {
  return (byte & 0xfe) === COLON || byte === PIPE
}
