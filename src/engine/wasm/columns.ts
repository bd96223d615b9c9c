// Decodes the columns of a block of rows into the memory layout of Apache Arrow. AssemblyScript,
// not TypeScript: `build.mjs` compiles it. Nothing is read but the block, its index and up to 64
// bytes behind it.
//
// The host owns the memory, copies a block of rows and its index there, and asks for one column
// after the other. A column with a cell that is not plainly good is left to the host as a whole, so
// this module decides about no error. What a cell of a kind may be is written in
// src/engine/codec/decode/; src/engine/codec/columns/arrow-type.ts has the layout of each kind.
// If you add a kind, also add it to KERNELS in src/engine/codec/columns/columns-core.ts.

export { NAMES, NAMES_BYTES, PLAN, PLAN_BYTES, TEXT, textBytes, writeRows } from './row-text'

import { COLON, PIPE, pieceEnd, SEMICOLON, STEP, writePiece } from './aspects'
import { GAP, NODE_BYTES, ROW_TEXT_END } from './row-text'

/** The most bytes of a block. */
export const BLOCK_BYTES: usize = 0x80000
export const MAX_ROWS: usize = 4096
export const MAX_CELLS: usize = 0x10000
/** The most values of one nested column in a block. */
const MAX_VALUES: usize = 0x10000

// The layout. The addresses below BLOCK are those of row-text.ts.

export const BLOCK: usize = ROW_TEXT_END
export const ROW_STARTS: usize = BLOCK + BLOCK_BYTES + GAP
export const CELL_ENDS: usize = ROW_STARTS + 4 * MAX_ROWS + GAP
/** The texts of a `oneOf` column: for each its length as a word, and its bytes up to a whole word. */
export const WORDS: usize = CELL_ENDS + 4 * MAX_CELLS + GAP
export const WORDS_BYTES: usize = 0x4000
/** A record of NODE_BYTES for each array of a column, the parents before their children. */
export const NODES: usize = WORDS + WORDS_BYTES + GAP
const NODES_BYTES: usize = 6 * NODE_BYTES * MAX_ROWS
/** A byte for each value, which is 0 where the value is null. */
const VALID: usize = NODES + NODES_BYTES + GAP
const VALID_LABELS: usize = VALID + MAX_VALUES + GAP
/** A byte for each boolean. */
const FLAGS: usize = VALID_LABELS + MAX_VALUES + GAP
const OFFSETS_A: usize = FLAGS + MAX_ROWS + GAP
const OFFSETS_B: usize = OFFSETS_A + 4 * MAX_VALUES + GAP
const OFFSETS_C: usize = OFFSETS_B + 4 * MAX_VALUES + GAP
const HEAP_A: usize = OFFSETS_C + 4 * MAX_VALUES + GAP
const HEAP_B: usize = HEAP_A + BLOCK_BYTES + GAP
/** The text of the label that covers the next pairs. */
const LABEL: usize = HEAP_B + BLOCK_BYTES + GAP
const LABEL_BYTES: usize = 4096
/** The arrays of all columns, one behind the other. */
export const ARENA: usize = LABEL + LABEL_BYTES + GAP
export const ARENA_BYTES: usize = 0x300000
const ARENA_END: usize = ARENA + ARENA_BYTES

/** Mark in a cell's end: the bytes of the cell may differ from its text. */
const MARK: u32 = 0x8000_0000
const MINUS: u32 = 0x2d
const POINT: u32 = 0x2e
/** A number of this many digits fits into 64 bits. */
const MOST_DIGITS: usize = 18

const POWERS = memory.data(8 * 19)
for (let n = 0, power: i64 = 1; n < 19; n++, power *= 10) store<i64>(POWERS + 8 * n, power)

// The block, as `begin` describes it.

let block: usize = 0
let blockBytes: usize = 0
let rowStarts: usize = 0
let cellEnds: usize = 0
let rows: u32 = 0
/** Bytes of the index from a row to the next. */
let step: usize = 0
let quote: u32 = 0
let escapedBy: u32 = 0

/** The free part of the arena. */
let top: usize = ARENA
/** The place of the next record. */
let node: usize = NODES

/**
 * Begins a block.
 * @param address of offset 0 of the index
 * @param quoted the byte of quotes, and the one that escapes them; -1 where quotes are text
 */
