// What a profile needs of the columns that columns.ts decodes: the hash of a text, and where the
// lowest and the highest number stands.
//
// If you change the hash, also change src/engine/codec/columns/text-hash.ts, which hashes where this
// module cannot run.

/** Returns the hash of a text: MurmurHash3_x86_32 with a fixed seed. */
export function hashOf(start: usize, end: usize): u32 {
  let hash: u32 = 0x5bd1e995
  let at = start
  for (; at + 4 <= end; at += 4) {
    hash ^= scrambled(load<u32>(at))
    hash = rotl<u32>(hash, 13) * 5 + 0xe6546b64
  }
  const rest = <u32>(end - at)
  if (rest != 0) hash ^= scrambled(load<u32>(at) & ((1 << (rest << 3)) - 1))
  hash ^= <u32>(end - start)
  hash = (hash ^ (hash >> 16)) * 0x85ebca6b
  hash = (hash ^ (hash >> 13)) * 0xc2b2ae35
  return hash ^ (hash >> 16)
}

function scrambled(word: u32): u32 {
  return rotl<u32>(word * 0xcc9e2d51, 15) * 0x1b873593
}

/**
 * Returns the row of the lowest or of the highest number; -1 where all are null.
 * @param valid bits of the rows that are not null; 0 where no row is
 * @param stride bytes from a number to the next: 4, 8, or 16 of which the lower half comes first
 */
export function extremeRow(
  valid: usize,
  values: usize,
  stride: usize,
  rows: u32,
  isHighest: bool,
): i32 {
  let found: i32 = -1
  let best: i64 = 0
  let bestLow: u64 = 0
  for (let row: u32 = 0; row < rows; row++, values += stride) {
    if (valid != 0 && ((<u32>load<u8>(valid + <usize>(row >> 3)) >> (row & 7)) & 1) == 0) continue
    const low: u64 = stride == 16 ? load<u64>(values) : 0
    const value = stride == 4 ? <i64>load<i32>(values) : load<i64>(values + ((stride >> 4) << 3))
    const isLess = value < best || (value == best && low < bestLow)
    const isMore = value > best || (value == best && low > bestLow)
    if (found >= 0 && !(isHighest ? isMore : isLess)) continue
    found = <i32>row
    best = value
    bestLow = low
  }
  return found
}
