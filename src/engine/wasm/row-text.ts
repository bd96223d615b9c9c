// Writes rows as text, from the columns that columns.ts has decoded into its arena: as lines of
// JSON, the text that JSON.stringify makes of each row, as the rows of a COPY of PostgreSQL, or as
// CSV.
//
// The host says in plans which columns rows have, and gives the text before each value. A line is one
// row, or the rows of several plans one behind the other. A line that does not fit into the room for
// text as a whole, or may have a formula in CSV, is left to the host. The file is one piece, because
// all forms write each kind of value by the same function.

import { STEP } from './aspects'
import { AS_IS, csvForm, LEFT } from './csv-cell'
import { escaped } from './escapes'
import {
  ARRAY,
  ASPECTS,
  BOOLEAN,
  COPY,
  CSV,
  DESCRIPTORS,
  INT32,
  INT64,
  JSON,
  JSONB,
  LIST,
  LIST_AS_ARRAY,
  LIST_OF_LITERALS,
  MADE,
  REGIONS,
  TEXT_CELL,
} from './kinds'

/** Room behind each part, which copies of whole steps may pass. */
export const GAP: usize = 64

// The layout. Addresses below PLAN are the compiler's.

/**
 * Each column of a plan has the kind of its values, its first record, the length of the text before
 * it, and the record of the texts that the host has made for some of its rows.
 */
export const PLAN: usize = 0x4000
export const PLAN_BYTES: usize = 0x10000
const ENTRY_BYTES: usize = 16
/** In place of the record of such texts. */
const NONE: u32 = 0xffff_ffff
/** The texts before the values of each plan, and behind them the end of a row. */
export const NAMES: usize = PLAN + PLAN_BYTES + GAP
export const NAMES_BYTES: usize = 0x40000
/**
 * Each plan has the address of its first column, the one behind its last column, that of its texts,
 * and the bytes of the end.
 */
export const PLANS: usize = NAMES + NAMES_BYTES + GAP
export const PLANS_BYTES: usize = 0x1000
const PLANS_ENTRY_BYTES: usize = 16
/** Each part of a line has the number of its plan, and in the lower half that of its row. */
export const LINES: usize = PLANS + PLANS_BYTES + GAP
export const LINES_BYTES: usize = 0x10000
export const TEXT: usize = LINES + LINES_BYTES + GAP
const TEXT_BYTES: usize = 0x80000
const TEXT_END: usize = TEXT + TEXT_BYTES
/** A value before it gets the escapes of its row. */
const VALUE_TEXT: usize = TEXT_END + GAP
const VALUE_TEXT_END: usize = VALUE_TEXT + TEXT_BYTES
export const ROW_TEXT_END: usize = VALUE_TEXT_END + GAP
/** Bytes of a record. */
export const NODE_BYTES: usize = 24

const QUOTE: u8 = 0x22
const COMMA: u8 = 0x2c
const OPENING: u8 = 0x5b
const CLOSING: u8 = 0x5d
const BRACE: u8 = 0x7b
const BRACE_END: u8 = 0x7d
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
const REGIONS_NAME = memory.data<u8>(
  [0x2c, 0x22, 0x72, 0x65, 0x67, 0x69, 0x6f, 0x6e, 0x73, 0x22, 0x3a],
  16,
)
const REGIONS_NAME_BYTES: usize = 11

/** Where the arrays of the columns lie. */
let arena: usize = 0

/** The notation of rows, and that of strings inside of their values. */
let form: u32 = JSON
let strings: u32 = JSON
/** The text of a null: at most four bytes, and their number. */
let nullText: u32 = 0
let nullBytes: usize = 0
/** The byte between cells of CSV, and whether its texts may be no formulas. */
let delimiter: u8 = 0
let neutralizes: bool = false

/** The address behind the text, and the end of the room for it. */
let out: usize = TEXT
let limit: usize = TEXT_END
/** True where the row has no room, or is left to the host. */
let isFull: bool = false

/**
 * Sets the notation of rows, and the text of a null in them.
 * @param between the byte between cells of CSV
 * @param leavesFormulas true where formulas in CSV are left to the host
 */