export function begin(
  address: usize,
  bytes: usize,
  starts: usize,
  ends: usize,
  rowCount: u32,
  columns: u32,
  quoted: u32,
  escaping: u32,
): void {
  block = address
  blockBytes = bytes
  rowStarts = starts
  cellEnds = ends
  rows = rowCount
  step = (<usize>columns) << 2
  quote = quoted
  escapedBy = escaping
  top = ARENA
  node = NODES
}

/** The address behind the arrays, and the number of records. */
export function arenaTop(): usize {
  return top
}

export function nodeCount(): u32 {
  return <u32>((node - NODES) / NODE_BYTES)
}

/**
 * Decodes a column by the kernel of its kind, and adds its records. Returns false, and adds none,
 * where the host has to decode it.
 */
export function decode(kernel: u32, column: u32, parameter: u32): bool {
  const arena = top
  const first = node
  top = (top + 7) & ~7
  const room: usize = 5 * (16 * (<usize>rows + 1) + GAP) + blockBytes + GAP
  if (top + room <= ARENA_END && node + 6 * NODE_BYTES <= NODES + NODES_BYTES) {
    if (run(kernel, column, parameter)) return true
  }
  top = arena
  node = first
  return false
}

function run(kernel: u32, column: u32, parameter: u32): bool {
  switch (kernel) {
    case 1:
      return texts(column)
    case 2:
      return numbers(column, 4)
    case 3:
      return numbers(column, 8)
    case 4:
      return decimals(column, parameter)
    case 5:
      return booleans(column)
    case 6:
      return days(column)
    case 7:
      return times(column)
    case 8:
      return choices(column, parameter)
    case 9:
      return lists(column, parameter)
    case 10:
      return regions(column)
    case 11:
      return aspects(column)
    case 12:
      return descriptors(column)
  }
  return checkedTexts(kernel, column, parameter)
}

// The cells of a column, quotes included.

/**
 * Returns the address of the first byte of a cell.
 * @param at the address of the cell's end in the index
 */
function start(row: u32, column: u32, at: usize): usize {
  return column == 0
    ? block + <usize>load<u32>(rowStarts + ((<usize>row) << 2))
    : block + <usize>(load<u32>(at - 4) & ~MARK) + 1
}

function isQuoted(from: usize, to: usize, at: usize): bool {
  return <i32>load<u32>(at) < 0 && from < to && <u32>load<u8>(from) == quote
}

// Arrays in the arena.

function alloc(bytes: usize): usize {
  const at = (top + 7) & ~7
  top = at + bytes
  return at
}

function place(from: usize, bytes: usize): usize {
  const at = alloc(bytes)
  memory.copy(at, from, bytes)
  return at
}

/** Returns whether an array of this size and those of the rows still fit. */
function hasRoom(bytes: usize): bool {
  return top + bytes + 16 * <usize>rows + 8 * GAP <= ARENA_END
}

let nulls: u32 = 0

/** Packs the bytes of so many values into bits, and counts those that are 0 as `nulls`. */
function pack(from: usize, count: u32): usize {
  const at = alloc(((<usize>count + 127) >> 7) << 4)
  v128.store(from + <usize>count, i8x16.splat(0))
  let set: u32 = 0
  for (let n: usize = 0; n < <usize>count; n += STEP) {
    const bits = <u32>i8x16.bitmask(i8x16.ne(v128.load(from + n), i8x16.splat(0)))
    store<u16>(at + (n >> 3), <u16>bits)
    set += popcnt(bits)
  }
  nulls = count - set
  return at
}

/** Packs the validity of values; returns 0 where none is null. */
function validity(from: usize, count: u32): usize {
  const before = top
  const at = pack(from, count)
  if (nulls != 0) return at
  top = before
  return 0
}

function record(length: u32, valid: usize, offsets: usize, values: usize, bytes: usize): void {
  store<u32>(node, length)
  store<u32>(node, valid == 0 ? 0 : nulls, 4)
  store<u32>(node, valid == 0 ? 0 : <u32>(valid - ARENA), 8)
  store<u32>(node, offsets == 0 ? 0 : <u32>(offsets - ARENA), 12)
  store<u32>(node, values == 0 ? 0 : <u32>(values - ARENA), 16)
  store<u32>(node, <u32>bytes, 20)
  node += NODE_BYTES
}

/** Records an array of `bytes` with the validity of its rows. */
function recordRows(values: usize, bytes: usize): bool {
  const valid = validity(VALID, rows)
  record(rows, valid, 0, values, bytes)
  return true
}

/** Copies in whole steps, at least one. */
function copy(from: usize, bytes: usize, to: usize): usize {
  let n: usize = 0
  do {
    v128.store(to + n, v128.load(from + n))
    n += STEP
  } while (n < bytes)
  return to + bytes
}

