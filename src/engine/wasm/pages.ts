// The loops over the values of a Parquet page: their places in a dictionary, hybrid runs, texts behind
// their lengths, and Snappy. AssemblyScript, not TypeScript: `build.mjs` compiles it. The module keeps
// nothing between pages: the host (src/integrations/parquet/page-core.ts) copies a piece of the page
// and the dictionary so far here, and what is made of them out again. Formats are described there,
// where their parts are put together.

/** The most bytes and values of a piece. */
export const PIECE_BYTES: u32 = 0x100000
export const PIECE_VALUES: u32 = 0x8000
/** The most bytes and values of a dictionary: its places have 16 bits. */
export const DICTIONARY_BYTES: u32 = 0x100000
export const DICTIONARY_VALUES: u32 = 0x10000

/** Words are read and written behind the end of what is there. */
const GAP: usize = 64

/** The bytes of values, or levels of a byte each, or what is compressed. */
export const INPUT: usize = 0x10000
/** Where the texts begin, and where the last one ends, as words. The first one is not 0 in a later piece. */
export const ENDS: usize = INPUT + PIECE_BYTES + GAP
/** The place of each value in the dictionary, as words. */
export const PLACES: usize = ENDS + 4 * (PIECE_VALUES + 1) + GAP
/** The values of the dictionary in the encoding PLAIN. */
export const VALUES: usize = PLACES + 4 * PIECE_VALUES + GAP
/** Two words of each value in VALUES: its hash, and where its bytes begin there. */
export const ENTRIES: usize = VALUES + DICTIONARY_BYTES + GAP
/** The number of a value from 1 on, or 0, in a table with open addressing. */
const TABLE: usize = ENTRIES + 8 * DICTIONARY_VALUES + GAP
const TABLE_SLOTS: u32 = 2 * DICTIONARY_VALUES
/** The places of Snappy by the hash of four bytes. */
const MATCHES: usize = TABLE + 4 * TABLE_SLOTS + GAP
const MATCH_BITS: u32 = 14
export const OUT: usize = MATCHES + (2 << MATCH_BITS) + GAP

// The dictionary.

/** Beyond so many other values in its way a value has no room: the values may be chosen to collide. */
const MOST_PROBES: u32 = 64

let size: u32 = 0
let end: usize = VALUES
let mask: u32 = 0

export function dictionarySize(): u32 {
  return size
}

/** The bytes in VALUES. */
export function dictionaryBytes(): u32 {
  return <u32>(end - VALUES)
}

/**
 * Begins with the values that the host has copied to VALUES and ENTRIES.
 * @param coming how many values may be added
 */
export function begin(values: u32, bytes: u32, coming: u32): void {
  size = values
  end = VALUES + <usize>bytes
  let slots: u32 = 64
  while (slots < TABLE_SLOTS && slots < 2 * (values + coming)) slots <<= 1
  mask = slots - 1
  memory.fill(TABLE, 0, (<usize>slots) << 2)
  for (let number: u32 = 1; number <= values; number++) {
    let slot = load<u32>(ENTRIES + ((<usize>(number - 1)) << 3)) & mask
    while (load<u32>(TABLE + ((<usize>slot) << 2)) != 0) slot = (slot + 1) & mask
    store<u32>(TABLE + ((<usize>slot) << 2), number)
  }
}

/**
 * Stores the places of the values in INPUT, and adds those that are new. Returns how many it has
 * stored: fewer than all where there is no room for the next one.
 * @param width the bytes of a value; 0 for texts, whose ends are in ENDS
 */
export function addValues(count: u32, width: u32): u32 {
  let start = INPUT
  const base = INPUT - <usize>load<u32>(ENDS)
  for (let n: u32 = 0; n < count; n++) {
    const stop =
      width == 0 ? base + <usize>load<u32>(ENDS + ((<usize>n) << 2), 4) : start + <usize>width
    const number = placeOf(start, <u32>(stop - start), width == 0)
    if (number == 0) return n
    store<u32>(PLACES + ((<usize>n) << 2), number - 1)
    start = stop
  }
  return count
}

/** Returns the number of a value, or 0 where there is no room for it. */
function placeOf(start: usize, length: u32, isText: bool): u32 {
  const hash = hashOf(start, length)
  let slot = hash & mask
  let number = load<u32>(TABLE + ((<usize>slot) << 2))
  for (let probes: u32 = 0; number != 0; probes++) {
    const entry = ENTRIES + ((<usize>(number - 1)) << 3)
    if (load<u32>(entry) == hash) {
      const at = VALUES + <usize>load<u32>(entry, 4)
      if ((!isText || load<u32>(at - 4) == length) && areEqual(at, start, length)) return number
    }
    if (probes == MOST_PROBES) return 0
    slot = (slot + 1) & mask
    number = load<u32>(TABLE + ((<usize>slot) << 2))
  }
  const isFull = end + <usize>length + 4 > VALUES + DICTIONARY_BYTES
  if (isFull || size == DICTIONARY_VALUES) return 0
  store<u32>(TABLE + ((<usize>slot) << 2), size + 1)
  return append(start, length, isText, hash)
}

