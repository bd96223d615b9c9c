// The bytes of a cell behind its last whole word of four bytes.

/** Returns the one to three bytes before `end` as a word, with zeros above them. */
export function lastBytes(bytes: DataView, end: number, count: number): number {
  // One read takes the bytes before them too, which only the first cell of a block may lack.
  if (end >= 4) return bytes.getInt32(end - 4, true) >>> (32 - 8 * count)
  let word = 0
  for (let n = 1; n <= count; n++) word = (word << 8) | bytes.getUint8(end - n)
  return word
}
