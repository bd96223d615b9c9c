// Decodes the columns of a block of rows into the memory layout of Apache Arrow. AssemblyScript,
// not TypeScript: `build.mjs` compiles it. Nothing is read but the block, its index and up to 64
// bytes behind it.
//
// The host owns the memory, copies a block of rows and its index there, and asks for one column
// after the other. A column with a cell that is not plainly good is left to the host as a whole, so
// this module decides about no error. The file is one piece, because all kinds write to one arena by
// the same few functions. What a cell of a kind may be is written in src/engine/codec/decode/;
// src/engine/codec/columns/arrow-type.ts has the layout of each kind.
// If you add a kind of cells, also add it to src/engine/codec/columns/kernel.ts.

export * from './kinds'
export { extremeRow } from './profile'
export {
  LINES,
  LINES_BYTES,
  NAMES,
  NAMES_BYTES,
  PLAN,
  PLAN_BYTES,
  PLANS,
  PLANS_BYTES,
  setForm,
  TEXT,
  textBytes,
  writeLines,
} from './row-text'

import {
  COLON,
  isAmong,
  lastOf,
  PIPE,
  pieceEnd,
  pieceEnds,
  SEMICOLON,
  STEP,
  separatorAt,
  WINDOW,
  writePiece,
} from './aspects'
import { beginColumn, check, isWrong, scalar } from './cell-values'
import {
  AS_TEXT,
  ASPECTS,
  BOOLEAN,
  CHOICE,
  DAY,
  DECIMAL,
  DESCRIPTORS,
  INT32,
  INT64,
  LIST,
  REGIONS,
  TEXT_CELL,
  TIME,
} from './kinds'
import { hashOf } from './profile'
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
/** Where values end. The first word of each stays 0. */
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
 * @param adds true where the columns of the blocks before stay
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
  adds: bool,
): void {
  block = address
  blockBytes = bytes
  rowStarts = starts
  cellEnds = ends
  rows = rowCount
  step = (<usize>columns) << 2
  quote = quoted
  escapedBy = escaping
  if (adds) return
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
    beginColumn(WORDS)
    if (run(kernel, column, parameter) && !isWrong) return true
  }
  top = arena
  node = first
  return false
}

/** Bytes of the place and the hash of a text. */
const HASHED_BYTES: usize = 12

/**
 * Stores where the text of each cell begins and ends, and the hash of one that is not empty, row by
 * row. Returns the address of these, or 0 where they have no room.
 */
export function hashTexts(): usize {
  const bytes = HASHED_BYTES * <usize>rows * (step >> 2)
  if (!hasRoom(bytes + blockBytes)) return 0
  const found = alloc(bytes)
  let heap = alloc(0)
  let out = found
  let at = cellEnds
  for (let row: usize = 0; row < <usize>rows; row++) {
    let next = startOf(0, row, at)
    for (const last = at + step; at < last; at += 4, out += HASHED_BYTES) {
      let from = next
      let to = endOf(at)
      next = to + 1
      if (isQuoted(from, to, at)) {
        from++, to--
        if (find(escapedBy, from, to) != to) {
          to = unquoted(from, to, heap)
          from = heap
          heap = to
        }
      }
      store<u32>(out, <u32>from)
      store<u32>(out, <u32>to, 4)
      if (from != to) store<u32>(out, hashOf(from, to), 8)
    }
  }
  top = heap
  return found
}

function run(kernel: u32, column: u32, parameter: u32): bool {
  switch (kernel) {
    case TEXT_CELL:
      return texts<Plain>(TEXT_CELL, column, parameter)
    case BOOLEAN:
      return scalars<u8>(BOOLEAN, column, parameter)
    case INT32:
      return scalars<i32>(INT32, column, parameter)
    case DAY:
      return scalars<f32>(DAY, column, parameter)
    case CHOICE:
      return scalars<u32>(CHOICE, column, parameter)
    case INT64:
      return scalars<i64>(INT64, column, parameter)
    case TIME:
      return scalars<f64>(TIME, column, parameter)
    case DECIMAL:
      return scalars<v128>(DECIMAL, column, parameter)
    case LIST:
      return lists(column, parameter)
    case REGIONS:
      return regions(column)
    case ASPECTS:
      return aspects(column)
    case DESCRIPTORS:
      return descriptors(column)
  }
  return texts<Checked>(kernel - AS_TEXT, column, parameter)
}

// The cells of a column. A loop over them goes by the addresses of their ends in the index.