/** Returns the address of the first such byte, or `to`. */
function find(byte: u32, from: usize, to: usize): usize {
  const wanted = i8x16.splat(<i8>byte)
  for (let at = from; at < to; at += STEP) {
    const bits = <u32>i8x16.bitmask(i8x16.eq(v128.load(at), wanted))
    if (bits != 0) return min(at + <usize>ctz(bits), to)
  }
  return to
}

function texts(column: u32): bool {
  const offsets = alloc(4 * (<usize>rows + 1))
  const heap = alloc(0)
  let out = heap
  store<u32>(offsets, 0)
  let at = cellEnds + ((<usize>column) << 2)
  for (let row: u32 = 0; row < rows; row++, at += step) {
    const from = start(row, column, at)
    const to = block + <usize>(load<u32>(at) & ~MARK)
    const before = out
    out = isQuoted(from, to, at) ? unquoted(from + 1, to - 1, out) : copy(from, to - from, out)
    store<u8>(VALID + <usize>row, out != before ? 1 : 0)
    store<u32>(offsets + ((<usize>(row + 1)) << 2), <u32>(out - heap))
  }
  top = out
  const valid = validity(VALID, rows)
  record(rows, valid, offsets, heap, out - heap)
  return true
}

/** Copies the inside of a quoted cell without the bytes that escape quotes and themselves. */
function unquoted(from: usize, to: usize, out: usize): usize {
  let at = from
  while (true) {
    const escape = find(escapedBy, at, to)
    out = copy(at, escape - at, out)
    if (escape == to) return out
    const next = escape + 1 < to ? <u32>load<u8>(escape + 1) : 0
    if (escape + 1 < to && (next == quote || next == escapedBy)) {
      store<u8>(out++, <u8>next)
      at = escape + 2
    } else {
      store<u8>(out++, <u8>escapedBy)
      at = escape + 1
    }
  }
}

/** True where a number that was read is none, or has too many digits. */
let isWrong: bool = false

function whole(from: usize, to: usize): i64 {
  const isNegative = <u32>load<u8>(from) == MINUS
  let at = isNegative ? from + 1 : from
  if (at == to || to - at > MOST_DIGITS) {
    isWrong = true
    return 0
  }
  let value: i64 = 0
  for (; at < to; at++) {
    const digit = <u32>load<u8>(at) - 0x30
    if (digit > 9) {
      isWrong = true
      return 0
    }
    value = value * 10 + digit
  }
  return isNegative ? -value : value
}

/** @param size bytes of a number: 4 or 8 */
function numbers(column: u32, size: usize): bool {
  const values = alloc(size * <usize>rows)
  isWrong = false
  let at = cellEnds + ((<usize>column) << 2)
  for (let row: u32 = 0; row < rows; row++, at += step) {
    let from = start(row, column, at)
    let to = block + <usize>(load<u32>(at) & ~MARK)
    if (isQuoted(from, to, at)) from++, to--
    const value = from == to ? 0 : whole(from, to)
    if (size == 8) store<i64>(values + ((<usize>row) << 3), value)
    else {
      store<i32>(values + ((<usize>row) << 2), <i32>value)
      if (value != <i64>(<i32>value)) return false
    }
    store<u8>(VALID + <usize>row, from != to ? 1 : 0)
  }
  return !isWrong && recordRows(values, size * <usize>rows)
}

function decimals(column: u32, scale: u32): bool {
  const values = alloc((<usize>rows) << 4)
  isWrong = false
  let at = cellEnds + ((<usize>column) << 2)
  for (let row: u32 = 0; row < rows; row++, at += step) {
    let from = start(row, column, at)
    let to = block + <usize>(load<u32>(at) & ~MARK)
    if (isQuoted(from, to, at)) from++, to--
    const value = from == to ? 0 : scaled(from, to, scale)
    store<i64>(values + ((<usize>row) << 4), value)
    store<i64>(values + ((<usize>row) << 4), value >> 63, 8)
    store<u8>(VALID + <usize>row, from != to ? 1 : 0)
  }
  return !isWrong && recordRows(values, (<usize>rows) << 4)
}

