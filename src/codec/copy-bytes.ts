// Copies of bytes that others are going to write over.

/** V8 copies out of shared memory word by word, and byte by byte where the two places are not aligned alike. */
const WORD_BYTES = 8

/** A copy alone in its memory, but for less than a word before it. */
export function copyBytes(bytes: Uint8Array): Uint8Array {
  const before = bytes.byteOffset % WORD_BYTES
  // Not zeroed before, as a new Uint8Array would be.
  const { buffer } = Buffer.allocUnsafeSlow(before + bytes.length)
  const copy = new Uint8Array(buffer, before)
  copy.set(bytes)
  return copy
}
