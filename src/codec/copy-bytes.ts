// Copies of bytes that others are going to write over, and what makes copying quick.

/**
 * V8 copies into and out of shared memory word by word, and byte by byte where the two places are
 * not aligned alike to this.
 */
export const COPY_WORD_BYTES = 8

/** A copy alone in its memory, but for less than a word before it. */
export function copyBytes(bytes: Uint8Array): Uint8Array {
  const before = bytes.byteOffset % COPY_WORD_BYTES
  // Not zeroed before, as a new Uint8Array would be.
  const { buffer } = Buffer.allocUnsafeSlow(before + bytes.length)
  const copy = new Uint8Array(buffer, before)
  copy.set(bytes)
  return copy
}
