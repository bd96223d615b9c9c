// Decodes the Base64 pieces of one cell (item-feeds.md, section 2.4). Each piece is encoded on its
// own, and the separators `:`, `;` and `|` are not encoded. The decoder of the column knows what
// the separators mean.
//
// One pass over the cell's bytes decodes all pieces in place (four bytes become three, so the
// output never overtakes the input), and one call makes text of the whole cell. Only pieces with a
// byte of 0x80 or above are made text one by one. The pass stops at the first bad byte, and slower
// code finds out what is wrong there.

import { isUtf8 } from 'node:buffer'
import type { FeedError } from '../../errors'
import type { CellType } from '../../schema/values'
import { invalidCell } from './cell-decoder'

export const COLON = 0x3a
export const SEMICOLON = 0x3b
export const PIPE = 0x7c
const PADDING = 0x3d

/**
 * Cells below this size share one block, and a longer cell gets its own. Item cells have a few
 * hundred bytes.
 */
const SHARED_BLOCK_BYTES = 16 * 1024
/** Room for the last separator and for one whole character beyond a cell's ASCII length. */
const MARGIN_BYTES = 4
const sharedBlock = Buffer.alloc(SHARED_BLOCK_BYTES + MARGIN_BYTES)

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/'
/** The six bits of each byte of the alphabet; -1 for any other byte. */
const SEXTETS = Int8Array.from({ length: 256 }, (_, byte) =>
  ALPHABET.indexOf(String.fromCharCode(byte)),
)
/** The top bits of the three bytes in a group, which ASCII does not set. */
const NON_ASCII_BITS = 0x808080

export interface Pieces {
  /** The decoded pieces in order. An empty piece is an empty text. */
  readonly texts: readonly string[]
  /**
   * The byte after each piece: COLON, PIPE or SEMICOLON. The last piece is always followed by
   * SEMICOLON.
   */
  readonly separators: readonly number[]
}

/**
 * Splits a cell at every separator and decodes the pieces, which are strict Base64 (RFC 4648
 * section 4, padded, no stray bits) of UTF-8. A semicolon at the very end closes the last piece and
 * begins no other.
 * @throws FeedError CELL_INVALID
 */
export function decodePieces(text: string, type: CellType): Pieces {
  const length = text.endsWith(';') ? text.length - 1 : text.length
  const bytes = length < SHARED_BLOCK_BYTES ? sharedBlock : Buffer.alloc(length + MARGIN_BYTES)
  // A character outside of ASCII becomes a byte of 0x80 or above at its own index, where the pass
  // stops.
  bytes.write(text, 'utf8')
  bytes[length] = SEMICOLON
  const separators: number[] = []
  const ends: number[] = []
  const wide: boolean[] = []
  let out = 0
  for (let at = 0; at <= length; at++) {
    let seen = 0
    let group = groupAt(bytes, at)
    for (; group >= 0; group = groupAt(bytes, at)) {
      bytes[out++] = group >> 16
      bytes[out++] = group >> 8
      bytes[out++] = group
      seen |= group
      at += 4
    }
    group = paddedGroupAt(bytes, at)
    if (group >= 0) {
      const single = bytes[at + 2] === PADDING
      bytes[out++] = group >> 16
      if (!single) bytes[out++] = group >> 8
      seen |= group
      at += 4
    }
    const separator = bytes[at]!
    if (separator !== COLON && separator !== SEMICOLON && separator !== PIPE)
      throw badPiece(text, separators.length, type)
    separators.push(separator)
    ends.push(out)
    wide.push((seen & NON_ASCII_BITS) !== 0)
  }
  return { texts: textsOf(bytes, ends, wide, text, type), separators }
}

/**
 * Decodes one piece whose length is a multiple of four bytes. Returns undefined where
 * {@link decodePieces} would refuse the piece.
 */
export function decodePiece(bytes: Uint8Array, start: number, end: number): string | undefined {
  const target = end - start <= SHARED_BLOCK_BYTES ? sharedBlock : Buffer.alloc(end - start)
  let out = 0
  let seen = 0
  let at = start
  let group = groupAt(bytes, at)
  for (; at < end && group >= 0; group = groupAt(bytes, at)) {
    target[out++] = group >> 16
    target[out++] = group >> 8
    target[out++] = group
    seen |= group
    at += 4
  }
  if (at < end) {
    group = paddedGroupAt(bytes, at)
    if (group < 0 || at + 4 !== end) return undefined
    target[out++] = group >> 16
    if (bytes[at + 2] !== PADDING) target[out++] = group >> 8
    seen |= group
  }
  return seen & NON_ASCII_BITS ? utf8Text(target, 0, out) : target.toString('latin1', 0, out)
}

/** Returns the 24 bits of the four bytes at `at`, or a negative number for bytes of no alphabet. */
function groupAt(bytes: Uint8Array, at: number): number {
  return (
    (SEXTETS[bytes[at]!]! << 18) |
    (SEXTETS[bytes[at + 1]!]! << 12) |
    (SEXTETS[bytes[at + 2]!]! << 6) |
    SEXTETS[bytes[at + 3]!]!
  )
}

/**
 * Returns the bits of a group that ends in one or two `=`, or a negative number where it does not
 * or has stray bits.
 */
function paddedGroupAt(bytes: Uint8Array, at: number): number {
  if (bytes[at + 3] !== PADDING) return -1
  const single = bytes[at + 2] === PADDING
  const group =
    (SEXTETS[bytes[at]!]! << 18) |
    (SEXTETS[bytes[at + 1]!]! << 12) |
    (single ? 0 : SEXTETS[bytes[at + 2]!]! << 6)
  return group & (single ? 0xffff : 0xff) ? -1 : group
}

function textsOf(
  bytes: Buffer,
  ends: readonly number[],
  wide: readonly boolean[],
  cell: string,
  type: CellType,
): string[] {
  const ascii = bytes.toString('latin1', 0, ends[ends.length - 1])
  const texts: string[] = []
  let start = 0
  for (let n = 0; n < ends.length; n++) {
    const end = ends[n]!
    const text = wide[n] ? utf8Text(bytes, start, end) : ascii.slice(start, end)
    if (text === undefined)
      throw invalidCell(type, 'Base64 of bytes that are not UTF-8', pieceOf(cell, n))
    texts.push(text)
    start = end
  }
  return texts
}

/** Returns undefined where the bytes are not UTF-8. */
function utf8Text(bytes: Buffer, start: number, end: number): string | undefined {
  const text = bytes.toString('utf8', start, end)
  // A replacement character may be in the feed itself, so the bytes need a check only if one is
  // there.
  return text.includes('\ufffd') && !isUtf8(bytes.subarray(start, end)) ? undefined : text
}

function badPiece(cell: string, piece: number, type: CellType): FeedError {
  const text = pieceOf(cell, piece)
  return invalidCell(type, whatIsWrongWith(text), text)
}

function pieceOf(cell: string, piece: number): string {
  return cell.split(/[:;|]/)[piece] ?? cell
}

function whatIsWrongWith(piece: string): string {
  if (/[^A-Za-z0-9+/=]/.test(piece)) return 'a character outside of the Base64 alphabet'
  if (/=[^=]|===/.test(piece)) return 'a misplaced = in Base64'
  if (piece.length % 4 !== 0) return 'Base64 whose length is not a multiple of four'
  return 'Base64 with stray bits after its last byte'
}