/** Returns a decimal number as a whole number of the units of the scale. */
function scaled(from: usize, to: usize, scale: u32): i64 {
  const isNegative = <u32>load<u8>(from) == MINUS
  const first = isNegative ? from + 1 : from
  if (to - first > MOST_DIGITS) {
    isWrong = true
    return 0
  }
  let value: i64 = 0
  let point: usize = 0
  for (let at = first; at < to; at++) {
    const byte = <u32>load<u8>(at)
    if (byte == POINT && point == 0) {
      point = at
      continue
    }
    const digit = byte - 0x30
    if (digit > 9) isWrong = true
    value = value * 10 + digit
  }
  const fraction: u32 = point == 0 ? 0 : <u32>(to - point) - 1
  const whole = <u32>((point == 0 ? to : point) - first)
  if (whole == 0 || (point != 0 && fraction == 0) || fraction > scale) isWrong = true
  if (whole + scale > <u32>MOST_DIGITS) isWrong = true
  if (isWrong) return 0
  value *= load<i64>(POWERS + ((<usize>(scale - fraction)) << 3))
  return isNegative ? -value : value
}

function booleans(column: u32): bool {
  let at = cellEnds + ((<usize>column) << 2)
  for (let row: u32 = 0; row < rows; row++, at += step) {
    let from = start(row, column, at)
    let to = block + <usize>(load<u32>(at) & ~MARK)
    if (isQuoted(from, to, at)) from++, to--
    const lower = load<u32>(from) | 0x20202020
    const isTrue = to - from == 4 && lower == 0x65757274
    const isFalse = to - from == 5 && lower == 0x736c6166 && (load<u8>(from, 4) | 0x20) == 0x65
    if (from != to && !isTrue && !isFalse) return false
    store<u8>(FLAGS + <usize>row, isTrue ? 1 : 0)
    store<u8>(VALID + <usize>row, from != to ? 1 : 0)
  }
  const values = pack(FLAGS, rows)
  return recordRows(values, top - values)
}

function days(column: u32): bool {
  const values = alloc((<usize>rows) << 2)
  isWrong = false
  let at = cellEnds + ((<usize>column) << 2)
  for (let row: u32 = 0; row < rows; row++, at += step) {
    let from = start(row, column, at)
    let to = block + <usize>(load<u32>(at) & ~MARK)
    if (isQuoted(from, to, at)) from++, to--
    if (from != to && to - from != 10) return false
    store<i32>(values + ((<usize>row) << 2), from == to ? 0 : day(from))
    store<u8>(VALID + <usize>row, from != to ? 1 : 0)
  }
  return !isWrong && recordRows(values, (<usize>rows) << 2)
}

/** Returns two digits as a number. */
function pair(at: usize): i32 {
  const high = <i32>load<u8>(at) - 0x30
  const low = <i32>load<u8>(at, 1) - 0x30
  if (<u32>high > 9 || <u32>low > 9) isWrong = true
  return high * 10 + low
}

/** Returns the days from 1970 on to the day `yyyy-MM-dd` of the Gregorian calendar. */
function day(at: usize): i32 {
  const year = pair(at) * 100 + pair(at + 2)
  const month = pair(at + 5)
  const date = pair(at + 8)
  if (<u32>load<u8>(at, 4) != MINUS || <u32>load<u8>(at, 7) != MINUS) isWrong = true
  if (month < 1 || month > 12 || date < 1 || date > daysIn(year, month)) isWrong = true
  if (isWrong) return 0
  // A year that begins in March has its leap day at its end.
  const years = month > 2 ? year : year - 1
  const era = (years + 400) / 400 - 1
  const ofEra = years - era * 400
  const ofYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + date - 1
  return era * 146097 + ofEra * 365 + ofEra / 4 - ofEra / 100 + ofYear - 719468
}

function daysIn(year: i32, month: i32): i32 {
  if (month == 2) return (year & 3) == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
  return month == 4 || month == 6 || month == 9 || month == 11 ? 30 : 31
}

function times(column: u32): bool {
  const values = alloc((<usize>rows) << 3)
  isWrong = false
  let at = cellEnds + ((<usize>column) << 2)
  for (let row: u32 = 0; row < rows; row++, at += step) {
    let from = start(row, column, at)
    let to = block + <usize>(load<u32>(at) & ~MARK)
    if (isQuoted(from, to, at)) from++, to--
    if (from != to && to - from != 24 && to - from != 20) return false
    store<i64>(values + ((<usize>row) << 3), from == to ? 0 : instant(from, to))
    store<u8>(VALID + <usize>row, from != to ? 1 : 0)
  }
  return !isWrong && recordRows(values, (<usize>rows) << 3)
}