function firstEnd(column: u32): usize {
  return cellEnds + ((<usize>column) << 2)
}

/** Returns the address of the first byte of a cell, which may be a quote. */
function startOf(column: u32, row: usize, at: usize): usize {
  return column == 0
    ? block + <usize>load<u32>(rowStarts + (row << 2))
    : block + <usize>(load<u32>(at - 4) & ~MARK) + 1
}

function endOf(at: usize): usize {
  return block + <usize>(load<u32>(at) & ~MARK)
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

/** Makes an array of where the value of each row ends, and before them where the first begins. */
function newOffsets(): usize {
  const at = alloc(4 * (<usize>rows + 1))
  store<u32>(at, 0)
  return at
}

function storeOffset(offsets: usize, row: usize, value: u32): void {
  store<u32>(offsets + (row << 2), value, 4)
}

/**
 * Makes room for texts that the host has made, one for each row: their offsets, and their bytes.
 * Returns the address of the offsets, or 0 where there is no room. The bytes begin behind them.
 */
export function makeRoom(bytes: u32): usize {
  const offsetBytes: usize = 4 * (<usize>rows + 1)
  if (!hasRoom(<usize>bytes + offsetBytes) || node + NODE_BYTES > NODES + NODES_BYTES) return 0
  const offsets = alloc(offsetBytes)
  const texts = alloc(<usize>bytes)
  record(rows, 0, offsets, texts, <usize>bytes)
  return offsets
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

// Texts, and cells of other kinds as texts.

/** The text `.000Z`, in eight bytes. */
const NO_MS: u64 = 0x5a3030302e

// The compiler makes a copy of a generic function for each type, in which `isInteger` and `sizeof`
// are constants.
type Plain = u8
type Checked = f32

function texts<Cells>(kernel: u32, column: u32, parameter: u32): bool {
  const offsets = newOffsets()
  const heap = alloc(0)
  let out = heap
  for (let row: usize = 0, at = firstEnd(column); row < <usize>rows; row++, at += step) {
    let from = startOf(column, row, at)
    let to = endOf(at)
    const before = out
    if (!isQuoted(from, to, at)) out = copy(from, to - from, out)
    else if (isInteger<Cells>()) out = unquoted(from + 1, to - 1, out)
    else out = copy(++from, --to - from, out)
    store<u8>(VALID + row, out != before ? 1 : 0)
    if (!isInteger<Cells>() && from != to) {
      check(kernel, from, to, parameter)
      if (kernel == TIME && to - from == 20) {
        store<u64>(out - 1, NO_MS)
        out += 4
      }
    }
    storeOffset(offsets, row, <u32>(out - heap))
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

// Values of one size.

/** @typeparam T has the size of a value, and is another one for each kind */
function scalars<T>(kernel: u32, column: u32, parameter: u32): bool {
  const values = sizeof<T>() == 1 ? FLAGS : alloc(sizeof<T>() * <usize>rows)
  for (let row: usize = 0, at = firstEnd(column); row < <usize>rows; row++, at += step) {
    let from = startOf(column, row, at)
    let to = endOf(at)
    if (isQuoted(from, to, at)) from++, to--
    store<u8>(VALID + row, from != to ? 1 : 0)
    const value = from == to ? 0 : scalar<T>(kernel, from, to, parameter)
    const place = values + row * sizeof<T>()
    if (sizeof<T>() == 1) store<u8>(place, <u8>value)
    else if (sizeof<T>() == 4) store<i32>(place, <i32>value)
    else store<i64>(place, value)
    if (sizeof<T>() == 16) store<i64>(place, value >> 63, 8)
  }
  const placed = sizeof<T>() == 1 ? pack(FLAGS, rows) : values
  const bytes = top - placed
  const valid = validity(VALID, rows)
  record(rows, valid, 0, placed, bytes)
  return true
}

// Lists of texts.

// Most values of the feeds are codes of countries. Up to five of them are read at once, each of which
// takes three bytes with its separator.

/** A bit for the first letter of each code. */
const CODES: u32 = 0x1249
/** The places of the letters, and where the first four codes end in the text. */
const LETTERS: v128 = i8x16(0, 1, 3, 4, 6, 7, 9, 10, 12, 13, -1, -1, -1, -1, -1, -1)
const CODE_ENDS: v128 = i32x4(2, 4, 6, 8)

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
  const separators = i8x16.splat(<i8>separator)
  let at = from
  while (at < to) {
    const bytes = v128.load(at)
    const end: u32 = to - at < STEP ? 1 << u32(to - at) : 0
    const stops = (<u32>i8x16.bitmask(i8x16.eq(bytes, separators)) & (end - 1)) | end
    const letters = <u32>i8x16.bitmask(isAmong(bytes, 0x41, 26)) & (end - 1) & ~stops
    const taken = ctz((~(letters & (letters >> 1) & (stops >> 2)) & CODES) | (1 << 15))
    if (taken != 0) {
      const last = offsets + ((<usize>listed) << 2)
      const before = <u32>(out - heap)
      v128.store(out, i8x16.swizzle(bytes, LETTERS))
      v128.store(last, i32x4.add(i32x4.splat(before), CODE_ENDS), 4)
      store<u32>(last, before + 10, 20)
      const count = (taken * 11) >> 5
      listed += count
      if (listed >= <u32>MAX_VALUES) return 0
      out += <usize>(2 * count)
      at += <usize>taken
      continue
    }
    const stop = stops != 0 ? at + <usize>ctz(stops) : find(separator, at + STEP, to)
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

function lists(column: u32, separator: u32): bool {
  const offsets = newOffsets()
  const heap = alloc(0)
  let out = heap
  listed = 0
  for (let row: usize = 0, at = firstEnd(column); row < <usize>rows; row++, at += step) {
    let from = startOf(column, row, at)
    let to = endOf(at)
    if (isQuoted(from, to, at)) {
      from++, to--
      if (find(escapedBy, from, to) != to) return false
    }
    out = values(from, to, separator, OFFSETS_A, heap, out)
    if (out == 0) return false
    storeOffset(offsets, row, listed)
  }
  top = out
  record(rows, 0, offsets, 0, 0)
  return recordTexts(listed, 0, OFFSETS_A, heap, out)
}

/**
 * Records texts whose offsets lie outside of the arena, as the texts may. Returns false where they
 * have no room there.
 * @param valid where a byte for each text says whether it is null; 0 where none is
 */
function recordTexts(count: u32, valid: usize, offsets: usize, heap: usize, end: usize): bool {
  const bytes: usize = 4 * (<usize>count + 1)
  if (!hasRoom(bytes + <usize>count + (end - heap))) return false
  const bits = valid == 0 ? 0 : validity(valid, count)
  const ends = place(offsets, bytes)
  record(count, bits, ends, heap < ARENA ? place(heap, end - heap) : heap, end - heap)
  return true
}

function regions(column: u32): bool {
  const countryOffsets = newOffsets()
  const regionOffsets = newOffsets()
  const heap = alloc(0)
  let countries = heap
  let names = HEAP_A
  let countryCount: u32 = 0
  let regionCount: u32 = 0
  for (let row: usize = 0, at = firstEnd(column); row < <usize>rows; row++, at += step) {
    let from = startOf(column, row, at)
    let to = endOf(at)
    if (isQuoted(from, to, at)) {
      from++, to--
      if (find(escapedBy, from, to) != to) return false
    }
    store<u8>(VALID + row, from != to ? 1 : 0)
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
    storeOffset(countryOffsets, row, countryCount)
    storeOffset(regionOffsets, row, regionCount)
  }
  top = countries
  const valid = validity(VALID, rows)
  record(rows, valid, 0, 0, 0)
  record(rows, 0, countryOffsets, 0, 0)
  if (!recordTexts(countryCount, 0, OFFSETS_A, heap, countries)) return false
  record(rows, 0, regionOffsets, 0, 0)
  return recordTexts(regionCount, 0, OFFSETS_B, HEAP_A, names)
}

// Base64 pieces.

/** The places behind the labels, names and values, and their number, of all rows. */
let labels: usize = 0
let names: usize = 0
let nameHeap: usize = 0
let valueTexts: usize = 0
let pairs: u32 = 0

function aspects(column: u32): bool {
  const offsets = newOffsets()
  nameHeap = names = alloc(0)
  labels = HEAP_A
  valueTexts = HEAP_B
  pairs = 0
  for (let row: usize = 0, at = firstEnd(column); row < <usize>rows; row++, at += step) {
    let from = startOf(column, row, at)
    let to = endOf(at)
    if (isQuoted(from, to, at)) from++, to--
    const last = lastOf(from, to)
    if (from != last && !writePairs(from, last) && !writeNames(from, last)) return false
    storeOffset(offsets, row, pairs)
  }
  top = names
  record(rows, 0, offsets, 0, 0)
  record(pairs, 0, 0, 0, 0)
  return (
    recordTexts(pairs, VALID_LABELS, OFFSETS_A, HEAP_A, labels) &&
    recordTexts(pairs, 0, OFFSETS_B, nameHeap, names) &&
    recordTexts(pairs, VALID, OFFSETS_C, HEAP_B, valueTexts)
  )
}

/** Stores where the texts of a pair end. */
function storePair(n: usize, hasValue: bool, label: usize, name: usize, value: usize): void {
  store<u8>(VALID + n, hasValue ? 1 : 0)
  store<u32>(OFFSETS_A + (n << 2), <u32>(label - HEAP_A), 4)
  store<u32>(OFFSETS_B + (n << 2), <u32>(name - nameHeap), 4)
  store<u32>(OFFSETS_C + (n << 2), <u32>(value - HEAP_B), 4)
}

/** Writes the pairs of a cell. Returns false where they are not plainly pairs. */
function writePairs(from: usize, last: usize): bool {
  let labelBytes: usize = 0
  let hasLabel = false
  let mayBeLabel = true
  let isName = true
  let label = labels
  let name = names
  let value = valueTexts
  let n = <usize>pairs
  let window = from
  let ends = pieceEnds(window, last)
  for (let at = from, end = from; n + 2 <= MAX_VALUES; at = end + 1) {
    for (; ends == 0; ends = pieceEnds(window, last)) window += WINDOW
    end = window + <usize>ctz(ends)
    ends &= ends - 1
    const separator = separatorAt(end, last)
    const text = writePiece(at, end, isName ? name : value)
    if (text == 0) return false
    if (!isName) {
      if (separator != SEMICOLON || label + labelBytes > HEAP_A + BLOCK_BYTES) return false
      if (labelBytes != 0) label = copy(LABEL, labelBytes, label)
      value = text
      store<u8>(VALID_LABELS + n, hasLabel ? 1 : 0)
      storePair(n++, true, label, name, value)
      isName = true
      mayBeLabel = true
      if (end != last) continue
      labels = label
      names = name
      valueTexts = value
      pairs = <u32>n
      return true
    }
    if (separator == COLON) {
      name = text
      isName = false
      continue
    }
    if (separator != PIPE || !mayBeLabel || text - name >= LABEL_BYTES) return false
    labelBytes = text - name
    copy(name, labelBytes, LABEL)
    hasLabel = true
    mayBeLabel = false
  }
  return false
}

/** Writes the names of a cell that has no pairs: pieces that are not empty, between pipes. */
function writeNames(from: usize, last: usize): bool {
  for (let at = from, end = from; <usize>pairs + 2 <= MAX_VALUES; at = end + 1) {
    end = find(PIPE, at, last)
    const name = writePiece(at, end, names)
    if (name == 0 || end == at) return false
    names = name
    store<u8>(VALID_LABELS + <usize>pairs, 0)
    storePair(<usize>pairs, false, labels, name, valueTexts)
    pairs++
    if (end == last) return true
  }
  return false
}

/** Descriptors: a name with a list of values. The texts of the values lie behind each other. */
function descriptors(column: u32): bool {
  const offsets = newOffsets()
  const heap = alloc(0)
  let name = heap
  let value = HEAP_B
  let count: u32 = 0
  let valueCount: u32 = 0
  for (let row: usize = 0, at = firstEnd(column); row < <usize>rows; row++, at += step) {
    let from = startOf(column, row, at)
    let to = endOf(at)
    if (isQuoted(from, to, at)) from++, to--
    const last = lastOf(from, to)
    let isName = true
    let isLast = from == last
    while (!isLast) {
      const end = pieceEnd(from, last)
      const out = writePiece(from, end, isName ? name : value)
      if (out == 0) return false
      const separator = separatorAt(end, last)
      if (isName != (separator == COLON)) return false
      if (!isName && separator != PIPE && separator != SEMICOLON) return false
      isLast = end == last
      from = end + 1
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
    storeOffset(offsets, row, count)
  }
  top = name
  record(rows, 0, offsets, 0, 0)
  record(count, 0, 0, 0, 0)
  const bytes: usize = 4 * (<usize>count + 1)
  if (!recordTexts(count, 0, OFFSETS_A, heap, name) || !hasRoom(bytes)) return false
  record(count, 0, place(OFFSETS_B, bytes), 0, 0)
  return recordTexts(valueCount, 0, OFFSETS_C, HEAP_B, value)
}
