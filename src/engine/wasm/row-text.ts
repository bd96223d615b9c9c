// Writes rows as lines of JSON, from the columns that columns.ts has decoded into its arena: the
// text that JSON.stringify makes of each row.
//
// The host says in a plan which columns a row has, and gives their names as text. A row that does
// not fit into the room for text as a whole is left to the host.
// If you add a kind of value, also add it to KINDS in src/engine/codec/columns/batch-json.ts.

import { STEP } from './aspects'
import { escapedBytes } from './json-escapes'

/** Room behind each part, which copies of whole steps may pass. */
export const GAP: usize = 64

// The layout. Addresses below PLAN are the compiler's.

/** For each column: the kind of its values, its first record, and the bytes of its name. */
export const PLAN: usize = 0x4000
export const PLAN_BYTES: usize = 0x4000
const ENTRY_BYTES: usize = 12
/** The names of the columns with all marks around them, and behind them the end of a row. */
export const NAMES: usize = PLAN + PLAN_BYTES + GAP
export const NAMES_BYTES: usize = 0x10000
export const TEXT: usize = NAMES + NAMES_BYTES + GAP
const TEXT_BYTES: usize = 0x80000
const TEXT_END: usize = TEXT + TEXT_BYTES
export const ROW_TEXT_END: usize = TEXT_END + GAP
/** Bytes of a record. */
export const NODE_BYTES: usize = 24

const QUOTE: u8 = 0x22
const COMMA: u8 = 0x2c
const OPENING: u8 = 0x5b
const CLOSING: u8 = 0x5d
const BRACE_END: u8 = 0x7d
const BACKSLASH: u8 = 0x5c
/** The texts `null`, `true` and `[]`, as they lie in memory. */
const NULL: u32 = 0x6c6c756e
const TRUE: u32 = 0x65757274
const EMPTY_LIST: u16 = 0x5d5b
/** The text `false`, in eight bytes. */
const FALSE: u64 = 0x65736c6166

/** The text `{"label":null,"name":`. */
const UNLABELLED = memory.data<u8>(
  [
    0x7b, 0x22, 0x6c, 0x61, 0x62, 0x65, 0x6c, 0x22, 0x3a, 0x6e, 0x75, 0x6c, 0x6c, 0x2c, 0x22, 0x6e,
    0x61, 0x6d, 0x65, 0x22, 0x3a,
  ],
  16,
)
const UNLABELLED_BYTES: usize = 21
/** The first bytes of that: `{"label":`. */
const LABEL_BYTES: usize = 9
/** The text `,"name":`. */
const NAME = memory.data<u8>([0x2c, 0x22, 0x6e, 0x61, 0x6d, 0x65, 0x22, 0x3a], 16)
const NAME_BYTES: usize = 8
/** The text `,"value":`. */
const VALUE = memory.data<u8>([0x2c, 0x22, 0x76, 0x61, 0x6c, 0x75, 0x65, 0x22, 0x3a], 16)
const VALUE_BYTES: usize = 9
/** The text `{"name":`. */
const DESCRIPTOR = memory.data<u8>([0x7b, 0x22, 0x6e, 0x61, 0x6d, 0x65, 0x22, 0x3a], 16)
const DESCRIPTOR_BYTES: usize = 8
/** The text `,"values":`. */
const VALUES = memory.data<u8>([0x2c, 0x22, 0x76, 0x61, 0x6c, 0x75, 0x65, 0x73, 0x22, 0x3a], 16)
const VALUES_BYTES: usize = 10
/** The text `{"countries":`. */
const COUNTRIES = memory.data<u8>(
  [0x7b, 0x22, 0x63, 0x6f, 0x75, 0x6e, 0x74, 0x72, 0x69, 0x65, 0x73, 0x22, 0x3a],
  16,
)
const COUNTRIES_BYTES: usize = 13
/** The text `,"regions":`. */
const REGIONS = memory.data<u8>(
  [0x2c, 0x22, 0x72, 0x65, 0x67, 0x69, 0x6f, 0x6e, 0x73, 0x22, 0x3a],
  16,
)
const REGIONS_BYTES: usize = 11

