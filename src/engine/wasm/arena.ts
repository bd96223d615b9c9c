// What the decoders of all kinds of columns share: the block of rows that the host has copied here,
// the arena that the arrays of columns are made in, and the list of rows that are left to the host.

import { STEP } from './aspects'
import { isEscaped } from './quoted-cell'
import { GAP, NODE_BYTES, ROW_TEXT_END } from './row-text'

/** The most bytes of a block. */
export const BLOCK_BYTES: usize = 0x80000
export const MAX_ROWS: usize = 4096
export const MAX_CELLS: usize = 0x10000
/** The most values of one nested column in a block. */
export const MAX_VALUES: usize = 0x10000

// The layout. The addresses below BLOCK are those of row-text.ts.

export const BLOCK: usize = ROW_TEXT_END
export const ROW_STARTS: usize = BLOCK + BLOCK_BYTES + GAP
export const CELL_ENDS: usize = ROW_STARTS + 4 * MAX_ROWS + GAP
/**
 * What a column has besides its numbers: the texts of a `oneOf` column in a table, as `choiceOf`
 * reads it, and the separator of a list.
 */
export const WORDS: usize = CELL_ENDS + 4 * MAX_CELLS + GAP
export const WORDS_BYTES: usize = 0x40000
export const SEPARATOR: usize = WORDS + WORDS_BYTES + GAP
export const SEPARATOR_BYTES: usize = 0x100
/** A record of NODE_BYTES for each array of a column, the parents before their children. */
export const NODES: usize = SEPARATOR + SEPARATOR_BYTES + GAP
export const NODES_BYTES: usize = 6 * NODE_BYTES * MAX_ROWS
/** The numbers of the rows whose cells the latest column leaves to the host, as words. */
export const LEFT: usize = NODES + NODES_BYTES + GAP
/** A byte for each value, which is 0 where the value is null. */
export const VALID: usize = LEFT + 4 * MAX_ROWS + GAP
export const VALID_LABELS: usize = VALID + MAX_VALUES + GAP
/** A byte for each boolean. */
export const FLAGS: usize = VALID_LABELS + MAX_VALUES + GAP
/** Where values end. The first word of each stays 0. */
export const OFFSETS_A: usize = FLAGS + MAX_VALUES + GAP
export const OFFSETS_B: usize = OFFSETS_A + 4 * MAX_VALUES + GAP
export const OFFSETS_C: usize = OFFSETS_B + 4 * MAX_VALUES + GAP
export const HEAP_A: usize = OFFSETS_C + 4 * MAX_VALUES + GAP
export const HEAP_B: usize = HEAP_A + BLOCK_BYTES + GAP
/** The text of a quoted cell with escapes, without them. */
const INSIDE: usize = HEAP_B + BLOCK_BYTES + GAP
/** The arrays of all columns, one behind the other. */
export const ARENA: usize = INSIDE + BLOCK_BYTES + GAP
export const ARENA_BYTES: usize = 0x300000
export const ARENA_END: usize = ARENA + ARENA_BYTES

/** Mark in a cell's end: the bytes of the cell may differ from its text. */
const MARK: u32 = 0x8000_0000

// The block.

let block: usize = 0
export let blockBytes: usize = 0
let rowStarts: usize = 0
let cellEnds: usize = 0
export let rows: u32 = 0
/** Bytes of the index from a row to the next. */
export let step: usize = 0
let quote: u32 = 0
let escapedBy: u32 = 0

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

// The cells of a column. A loop over them goes by the addresses of their ends in the index.

export function firstEnd(column: u32): usize {
  return cellEnds + ((<usize>column) << 2)
}

/** Returns the address of the first byte of a cell, which may be a quote. */
export function startOf(column: u32, row: usize, at: usize): usize {
  return column == 0
    ? block + <usize>load<u32>(rowStarts + (row << 2))
    : block + <usize>(load<u32>(at - 4) & ~MARK) + 1
}

export function endOf(at: usize): usize {
  return block + <usize>(load<u32>(at) & ~MARK)
}

export function isQuoted(from: usize, to: usize, at: usize): bool {
  return <i32>load<u32>(at) < 0 && from < to && <u32>load<u8>(from) == quote
}

/** Where the text of the cell begins whose end {@link insideEnd} has returned. */
export let inside: usize = 0

/** Finds the text of a quoted cell, without its escapes. */
export function insideEnd(from: usize, to: usize): usize {
  inside = from + 1
  if (!hasEscape(inside, to - 1)) return to - 1
  inside = INSIDE
  return unquoted(from + 1, to - 1, INSIDE)
}

/** Returns whether the inside of a quoted cell may have escapes. */
export function hasEscape(from: usize, to: usize): bool {
  return find(escapedBy, from, to) != to
}

/** Copies the inside of a quoted cell without the bytes that escape quotes and themselves. */
export function unquoted(from: usize, to: usize, out: usize): usize {
  let at = from
  while (true) {
    const escape = find(escapedBy, at, to)
    out = copy(at, escape - at, out)
    if (escape == to) return out
    const next = escape + 1 < to ? <u32>load<u8>(escape + 1) : 0
    if (escape + 1 < to && isEscaped(next, quote, escapedBy)) {
      store<u8>(out++, <u8>next)
      at = escape + 2
    } else {
      store<u8>(out++, <u8>escapedBy)
      at = escape + 1
    }
  }
}

