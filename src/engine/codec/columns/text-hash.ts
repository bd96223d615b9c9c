// The hash of a text: 32 bits that are well mixed, as the estimate of distinct values needs them. It
// is the function MurmurHash3_x86_32 with a fixed seed. The caches of codec/kinds/shared-cells.ts
// have a quicker hash, which mixes less. If you change the hash, also change
// src/engine/wasm/profile.ts.

const SEED = 0x5bd1e995
const C1 = 0xcc9e2d51
const C2 = 0x1b873593

/** Returns the hash of `bytes[start, end)` as a signed number. */
export function textHash(bytes: DataView, start: number, end: number): number {
  let hash = SEED
  let at = start
  for (const last = end - 4; at <= last; at += 4) {
    hash ^= scrambled(bytes.getInt32(at, true))
    // Without this truncation V8 would compute with doubles.
    hash = (Math.imul((hash << 13) | (hash >>> 19), 5) + 0xe6546b64) | 0
  }
  const rest = end - at
  if (rest > 0) hash ^= scrambled(lastBytes(bytes, end, rest))
  hash ^= end - start
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b)
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35)
  return (hash ^ (hash >>> 16)) | 0
}

function scrambled(word: number): number {
  const mixed = Math.imul(word, C1)
  return Math.imul((mixed << 15) | (mixed >>> 17), C2)
}

/** Returns the one to three bytes before `end` as a word, with zeros above them. */
export function lastBytes(bytes: DataView, end: number, count: number): number {
  // One read takes the bytes before them too, which only the first text may lack.
  if (end >= 4) return bytes.getInt32(end - 4, true) >>> (32 - 8 * count)
  let word = 0
  for (let n = 1; n <= count; n++) word = (word << 8) | bytes.getUint8(end - n)
  return word
}