export function setForm(
  notation: u32,
  ofNull: u32,
  ofNullBytes: u32,
  between: u32,
  leavesFormulas: bool,
): void {
  form = notation
  strings = notation == COPY ? JSONB : JSON
  nullText = ofNull
  nullBytes = <usize>ofNullBytes
  delimiter = <u8>between
  neutralizes = leavesFormulas
}

/**
 * Writes lines from `first` on, as many as fit, and returns their number.
 * @param nodes the address of the records of the columns, whose arrays lie in the arena
 * @param parts those of each line
 */
export function writeLines(nodes: usize, arenaAt: usize, first: u32, lines: u32, parts: u32): u32 {
  arena = arenaAt
  out = TEXT
  isFull = false
  let part = LINES + ((<usize>first * <usize>parts) << 2)
  for (let line = first; line < lines; line++) {
    const before = out
    for (const next = part + ((<usize>parts) << 2); part < next; part += 4) {
      const plan = PLANS + <usize>load<u16>(part, 2) * PLANS_ENTRY_BYTES
      writeRow(plan, nodes, <usize>load<u16>(part))
    }
    if (isFull) {
      out = before
      return line - first
    }
  }
  return lines - first
}

function writeRow(plan: usize, nodes: usize, row: usize): void {
  const last = <usize>load<u32>(plan, 4)
  let name = <usize>load<u32>(plan, 8)
  for (let entry = <usize>load<u32>(plan); entry < last; entry += ENTRY_BYTES) {
    const bytes = <usize>load<u32>(entry, 8)
    if (bytes <= STEP && out + 2 * GAP <= limit) {
      v128.store(out, v128.load(name))
      out += bytes
    } else literal(name, bytes)
    name += bytes
    const made = load<u32>(entry, 12)
    if (made != NONE) {
      const texts = nodes + <usize>made * NODE_BYTES
      const textBytes = valueBytes(texts, row)
      if (textBytes != 0) {
        literal(valueStart(texts, row), textBytes)
        continue
      }
    }
    writeCell(load<u32>(entry), nodes + <usize>load<u32>(entry, 4) * NODE_BYTES, row)
  }
  literal(name, <usize>load<u32>(plan, 12))
}

/** The number of bytes that the rows have. */
export function textBytes(): u32 {
  return <u32>(out - TEXT)
}

function writeCell(kind: u32, node: usize, row: usize): void {
  if (isNull(node, row)) {
    // The text before has left room for it.
    store<u32>(out, nullText)
    out += nullBytes
    return
  }
  if (!fits(GAP)) return
  if (kind == MADE) return literal(valueStart(node, row), valueBytes(node, row))
  if (form == JSON || (kind > TEXT_CELL && kind <= BOOLEAN)) return writeValue(kind, node, row)
  if (kind == TEXT_CELL) return cell(valueStart(node, row), valueBytes(node, row))
  // PostgreSQL has NULL for an empty list.
  if (form == COPY && kind != REGIONS && valueBytes(node, row) == 0) return
  const before = out
  out = VALUE_TEXT
  limit = VALUE_TEXT_END
  writeValue(kind, node, row)
  const bytes = out - VALUE_TEXT
  out = before
  limit = TEXT_END
  if (!isFull) cell(VALUE_TEXT, bytes)
}

/** Writes a text as a cell of COPY or CSV. */
function cell(from: usize, bytes: usize): void {
  if (form == COPY) return plain(COPY, from, bytes)
  const how = csvForm(from, from + bytes, delimiter, neutralizes)
  if (how == AS_IS) return literal(from, bytes)
  if (how == LEFT) isFull = true
  if (!fits(GAP)) return
  store<u8>(out++, QUOTE)
  plain(CSV, from, bytes)
  store<u8>(out++, QUOTE)
}