/** The digits of hexadecimal numbers. */
const DIGITS = memory.data<u8>(
  [0x30, 0x31, 0x32, 0x33, 0x34, 0x35, 0x36, 0x37, 0x38, 0x39, 0x61, 0x62, 0x63, 0x64, 0x65, 0x66],
  16,
)

/** Where the arrays of the columns lie. */
let arena: usize = 0

/** The address behind the text. */
let out: usize = TEXT
/** True where the rest of a row has no room. */
let isFull: bool = false

/**
 * Writes rows from `first` on, as many as fit, and returns their number.
 * @param nodes the address of the records of the columns, whose arrays lie in the arena
 * @param endBytes those of the end of a row
 */
export function writeRows(
  nodes: usize,
  arenaAt: usize,
  first: u32,
  rows: u32,
  columns: u32,
  endBytes: u32,
): u32 {
  arena = arenaAt
  const last = PLAN + <usize>columns * ENTRY_BYTES
  out = TEXT
  isFull = false
  for (let row = first; row < rows; row++) {
    const before = out
    let name = NAMES
    for (let entry = PLAN; entry < last; entry += ENTRY_BYTES) {
      const bytes = <usize>load<u32>(entry, 8)
      literal(name, bytes)
      name += bytes
      writeValue(load<u32>(entry), nodes + <usize>load<u32>(entry, 4) * NODE_BYTES, <usize>row)
    }
    literal(name, <usize>endBytes)
    if (isFull) {
      out = before
      return row - first
    }
  }
  return rows - first
}

/** The number of bytes that the rows have. */
export function textBytes(): u32 {
  return <u32>(out - TEXT)
}

function writeValue(kind: u32, node: usize, row: usize): void {
  if (!fits(GAP)) return
  if (isNull(node, row)) {
    store<u32>(out, NULL)
    out += 4
    return
  }
  switch (kind) {
    case 1:
      return text(node, row)
    case 2:
      return digits(<i64>load<i32>(valuesOf(node) + (row << 2)))
    case 3:
      store<u8>(out++, QUOTE)
      digits(load<i64>(valuesOf(node) + (row << 3)))
      store<u8>(out++, QUOTE)
      return
    case 4:
      return flag(node, row)
    case 5:
      return texts(node, row)
    case 6:
      return regions(node, row)
    case 7:
      return aspects(node, row)
    case 8:
      return descriptors(node, row)
  }
}

/** Returns whether so many bytes have room, and the steps that pass them. */
function fits(bytes: usize): bool {
  if (out + bytes + GAP > TEXT_END) isFull = true
  return !isFull
}

// What a record says of its array.

function isNull(node: usize, at: usize): bool {
  if (load<u32>(node, 4) == 0) return false
  const bits = arena + <usize>load<u32>(node, 8)
  return ((<u32>load<u8>(bits + (at >> 3)) >> (<u32>at & 7)) & 1) == 0
}

/** The address of where the value begins, and behind it where it ends. */
function offsetOf(node: usize, at: usize): usize {
  return arena + <usize>load<u32>(node, 12) + (at << 2)
}

function valuesOf(node: usize): usize {
  return arena + <usize>load<u32>(node, 16)
}

// Values as text.

function literal(from: usize, bytes: usize): void {
  if (!fits(bytes)) return
  for (let n: usize = 0; n < bytes; n += STEP) v128.store(out + n, v128.load(from + n))
  out += bytes
}

function text(node: usize, at: usize): void {
  const offset = offsetOf(node, at)
  const values = valuesOf(node)
  let from = values + <usize>load<u32>(offset)
  const to = values + <usize>load<u32>(offset, 4)
  if (!fits(to - from)) return
  store<u8>(out++, QUOTE)
  while (from < to) {
    const bytes = v128.load(from)
    v128.store(out, bytes)
    const step = min(to - from, STEP)
    const plain = min(<usize>ctz(escapedBytes(bytes) | 0x10000), step)
    from += plain
    out += plain
    if (plain == step) continue
    escape(load<u8>(from++))
    if (!fits(to - from)) return
  }
  store<u8>(out++, QUOTE)
}

