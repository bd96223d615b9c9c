// Reads the digits of a cell's bytes as a number. The decoders of whole numbers and of timestamps
// share the loop.

export const MINUS = 0x2d
export const DIGIT_0 = 0x30

/**
 * Returns the number that the digits make, 0 where there are none, or -1 where a byte is not a
 * digit. The caller gives at most 9 digits: their number fits into 32 bits, so the loop needs no
 * check of an overflow, and V8 never makes a double of it.
 */
export function readDigits(bytes: DataView, start: number, end: number): number {
  let value = 0
  for (let at = start; at < end; at++) {
    const digit = bytes.getUint8(at) - DIGIT_0
    // As an unsigned number, a negative one is large.
    if (digit >>> 0 > 9) return -1
    value = (Math.imul(value, 10) + digit) | 0
  }
  return value
}
