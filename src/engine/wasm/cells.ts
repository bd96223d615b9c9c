// Hashes the cells of a block, recognises aspects cells that are plainly good, and writes them as
// JSON. AssemblyScript, not TypeScript: `build.mjs` compiles it. Nothing is read but the block, its
// index and up to 16 bytes behind it.
//
// The host owns the memory, and copies a block of rows and its index there. Offsets of the index
// are as src/engine/codec/tsv/scanner.ts describes them. If you change the hash, also change
// src/engine/codec/cells/hash-batch.ts, which hashes where this module cannot run.

import { isPlainAspects } from './aspects'
import { aspectsJson } from './aspects-json'

/** The most bytes of a block. */
export const BLOCK_BYTES: usize = 0x40000
export const MAX_ROWS: usize = 4096
export const MAX_CELLS: usize = 0x10000

// The layout. Addresses below BLOCK are the compiler's. Between the parts is room for copies that
// begin up to a word later, and for bytes that are read behind the block.

const GAP: usize = 16
export const BLOCK: usize = 0x1000
export const ROW_STARTS: usize = BLOCK + BLOCK_BYTES + GAP
export const CELL_ENDS: usize = ROW_STARTS + 4 * MAX_ROWS + GAP
export const HASHES: usize = CELL_ENDS + 4 * MAX_CELLS + GAP
/** A byte for each row: 1 where its aspects cell is plainly good. */
export const PLAIN_ASPECTS: usize = HASHES + 4 * MAX_CELLS

/** The text of one cell. */
export const TEXT: usize = PLAIN_ASPECTS + MAX_ROWS
export const TEXT_BYTES: usize = 0x8000

/** Mark in a cell's end: the bytes of the cell may differ from its text. */
const MARK: u32 = 0x8000_0000

/**
 * Stores the hash of the bytes of each cell that is not empty at HASHES.
 * @param block address of offset 0 of the index
 */
export function hashCells(
  block: usize,
  rowStarts: usize,
  cellEnds: usize,
  rows: u32,
  columns: u32,
): void {
  let cellAt = cellEnds
  let hashAt = HASHES
  for (let row: u32 = 0; row < rows; row++) {
    let start = block + <usize>load<u32>(rowStarts + ((<usize>row) << 2))
    for (let column: u32 = 0; column < columns; column++) {
      const end = block + <usize>(load<u32>(cellAt) & ~MARK)
      if (start != end) store<u32>(hashAt, hashOf(start, end))
      start = end + 1
      cellAt += 4
      hashAt += 4
    }
  }
}

/** MurmurHash3_x86_32 with a fixed seed. */
function hashOf(start: usize, end: usize): u32 {
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

/** Stores at PLAIN_ASPECTS whether the cell of a column is plainly good, for each row. */
export function findPlainAspects(
  block: usize,
  rowStarts: usize,
  cellEnds: usize,
  rows: u32,
  columns: u32,
  column: u32,
): void {
  for (let row: u32 = 0; row < rows; row++) {
    const cellAt = cellEnds + ((<usize>(row * columns + column)) << 2)
    const start =
      column == 0 ? load<u32>(rowStarts + ((<usize>row) << 2)) : (load<u32>(cellAt - 4) & ~MARK) + 1
    const end = load<u32>(cellAt) & ~MARK
    store<u8>(PLAIN_ASPECTS + <usize>row, isPlainAspects(block + start, block + end) ? 1 : 0)
  }
}

/**
 * Writes the cell between two addresses of the block as JSON at TEXT plus `shift`. Returns the
 * length of the text, or 0 where the cell is left to others.
 */
export function writeAspects(start: usize, end: usize, shift: usize): usize {
  const text = TEXT + shift
  const textEnd = aspectsJson(start, end, text, TEXT + TEXT_BYTES)
  return textEnd == 0 ? 0 : textEnd - text
}