function writeValue(kind: u32, node: usize, row: usize): void {
  switch (kind) {
    case TEXT_CELL:
      return text(node, row)
    case INT32:
      return digits(<i64>load<i32>(valuesOf(node) + (row << 2)))
    case INT64:
      if (form == JSON) store<u8>(out++, QUOTE)
      digits(load<i64>(valuesOf(node) + (row << 3)))
      if (form == JSON) store<u8>(out++, QUOTE)
      return
    case BOOLEAN:
      return flag(node, row)
    case LIST:
      return texts(node, row)
    case LIST_OF_LITERALS:
      return literals(node, row)
    case REGIONS:
      return regions(node, row)
    case ASPECTS:
      return aspects(node, row)
    case DESCRIPTORS:
      return descriptors(node, row)
    case LIST_AS_ARRAY:
      return array(node, row)
  }
}

/** Returns whether so many bytes have room, and the steps that pass them. */
function fits(bytes: usize): bool {
  if (out + bytes + GAP > limit) isFull = true
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

/** The address of a text. */
function valueStart(node: usize, at: usize): usize {
  return valuesOf(node) + <usize>load<u32>(offsetOf(node, at))
}

/** The bytes of a text, or the values of a list. */
function valueBytes(node: usize, at: usize): usize {
  const offset = offsetOf(node, at)
  return <usize>(load<u32>(offset, 4) - load<u32>(offset))
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

/** Writes a text with the escapes of a notation. */
function plain(notation: u32, from: usize, bytes: usize): void {
  const end = isFull ? 0 : escaped(notation, from, from + bytes, out, limit)
  if (end == 0) isFull = true
  else out = end
}

/** Writes a text between quotes. */
function quoted(notation: u32, node: usize, at: usize): void {
  if (!fits(GAP)) return
  store<u8>(out++, QUOTE)
  const from = valueStart(node, at)
  const bytes = valueBytes(node, at)
  // Most texts are short and have no escape.
  if (notation == JSON && bytes <= 2 * STEP && copiesShort(from, bytes)) out += bytes
  else plain(notation, from, bytes)
  store<u8>(out++, QUOTE)
}

/** Copies a text of up to two steps. Returns false where it has an escape in JSON. */
function copiesShort(from: usize, bytes: usize): bool {
  const first = v128.load(from)
  v128.store(out, first)
  let special = <u64>specialIn(first)
  if (bytes > STEP) {
    const second = v128.load(from, 16)
    v128.store(out, second, 16)
    special |= (<u64>specialIn(second)) << 16
  }
  return <usize>ctz(special | 0x1_0000_0000) >= bytes
}

/** Returns a bit for each byte that has an escape in JSON. */
function specialIn(bytes: v128): u32 {
  const quotes = i8x16.eq(bytes, i8x16.splat(QUOTE))
  const marks = v128.or(quotes, i8x16.eq(bytes, i8x16.splat(0x5c)))
  return <u32>i8x16.bitmask(v128.or(marks, i8x16.lt_u(bytes, i8x16.splat(0x20))))
}

function text(node: usize, at: usize): void {
  quoted(strings, node, at)
}

/** A list of texts as an array of PostgreSQL, which is not empty. */
function array(node: usize, at: usize): void {
  const offset = offsetOf(node, at)
  const last = <usize>load<u32>(offset, 4)
  store<u8>(out++, BRACE)
  for (let n = <usize>load<u32>(offset); n < last && !isFull; n++) {
    quoted(ARRAY, node + NODE_BYTES, n)
    store<u8>(out++, COMMA)
  }
  store<u8>(out - 1, BRACE_END)
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

/** A list of texts that are values of JSON. */
function literals(node: usize, at: usize): void {
  const offset = offsetOf(node, at)
  const last = <usize>load<u32>(offset, 4)
  let n = <usize>load<u32>(offset)
  if (!opensList(<u32>(last - n))) return
  for (; n < last && !isFull; n++) {
    literal(valueStart(node + NODE_BYTES, n), valueBytes(node + NODE_BYTES, n))
    store<u8>(out++, COMMA)
  }
  closeList()
}

function regions(node: usize, at: usize): void {
  literal(COUNTRIES, COUNTRIES_BYTES)
  texts(node + NODE_BYTES, at)
  literal(REGIONS_NAME, REGIONS_NAME_BYTES)
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
    if (isNull(value, n)) {
      store<u32>(out, NULL)
      out += 4
    } else text(value, n)
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