/** Returns the milliseconds from 1970 on to `yyyy-MM-ddThh:mm:ssZ`, with `.sss` in the longer form. */
function instant(at: usize, to: usize): i64 {
  const hour = pair(at + 11)
  const minute = pair(at + 14)
  const second = pair(at + 17)
  const hasMs = to - at == 24
  const ms = hasMs ? pair(at + 20) * 10 + <i32>load<u8>(at, 22) - 0x30 : 0
  if (hasMs && (<u32>load<u8>(at, 22) - 0x30 > 9 || <u32>load<u8>(at, 19) != POINT)) isWrong = true
  if (load<u8>(at, 10) != 0x54 || load<u8>(to - 1) != 0x5a) isWrong = true
  if (load<u8>(at, 13) != 0x3a || load<u8>(at, 16) != 0x3a) isWrong = true
  if (hour > 23 || minute > 59 || second > 59) isWrong = true
  return <i64>day(at) * 86400000 + <i64>(((hour * 60 + minute) * 60 + second) * 1000 + ms)
}

/** @param count of the texts at WORDS */
function choices(column: u32, count: u32): bool {
  const values = alloc((<usize>rows) << 2)
  let at = cellEnds + ((<usize>column) << 2)
  for (let row: u32 = 0; row < rows; row++, at += step) {
    let from = start(row, column, at)
    let to = block + <usize>(load<u32>(at) & ~MARK)
    if (isQuoted(from, to, at)) from++, to--
    const choice = from == to ? 0 : choiceOf(from, to, count)
    if (choice == count) return false
    store<u32>(values + ((<usize>row) << 2), choice)
    store<u8>(VALID + <usize>row, from != to ? 1 : 0)
  }
  return recordRows(values, (<usize>rows) << 2)
}

function choiceOf(from: usize, to: usize, count: u32): u32 {
  let word = WORDS
  for (let n: u32 = 0; n < count; n++) {
    const length = <usize>load<u32>(word)
    if (length == to - from && memory.compare(word + 4, from, length) == 0) return n
    word += 4 + ((length + 3) & ~3)
  }
  return count
}

// Cells of other kinds as texts, which are checked and stay as they are.

const DECIMAL_TEXT: u32 = 13
const SCALED_TEXT: u32 = 14
const DAY_TEXT: u32 = 15
const TIME_TEXT: u32 = 16
const CHOICE_TEXT: u32 = 17
/** The text `.000Z`, in eight bytes. */
const NO_MS: u64 = 0x5a3030302e

function checkedTexts(kernel: u32, column: u32, parameter: u32): bool {
  const offsets = alloc(4 * (<usize>rows + 1))
  const heap = alloc(0)
  let out = heap
  isWrong = false
  store<u32>(offsets, 0)
  let at = cellEnds + ((<usize>column) << 2)
  for (let row: u32 = 0; row < rows; row++, at += step) {
    let from = start(row, column, at)
    let to = block + <usize>(load<u32>(at) & ~MARK)
    if (isQuoted(from, to, at)) from++, to--
    store<u8>(VALID + <usize>row, from != to ? 1 : 0)
    if (from != to) {
      check(kernel, from, to, parameter)
      out = copy(from, to - from, out)
      if (kernel == TIME_TEXT && to - from == 20) {
        store<u64>(out - 1, NO_MS)
        out += 4
      }
    }
    store<u32>(offsets + ((<usize>(row + 1)) << 2), <u32>(out - heap))
  }
  top = out
  const valid = validity(VALID, rows)
  record(rows, valid, offsets, heap, out - heap)
  return !isWrong
}

/** Sets `isWrong` where a text is none of its kind. */
function check(kernel: u32, from: usize, to: usize, parameter: u32): void {
  const bytes = to - from
  switch (kernel) {
    case DECIMAL_TEXT:
      if (!isDecimal(from, to)) isWrong = true
      return
    case SCALED_TEXT:
      scaled(from, to, parameter)
      return
    case DAY_TEXT:
      day(from)
      if (bytes != 10) isWrong = true
      return
    case TIME_TEXT:
      instant(from, to)
      if (bytes != 20 && bytes != 24) isWrong = true
      return
    case CHOICE_TEXT:
      if (choiceOf(from, to, parameter) == parameter) isWrong = true
      return
  }
  isWrong = true
}

function isDecimal(from: usize, to: usize): bool {
  const first = <u32>load<u8>(from) == MINUS ? from + 1 : from
  const point = digitsEnd(first, to)
  if (point == first || point == to) return point > first
  return <u32>load<u8>(point) == POINT && point + 1 < to && digitsEnd(point + 1, to) == to
}