/** Copies in whole steps, at least one. */
export function copy(from: usize, bytes: usize, to: usize): usize {
  let n: usize = 0
  do {
    v128.store(to + n, v128.load(from + n))
    n += STEP
  } while (n < bytes)
  return to + bytes
}

/** Returns the address of the first such byte, or `to`. */
export function find(byte: u32, from: usize, to: usize): usize {
  const wanted = i8x16.splat(<i8>byte)
  for (let at = from; at < to; at += STEP) {
    const bits = <u32>i8x16.bitmask(i8x16.eq(v128.load(at), wanted))
    if (bits != 0) return min(at + <usize>ctz(bits), to)
  }
  return to
}

// The arrays of columns.

/** The free part of the arena. */
let top: usize = ARENA
/** The place of the next record. */
let node: usize = NODES
let left: u32 = 0

/** The address behind the arrays, and the number of records. */
export function arenaTop(): usize {
  return top
}

export function nodeCount(): u32 {
  return <u32>((node - NODES) / NODE_BYTES)
}

/** The number of rows in LEFT. */
export function leftCount(): u32 {
  return left
}

/** Takes back the arrays and records from there on. */
export function backTo(arena: usize, record: u32): void {
  top = arena
  node = NODES + <usize>record * NODE_BYTES
}

/** Begins a column. Returns false where its arrays may have no room. */
export function beginArrays(): bool {
  left = 0
  top = (top + 7) & ~7
  const room: usize = 5 * (16 * (<usize>rows + 1) + GAP) + blockBytes + GAP
  return top + room <= ARENA_END && node + 6 * NODE_BYTES <= NODES + NODES_BYTES
}

/** Leaves the cell of a row to the host. */
export function leave(row: usize): void {
  store<u32>(LEFT + ((<usize>left) << 2), <u32>row)
  left++
}

export function alloc(bytes: usize): usize {
  const at = (top + 7) & ~7
  top = at + bytes
  return at
}

/** Ends an array of texts, which began where `alloc(0)` has said. */
export function endTexts(end: usize): void {
  top = end
}

function place(from: usize, bytes: usize): usize {
  const at = alloc(bytes)
  memory.copy(at, from, bytes)
  return at
}

/** Returns whether an array of this size and those of the rows still fit. */
export function hasRoom(bytes: usize): bool {
  return top + bytes + 16 * <usize>rows + 8 * GAP <= ARENA_END
}

let nulls: u32 = 0

/** Packs the bytes of so many values into bits, and counts those that are 0 as `nulls`. */
export function pack(from: usize, count: u32): usize {
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
export function validity(from: usize, count: u32): usize {
  const before = top
  const at = pack(from, count)
  if (nulls != 0) return at
  top = before
  return 0
}

export function record(
  length: u32,
  valid: usize,
  offsets: usize,
  values: usize,
  bytes: usize,
): void {
  store<u32>(node, length)
  store<u32>(node, valid == 0 ? 0 : nulls, 4)
  store<u32>(node, valid == 0 ? 0 : <u32>(valid - ARENA), 8)
  store<u32>(node, offsets == 0 ? 0 : <u32>(offsets - ARENA), 12)
  store<u32>(node, values == 0 ? 0 : <u32>(values - ARENA), 16)
  store<u32>(node, <u32>bytes, 20)
  node += NODE_BYTES
}

/** Makes an array of where the value of each row ends, and before them where the first begins. */
export function newOffsets(): usize {
  const at = alloc(4 * (<usize>rows + 1))
  store<u32>(at, 0)
  return at
}

export function storeOffset(offsets: usize, row: usize, value: u32): void {
  store<u32>(offsets + (row << 2), value, 4)
}

/**
 * Records texts whose offsets lie outside of the arena, as the texts may. Returns false where they
 * have no room there.
 * @param valid where a byte for each text says whether it is null; 0 where none is
 */
export function recordTexts(
  count: u32,
  valid: usize,
  offsets: usize,
  heap: usize,
  end: usize,
): bool {
  const bytes: usize = 4 * (<usize>count + 1)
  if (!hasRoom(bytes + <usize>count + (end - heap))) return false
  const bits = valid == 0 ? 0 : validity(valid, count)
  const ends = place(offsets, bytes)
  record(count, bits, ends, heap < ARENA ? place(heap, end - heap) : heap, end - heap)
  return true
}

/** Records a list inside of the values of a list, whose offsets lie outside of the arena. */
export function recordLists(count: u32, offsets: usize): bool {
  const bytes: usize = 4 * (<usize>count + 1)
  if (!hasRoom(bytes)) return false
  record(count, 0, place(offsets, bytes), 0, 0)
  return true
}

/** Records values of one size that lie outside of the arena. */
export function recordValues(count: u32, values: usize, bytes: usize): bool {
  if (!hasRoom(bytes)) return false
  record(count, 0, 0, place(values, bytes), bytes)
  return true
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
