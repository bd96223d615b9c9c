// The order of keys by their bytes, found for many keys at once.

import { compareHeads, keyStart, type RowHeads } from './row-heads'

/**
 * Returns the places of the first `rows` heads (less than 2^24) in the order of their keys, equal
 * keys in the order of their places.
 */
export function keyOrder(heads: RowHeads, rows: number): Uint32Array {
  const shared = sharedBytes(heads, rows)
  const numbers = new BigUint64Array(rows)
  const words = new Uint32Array(numbers.buffer)
  const { keys, keyEnds } = heads
  for (let n = 0; n < rows; n++) {
    const end = keyEnds[n]!
    let at = keyStart(heads, n) + shared
    let high = 0
    for (let byte = 0; byte < 4; byte++) high = (high << 8) | (at < end ? keys[at++]! : 0)
    words[2 * n] = ((at < end ? keys[at]! : 0) << 24) | n
    words[2 * n + 1] = high
  }
  // Without a function this is the sort of the runtime itself, which is ten times as fast.
  numbers.sort()
  const order = new Uint32Array(rows)
  for (let n = 0; n < rows; n++) order[n] = words[2 * n]! & 0xff_ffff
  for (let from = 0, to = 1; to <= rows; to++) {
    if (to < rows && isAlike(words, from, to)) continue
    if (to - from > 1) sortPart(heads, order.subarray(from, to))
    from = to
  }
  return order
}

/** Tells whether the numbers of two places have the same bytes of their keys. */
function isAlike(words: Uint32Array, a: number, b: number): boolean {
  return words[2 * a + 1] === words[2 * b + 1] && (words[2 * a]! ^ words[2 * b]!) >>> 24 === 0
}

function sortPart(heads: RowHeads, places: Uint32Array): void {
  places.sort((a, b) => compareHeads(heads, a, heads, b) || a - b)
}

/** The number of bytes with which all keys begin. */
function sharedBytes(heads: RowHeads, rows: number): number {
  const { keys, keyEnds } = heads
  let shared = rows === 0 ? 0 : keyEnds[0]!
  for (let n = 1; n < rows; n++) {
    const start = keyStart(heads, n)
    const most = Math.min(shared, keyEnds[n]! - start)
    let same = 0
    while (same < most && keys[start + same] === keys[same]) same++
    shared = same
  }
  return shared
}