function digitsEnd(from: usize, to: usize): usize {
  let at = from
  while (at < to && <u32>load<u8>(at) - 0x30 < 10) at++
  return at
}

// Lists of texts.

/** The values of the list that is written, of all rows. */
let listed: u32 = 0

function isSpace(byte: u32): bool {
  return byte == 0x20 || byte - 9 < 5
}

/**
 * Writes the values between separators, without space around them and without empty ones. Returns
 * the address behind their texts, or 0 where the host has to: space outside of ASCII may be at an
 * edge.
 */
function values(
  from: usize,
  to: usize,
  separator: u32,
  offsets: usize,
  heap: usize,
  out: usize,
): usize {
  let at = from
  while (at < to) {
    // Most values of the feeds are codes of countries.
    const code = load<u32>(at)
    const isCode = (code & 0xff) - 0x41 < 26 && ((code >> 8) & 0xff) - 0x41 < 26
    if (isCode && (at + 2 == to || (at + 2 < to && ((code >> 16) & 0xff) == separator))) {
      if (++listed >= <u32>MAX_VALUES) return 0
      store<u16>(out, <u16>code)
      out += 2
      at += 3
      store<u32>(offsets + ((<usize>listed) << 2), <u32>(out - heap))
      continue
    }
    const stop = find(separator, at, to)
    let first = at
    let last = stop
    at = stop + 1
    if (first == last) continue
    if (!isGraphic(first) || !isGraphic(last - 1)) {
      while (first < last && isSpace(<u32>load<u8>(first))) first++
      while (first < last && isSpace(<u32>load<u8>(last - 1))) last--
      if (first == last) continue
      if (((load<u8>(first) | load<u8>(last - 1)) & 0x80) != 0) return 0
    }
    if (++listed >= <u32>MAX_VALUES) return 0
    out = copy(first, last - first, out)
    store<u32>(offsets + ((<usize>listed) << 2), <u32>(out - heap))
  }
  return out
}

/** Returns whether a byte is an ASCII character that is not space and no control character. */
function isGraphic(at: usize): bool {
  return <u32>load<u8>(at) - 0x21 < 0x5e
}

/** Returns whether a quoted cell has bytes that are not its text. */
function hasEscape(from: usize, to: usize): bool {
  return find(escapedBy, from, to) != to
}

function lists(column: u32, separator: u32): bool {
  const offsets = alloc(4 * (<usize>rows + 1))
  const heap = alloc(0)
  let out = heap
  listed = 0
  store<u32>(offsets, 0)
  store<u32>(OFFSETS_A, 0)
  let at = cellEnds + ((<usize>column) << 2)
  for (let row: u32 = 0; row < rows; row++, at += step) {
    let from = start(row, column, at)
    let to = block + <usize>(load<u32>(at) & ~MARK)
    if (isQuoted(from, to, at)) {
      from++, to--
      if (hasEscape(from, to)) return false
    }
    out = values(from, to, separator, OFFSETS_A, heap, out)
    if (out == 0) return false
    store<u32>(offsets + ((<usize>(row + 1)) << 2), listed)
  }
  top = out
  record(rows, 0, offsets, 0, 0)
  return recordTexts(listed, 0, OFFSETS_A, heap, out)
}

/** Records texts whose offsets lie outside of the arena. */
function recordTexts(count: u32, valid: usize, offsets: usize, heap: usize, out: usize): bool {
  const bytes: usize = 4 * (<usize>count + 1)
  if (!hasRoom(bytes)) return false
  const placed = place(offsets, bytes)
  record(count, valid, placed, heap, out - heap)
  return true
}

