// Decodes one Base64 piece of a cell (item-feeds.md, section 2.4). Each piece is encoded on its own,
// and the separators `:`, `;` and `|` are not encoded. The decoder of the column knows what the
// separators mean.

import { isUtf8 } from 'node:buffer'

export const COLON = 0x3a
export const SEMICOLON = 0x3b
export const PIPE = 0x7c
const PADDING = 0x3d

/** Pieces up to this size share one block, and a longer piece gets its own. */
const SHARED_BLOCK_BYTES = 16 * 1024
const sharedBlock = Buffer.alloc(SHARED_BLOCK_BYTES)

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/'
/** The six bits of each byte of the alphabet; -1 for any other byte. */
const SEXTETS = Int8Array.from({ length: 256 }, (_, byte) =>
  ALPHABET.indexOf(String.fromCharCode(byte)),
)
/** The top bits of the three bytes in a group, which ASCII does not set. */
const NON_ASCII_BITS = 0x808080

/**
 * Decodes one piece whose length is a multiple of four bytes. Returns undefined where it is no strict
 * Base64 (RFC 4648 section 4, padded, no stray bits) of UTF-8.
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

/** Returns undefined where the bytes are not UTF-8. */
function utf8Text(bytes: Buffer, start: number, end: number): string | undefined {
  const text = bytes.toString('utf8', start, end)
  // A replacement character may be in the feed itself, so the bytes need a check only if one is
  // there.
  return text.includes('\ufffd') && !isUtf8(bytes.subarray(start, end)) ? undefined : text
}

/** Returns why {@link decodePiece} refuses a piece. */
export function whatIsWrongWith(piece: string): string {
  if (/[^A-Za-z0-9+/=]/.test(piece)) return 'a character outside of the Base64 alphabet'
  if (/=[^=]|===/.test(piece)) return 'a misplaced = in Base64'
  if (piece.length % 4 !== 0) return 'Base64 whose length is not a multiple of four'
  return Buffer.from(piece, 'base64').toString('base64') === piece
    ? 'Base64 of bytes that are not UTF-8'
    : 'Base64 with stray bits after its last byte'
}