function escape(byte: u8): void {
  store<u8>(out++, BACKSLASH)
  const short = shortEscape(byte)
  if (short != 0) {
    store<u8>(out++, short)
    return
  }
  // The text `u00`, and two digits.
  store<u32>(out, 0x303075)
  store<u8>(out, load<u8>(DIGITS + <usize>(byte >> 4)), 3)
  store<u8>(out, load<u8>(DIGITS + <usize>(byte & 15)), 4)
  out += 5
}

/** Returns the letter that stands for a byte, or 0 where none does. */
function shortEscape(byte: u8): u8 {
  switch (<u32>byte) {
    case 0x08:
      return 0x62
    case 0x09:
      return 0x74
    case 0x0a:
      return 0x6e
    case 0x0c:
      return 0x66
    case 0x0d:
      return 0x72
    case 0x22:
    case 0x5c:
      return byte
  }
  return 0
}

function digits(value: i64): void {
  if (value < 0) store<u8>(out++, 0x2d)
  let rest = <u64>(value < 0 ? -value : value)
  let count: usize = 1
  for (let more = rest / 10; more != 0; more /= 10) count++
  out += count
  for (let at = out; count != 0; count--) {
    store<u8>(--at, <u8>(0x30 + (rest % 10)))
    rest /= 10
  }
}

function flag(node: usize, at: usize): void {
  const isTrue = ((<u32>load<u8>(valuesOf(node) + (at >> 3)) >> (<u32>at & 7)) & 1) == 1
  if (isTrue) store<u32>(out, TRUE)
  else store<u64>(out, FALSE)
  out += isTrue ? 4 : 5
}

/** Opens a list of so many values. Returns false where it is empty, and written. */
function opensList(count: u32): bool {
  if (!fits(GAP)) return false
  if (count == 0) {
    store<u16>(out, EMPTY_LIST)
    out += 2
    return false
  }
  store<u8>(out++, OPENING)
  return true
}

/** Closes the list in place of the comma behind its last value. */
function closeList(): void {
  store<u8>(out - 1, CLOSING)
}

/** A list of texts, whose record stands behind that of the list. */
function texts(node: usize, at: usize): void {
  const offset = offsetOf(node, at)
  const last = load<u32>(offset, 4)
  let n = load<u32>(offset)
  if (!opensList(last - n)) return
  for (; n < last && !isFull; n++) {
    text(node + NODE_BYTES, <usize>n)
    store<u8>(out++, COMMA)
  }
  closeList()
}

function regions(node: usize, at: usize): void {
  literal(COUNTRIES, COUNTRIES_BYTES)
  texts(node + NODE_BYTES, at)
  literal(REGIONS, REGIONS_BYTES)
  texts(node + 3 * NODE_BYTES, at)
  store<u8>(out++, BRACE_END)
}

/** The records of a list of pairs are those of the list, the pair, the label, the name, the value. */
function aspects(node: usize, at: usize): void {
  const label = node + 2 * NODE_BYTES
  const name = node + 3 * NODE_BYTES
  const value = node + 4 * NODE_BYTES
  const offset = offsetOf(node, at)
  const last = <usize>load<u32>(offset, 4)
  let n = <usize>load<u32>(offset)
  if (!opensList(<u32>(last - n))) return
  for (; n < last && !isFull; n++) {
    if (isNull(label, n)) literal(UNLABELLED, UNLABELLED_BYTES)
    else {
      literal(UNLABELLED, LABEL_BYTES)
      text(label, n)
      literal(NAME, NAME_BYTES)
    }
    text(name, n)
    literal(VALUE, VALUE_BYTES)
    writeValue(1, value, n)
    endEntry()
  }
  closeList()
}

/** The records are those of the list, the descriptor, the name, the list of values, the value. */
function descriptors(node: usize, at: usize): void {
  const offset = offsetOf(node, at)
  const last = <usize>load<u32>(offset, 4)
  let n = <usize>load<u32>(offset)
  if (!opensList(<u32>(last - n))) return
  for (; n < last && !isFull; n++) {
    literal(DESCRIPTOR, DESCRIPTOR_BYTES)
    text(node + 2 * NODE_BYTES, n)
    literal(VALUES, VALUES_BYTES)
    texts(node + 3 * NODE_BYTES, n)
    endEntry()
  }
  closeList()
}

/** Writes `},`. */
function endEntry(): void {
  store<u16>(out, 0x2c7d)
  out += 2
}