function append(start: usize, length: u32, isText: bool, hash: u32): u32 {
  if (isText) {
    store<u32>(end, length)
    end += 4
  }
  const entry = ENTRIES + ((<usize>size) << 3)
  store<u32>(entry, hash)
  store<u32>(entry, <u32>(end - VALUES), 4)
  memory.copy(end, start, <usize>length)
  end += <usize>length
  return ++size
}

function hashOf(start: usize, length: u32): u32 {
  let hash: u64 = <u64>length * 0x9e3779b97f4a7c15
  let at = start
  const stop = start + <usize>length
  for (; at + 8 <= stop; at += 8) {
    hash = (hash ^ load<u64>(at)) * 0x9fb21c651e98df25
    hash ^= hash >> 32
  }
  if (at < stop) {
    hash = (hash ^ (load<u64>(at) << ((8 - (stop - at)) << 3))) * 0x9fb21c651e98df25
    hash ^= hash >> 32
  }
  return <u32>(hash ^ (hash >> 15))
}

function areEqual(a: usize, b: usize, length: u32): bool {
  let n: usize = 0
  for (; n + 8 <= <usize>length; n += 8) if (load<u64>(a + n) != load<u64>(b + n)) return false
  if (n == <usize>length) return true
  return (load<u64>(a + n) ^ load<u64>(b + n)) << ((8 - (<usize>length - n)) << 3) == 0
}

// Hybrid runs.

const GROUP: u32 = 8

/**
 * Writes levels of INPUT, of a byte each, as hybrid runs to OUT. Returns their bytes.
 * @param largest in place of all levels above it
 */
export function levelRuns(count: u32, largest: u32): u32 {
  const most = i8x16.splat(<i8>largest)
  for (let at = INPUT; at < INPUT + <usize>count; at += 16)
    v128.store(at, i8x16.min_u(v128.load(at), most))
  return runs<u8>(INPUT, count, 32 - clz(largest))
}

/** Writes the words of PLACES as hybrid runs to OUT. Returns their bytes. @param width at most 16 */
export function placeRuns(count: u32, width: u32): u32 {
  return runs<u32>(PLACES, count, width)
}

/** Writes the words of PLACES as so many bits each to OUT. Returns their bytes. */
export function bits(count: u32, width: u32): u32 {
  return <u32>(packed<u32>(PLACES, 0, count, width, OUT) - OUT)
}

/** Fewer values than a group are runs too, so that another piece may follow. */
function runs<T>(values: usize, count: u32, width: u32): u32 {
  let out = OUT
  let at: u32 = 0
  while (at < count) {
    const run = runAt<T>(values, at, count)
    if (run >= GROUP || count - at < GROUP) {
      out = varint(run << 1, out)
      store<u32>(out, <u32>valueAt<T>(values, at))
      out += <usize>((width + 7) >> 3)
      at += run
      continue
    }
    const from = at
    do at += GROUP
    while (count - at >= GROUP && runAt<T>(values, at, at + GROUP) < GROUP)
    out = varint((((at - from) / GROUP) << 1) | 1, out)
    out = packed<T>(values, from, at, width, out)
  }
  return <u32>(out - OUT)
}

function valueAt<T>(values: usize, at: u32): T {
  return load<T>(values + <usize>at * sizeof<T>())
}

/** Returns how often the value at a place repeats, itself included. */
function runAt<T>(values: usize, at: u32, stop: u32): u32 {
  const value = valueAt<T>(values, at)
  let next = at + 1
  while (next < stop && valueAt<T>(values, next) == value) next++
  return next - at
}

/** Writes values bit by bit, and fills the last byte up with zeros. Returns where they end. */
function packed<T>(values: usize, from: u32, stop: u32, width: u32, begin: usize): usize {
  let out = begin
  let held: u64 = 0
  let count: u32 = 0
  for (let at = from; at < stop; at++) {
    held |= (<u64>valueAt<T>(values, at)) << count
    count += width
    if (count < 32) continue
    store<u32>(out, <u32>held)
    out += 4
    held >>= 32
    count -= 32
  }
  store<u32>(out, <u32>held)
  return out + <usize>((count + 7) >> 3)
}

function varint(value: u32, begin: usize): usize {
  let out = begin
  let rest = value
  for (; rest >= 0x80; rest >>= 7) store<u8>(out++, <u8>(rest | 0x80))
  store<u8>(out++, <u8>rest)
  return out
}

// Texts.

let least: u32 = 0
let greatest: u32 = 0

/** The number of the least and of the greatest of the texts that are written last. */
export function leastText(): u32 {
  return least
}

export function greatestText(): u32 {
  return greatest
}

