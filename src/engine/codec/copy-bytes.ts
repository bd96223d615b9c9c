// Copies bytes whose owner is going to overwrite them, and says how copies are aligned to be quick.

/**
 * V8 copies into and out of shared memory word by word where both places have the same offset
 * within a word of this size, and byte by byte elsewhere.
 */
export const COPY_WORD_BYTES = 8

/** Returns a copy in memory of its own, which has less than one more word. */
export function copyBytes(bytes: Uint8Array): Uint8Array {
  const before = bytes.byteOffset % COPY_WORD_BYTES
  // A new Uint8Array would be zeroed first, which costs time.
  const { buffer } = Buffer.allocUnsafeSlow(before + bytes.length)
  const copy = new Uint8Array(buffer, before)
  copy.set(bytes)
  return copy
}