function regions(column: u32): bool {
  const countryOffsets = alloc(4 * (<usize>rows + 1))
  const regionOffsets = alloc(4 * (<usize>rows + 1))
  store<u32>(countryOffsets, 0)
  store<u32>(regionOffsets, 0)
  store<u32>(OFFSETS_A, 0)
  store<u32>(OFFSETS_B, 0)
  const heap = alloc(0)
  let countries = heap
  let names = HEAP_A
  let countryCount: u32 = 0
  let regionCount: u32 = 0
  let at = cellEnds + ((<usize>column) << 2)
  for (let row: u32 = 0; row < rows; row++, at += step) {
    let from = start(row, column, at)
    let to = block + <usize>(load<u32>(at) & ~MARK)
    if (isQuoted(from, to, at)) {
      from++, to--
      if (hasEscape(from, to)) return false
    }
    store<u8>(VALID + <usize>row, from != to ? 1 : 0)
    let hasCountries = false
    let hasRegions = false
    if (from != to && <u32>load<u8>(to - 1) == SEMICOLON) to--
    while (from < to) {
      const stop = find(SEMICOLON, from, to)
      if (stop - from >= 8 && load<u64>(from) == 0x3a5952544e554f43 && !hasCountries) {
        hasCountries = true
        listed = countryCount
        countries = values(from + 8, stop, PIPE, OFFSETS_A, heap, countries)
        countryCount = listed
      } else if (
        stop - from >= 7 &&
        (load<u64>(from) & 0xffffffffffffff) == 0x3a4e4f49474552 &&
        !hasRegions
      ) {
        hasRegions = true
        listed = regionCount
        names = values(from + 7, stop, PIPE, OFFSETS_B, HEAP_A, names)
        regionCount = listed
      } else return false
      if (countries == 0 || names == 0 || stop + 1 == to) return false
      from = stop + 1
    }
    store<u32>(countryOffsets + ((<usize>(row + 1)) << 2), countryCount)
    store<u32>(regionOffsets + ((<usize>(row + 1)) << 2), regionCount)
  }
  top = countries
  const valid = validity(VALID, rows)
  record(rows, valid, 0, 0, 0)
  record(rows, 0, countryOffsets, 0, 0)
  if (!recordTexts(countryCount, 0, OFFSETS_A, heap, countries)) return false
  if (!hasRoom(names - HEAP_A)) return false
  const placed = place(HEAP_A, names - HEAP_A)
  record(rows, 0, regionOffsets, 0, 0)
  return recordTexts(regionCount, 0, OFFSETS_B, placed, placed + (names - HEAP_A))
}

// Base64 pieces.

/** The separator behind the piece that was written last; a semicolon at the end of the cell. */
function separatorBefore(last: usize): u32 {
  return pieceEnd == last ? SEMICOLON : <u32>load<u8>(pieceEnd)
}

/** The places behind the labels, names and values, and their number, of all rows. */
let labels: usize = 0
let names: usize = 0
let nameHeap: usize = 0
let valueTexts: usize = 0
let pairs: u32 = 0

function aspects(column: u32): bool {
  const offsets = alloc(4 * (<usize>rows + 1))
  store<u32>(offsets, 0)
  store<u32>(OFFSETS_A, 0)
  store<u32>(OFFSETS_B, 0)
  store<u32>(OFFSETS_C, 0)
  nameHeap = names = alloc(0)
  labels = HEAP_A
  valueTexts = HEAP_B
  pairs = 0
  let at = cellEnds + ((<usize>column) << 2)
  for (let row: u32 = 0; row < rows; row++, at += step) {
    let from = start(row, column, at)
    let to = block + <usize>(load<u32>(at) & ~MARK)
    if (isQuoted(from, to, at)) from++, to--
    if (from != to && <u32>load<u8>(to - 1) == SEMICOLON) to--
    if (from != to && !writePairs(from, to) && !writeNames(from, to)) return false
    store<u32>(offsets + ((<usize>(row + 1)) << 2), pairs)
  }
  top = names
  if (!hasRoom(labels - HEAP_A + (valueTexts - HEAP_B) + 16 * <usize>pairs)) return false
  record(rows, 0, offsets, 0, 0)
  record(pairs, 0, 0, 0, 0)
  const labelValid = validity(VALID_LABELS, pairs)
  const labelHeap = place(HEAP_A, labels - HEAP_A)
  const valueHeap = place(HEAP_B, valueTexts - HEAP_B)
  if (!recordTexts(pairs, labelValid, OFFSETS_A, labelHeap, labelHeap + (labels - HEAP_A)))
    return false
  if (!recordTexts(pairs, 0, OFFSETS_B, nameHeap, names)) return false
  const valueValid = validity(VALID, pairs)
  return recordTexts(pairs, valueValid, OFFSETS_C, valueHeap, valueHeap + (valueTexts - HEAP_B))
}