/** Writes the texts of INPUT to OUT, each behind its length in four bytes. Returns their bytes. */
export function texts(count: u32): u32 {
  let out = OUT
  let start = INPUT
  const base = INPUT - <usize>load<u32>(ENDS)
  let lowest: u64 = 0
  let highest: u64 = 0
  for (let n: u32 = 0; n < count; n++) {
    const stop = base + <usize>load<u32>(ENDS + ((<usize>n) << 2), 4)
    const length = stop - start
    const head = headOf(start, length)
    if (n == 0 || head < lowest || (head == lowest && isLess(n, least))) {
      least = n
      lowest = head
    }
    if (n == 0 || head > highest || (head == highest && isLess(greatest, n))) {
      greatest = n
      highest = head
    }
    store<u32>(out, <u32>length)
    out += 4
    if (length <= 32) {
      v128.store(out, v128.load(start))
      v128.store(out + 16, v128.load(start + 16))
    } else memory.copy(out, start, length)
    out += length
    start = stop
  }
  return <u32>(out - OUT)
}

/** Returns the first eight bytes of a text as a number in the order of texts. */
function headOf(start: usize, length: usize): u64 {
  if (length == 0) return 0
  const head = bswap<u64>(load<u64>(start))
  return length >= 8 ? head : head & (~(<u64>0) << ((8 - length) << 3))
}

/** Returns whether a text stands before another one in the order of their bytes. */
function isLess(a: u32, b: u32): bool {
  const base = INPUT - <usize>load<u32>(ENDS)
  let at = base + <usize>load<u32>(ENDS + ((<usize>a) << 2))
  let other = base + <usize>load<u32>(ENDS + ((<usize>b) << 2))
  const end = base + <usize>load<u32>(ENDS + ((<usize>a) << 2), 4)
  const otherEnd = base + <usize>load<u32>(ENDS + ((<usize>b) << 2), 4)
  for (; at < end && other < otherEnd; at++, other++)
    if (load<u8>(at) != load<u8>(other)) return load<u8>(at) < load<u8>(other)
  return end - at < otherEnd - other
}

// Snappy.

const MULTIPLIER: u32 = 0x1e35a7bd
/** A copy is looked for only where so many bytes follow. */
const MARGIN: usize = 15
const MOST_COPY: u32 = 64

/**
 * Compresses at most 64 KiB of INPUT to OUT, without the length of the content. Returns the bytes. The
 * longer nothing is found that repeats, the larger are the steps.
 */
export function snappy(bytes: u32): u32 {
  memory.fill(MATCHES, 0, 2 << MATCH_BITS)
  const stop = INPUT + <usize>bytes
  const last = stop - min<usize>(MARGIN, <usize>bytes)
  let out = OUT
  let literal = INPUT
  let at = INPUT + 1
  let skip: usize = 32
  while (at < last) {
    const word = load<u32>(at)
    const slot = slotOf(word)
    let match = INPUT + <usize>load<u16>(slot)
    store<u16>(slot, <u16>(at - INPUT))
    if (load<u32>(match) != word) {
      at += skip++ >> 5
      continue
    }
    skip = 32
    out = literalTo(literal, at, out)
    const distance = <u32>(at - match)
    const from = at
    at += 4
    match += 4
    while (at + 8 <= stop) {
      const differs = load<u64>(at) ^ load<u64>(match)
      if (differs != 0) {
        at += <usize>(ctz(differs) >> 3)
        break
      }
      at += 8
      match += 8
    }
    if (at + 8 > stop) {
      match = at - <usize>distance
      while (at < stop && load<u8>(at) == load<u8>(match)) at++, match++
    }
    out = copyTo(<u32>(at - from), distance, out)
    literal = at
    if (at < last) store<u16>(slotOf(load<u32>(at - 1)), <u16>(at - 1 - INPUT))
  }
  return <u32>(literalTo(literal, stop, out) - OUT)
}

function slotOf(word: u32): usize {
  return MATCHES + ((<usize>((word * MULTIPLIER) >> (32 - MATCH_BITS))) << 1)
}

function literalTo(from: usize, stop: usize, begin: usize): usize {
  const length = stop - from
  if (length == 0) return begin
  let out = begin
  const stored = <u32>length - 1
  if (stored < 60) store<u8>(out++, <u8>(stored << 2))
  else if (stored < 256) {
    store<u8>(out, 60 << 2)
    store<u8>(out, <u8>stored, 1)
    out += 2
  } else {
    store<u8>(out, 61 << 2)
    store<u16>(out, <u16>stored, 1)
    out += 3
  }
  if (length <= 16) v128.store(out, v128.load(from))
  else memory.copy(out, from, length)
  return out + length
}

function copyTo(length: u32, distance: u32, begin: usize): usize {
  let out = begin
  let rest = length
  while (rest > 0) {
    // The last copy has at least the four bytes of the short form.
    const part = rest > MOST_COPY + 3 ? MOST_COPY : rest > MOST_COPY ? MOST_COPY - 4 : rest
    if (part <= 11 && distance < 2048) {
      store<u8>(out, <u8>(1 | ((part - 4) << 2) | ((distance >> 8) << 5)))
      store<u8>(out, <u8>distance, 1)
      out += 2
    } else {
      store<u8>(out, <u8>(2 | ((part - 1) << 2)))
      store<u16>(out, <u16>distance, 1)
      out += 3
    }
    rest -= part
  }
  return out
}