/** Ends a pair, whose name and value are written up to here. */
function endPair(name: usize, value: usize, labelBytes: i32, hasValue: bool): bool {
  const n = <usize>pairs
  if (n + 2 > MAX_VALUES || labels + <usize>max(labelBytes, 0) > HEAP_A + BLOCK_BYTES) return false
  if (labelBytes > 0) labels = copy(LABEL, <usize>labelBytes, labels)
  names = name
  valueTexts = value
  store<u8>(VALID_LABELS + n, labelBytes >= 0 ? 1 : 0)
  store<u8>(VALID + n, hasValue ? 1 : 0)
  store<u32>(OFFSETS_A + (n << 2), <u32>(labels - HEAP_A), 4)
  store<u32>(OFFSETS_B + (n << 2), <u32>(name - nameHeap), 4)
  store<u32>(OFFSETS_C + (n << 2), <u32>(value - HEAP_B), 4)
  pairs++
  return true
}

/** Writes the pairs of a cell. Returns false where they are not plainly pairs. */
function writePairs(from: usize, last: usize): bool {
  let labelBytes: i32 = -1
  let mayBeLabel = true
  let at = from
  while (true) {
    const name = writePiece(at, last, names)
    if (name == 0 || pieceEnd == last) break
    const separator = <u32>load<u8>(pieceEnd)
    if (separator == PIPE && mayBeLabel && name - names < LABEL_BYTES) {
      copy(names, name - names, LABEL)
      labelBytes = <i32>(name - names)
      mayBeLabel = false
      at = pieceEnd + 1
      continue
    }
    if (separator != COLON) break
    const value = writePiece(pieceEnd + 1, last, valueTexts)
    if (value == 0 || separatorBefore(last) != SEMICOLON) break
    if (!endPair(name, value, labelBytes, true)) break
    if (pieceEnd == last) return true
    mayBeLabel = true
    at = pieceEnd + 1
  }
  return false
}

/** Writes the names of a cell that has no pairs: pieces that are not empty, between pipes. */
function writeNames(from: usize, last: usize): bool {
  let at = from
  while (true) {
    const name = writePiece(at, last, names)
    if (name == 0 || pieceEnd == at) return false
    if (pieceEnd != last && <u32>load<u8>(pieceEnd) != PIPE) return false
    if (!endPair(name, valueTexts, -1, false)) return false
    if (pieceEnd == last) return true
    at = pieceEnd + 1
  }
}

/** Descriptors: a name with a list of values. The texts of the values lie behind each other. */
function descriptors(column: u32): bool {
  const offsets = alloc(4 * (<usize>rows + 1))
  store<u32>(offsets, 0)
  store<u32>(OFFSETS_A, 0)
  store<u32>(OFFSETS_B, 0)
  store<u32>(OFFSETS_C, 0)
  const heap = alloc(0)
  let name = heap
  let value = HEAP_B
  let count: u32 = 0
  let valueCount: u32 = 0
  let at = cellEnds + ((<usize>column) << 2)
  for (let row: u32 = 0; row < rows; row++, at += step) {
    let from = start(row, column, at)
    let to = block + <usize>(load<u32>(at) & ~MARK)
    if (isQuoted(from, to, at)) from++, to--
    if (from != to && <u32>load<u8>(to - 1) == SEMICOLON) to--
    let isName = true
    let isLast = from == to
    while (!isLast) {
      const out = writePiece(from, to, isName ? name : value)
      if (out == 0) return false
      const separator = separatorBefore(to)
      if (isName != (separator == COLON)) return false
      if (!isName && separator != PIPE && separator != SEMICOLON) return false
      isLast = pieceEnd == to
      from = pieceEnd + 1
      if (isName) {
        name = out
        store<u32>(OFFSETS_A + ((<usize>++count) << 2), <u32>(name - heap))
      } else {
        value = out
        store<u32>(OFFSETS_C + ((<usize>++valueCount) << 2), <u32>(value - HEAP_B))
      }
      if (count + valueCount + 2 > <u32>MAX_VALUES) return false
      isName = separator == SEMICOLON
      if (isName) store<u32>(OFFSETS_B + ((<usize>count) << 2), valueCount)
    }
    store<u32>(offsets + ((<usize>(row + 1)) << 2), count)
  }
  top = name
  if (!hasRoom(value - HEAP_B + 12 * (<usize>count + <usize>valueCount))) return false
  record(rows, 0, offsets, 0, 0)
  record(count, 0, 0, 0, 0)
  if (!recordTexts(count, 0, OFFSETS_A, heap, name)) return false
  const placed = place(OFFSETS_B, 4 * (<usize>count + 1))
  record(count, 0, placed, 0, 0)
  const valueHeap = place(HEAP_B, value - HEAP_B)
  return recordTexts(valueCount, 0, OFFSETS_C, valueHeap, valueHeap + (value - HEAP_B))
}
