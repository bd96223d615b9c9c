// Finds the cells of good rows, 64 bytes a step by 128-bit SIMD: what the WebAssembly scan engine
// runs, and all that its host calls. AssemblyScript, not TypeScript: `build.mjs` compiles it. It
// takes rows that are plainly good (src/engine/codec/tsv/scan-space.ts says which) and stops before
// any other. Nothing is written outside the index, and nothing read but the block and a step beyond
// it. The file is one piece, because all of it works on that index.
//
// Where only leading cells of a row are wanted, steps that lie behind them count cells and store
// nothing.
//
// A step makes four masks, a bit a byte: delimiters, line ends, quotes, bytes past ASCII. The ends
// of all cells are stored at once; whether a row has the right number of them is seen at its line
// end. The end of a cell that is quoted or has a byte past ASCII is marked. A quote matters only
// where a cell begins, that is in the first place or behind a delimiter: there the step ends early,
// the quoted cell is read on its own, and the next step begins at the delimiter behind it.

// `project` copies the cells of some columns one behind the other, as in a file that has no other
// columns: this costs little beside finding the cells.
//
// The host owns the memory. It says where the block lies, and where the index goes, which takes
// INDEX_BYTES and those of a block that nothing else uses. So a block is read where another module
// has written it.

import { fitCells } from './fit'
import { quotedHigh, quotedLines, readQuoted } from './quoted-cell'

/** The usual bytes of a block. A step loads up to 64 bytes past them. */
export const BLOCK_BYTES: usize = 0x40000
export const MAX_ROWS: usize = 4096
/** The most cells of rows that are taken. A row that is not taken may add those of one step. */
export const MAX_CELLS: usize = 0x10000

const STEP: usize = 64

// The index.

export const ROW_STARTS: usize = 0
export const ROW_FLAGS: usize = 4 * MAX_ROWS
/** The scan stores three ends at a time, so up to two too many, for which there is room. */
export const CELL_ENDS: usize = ROW_FLAGS + MAX_ROWS
/** `fit` makes wide text here: two bytes for each byte of a block of BLOCK_BYTES. */
export const WIDE_TEXT: usize = CELL_ENDS + 4 * (MAX_CELLS + STEP) + 16
/** `project` uses the index from here on. */
export const PROJECTED_COLUMNS: usize = WIDE_TEXT + 2 * BLOCK_BYTES
/** No file has more. */
export const MAX_PROJECTED_COLUMNS: usize = 4096
export const PROJECTED_ENDS: usize = PROJECTED_COLUMNS + 4 * MAX_PROJECTED_COLUMNS
export const PROJECTED_BYTES: usize = PROJECTED_ENDS + 4 * MAX_CELLS
/**
 * What the index takes beside as many bytes as a block has. A row that the host leaves out may be
 * shorter than the delimiters of its empty cells. A copy writes up to 16 bytes past the end of the
 * projected bytes.
 */
export const INDEX_BYTES: usize = PROJECTED_BYTES + MAX_CELLS + 16

const LF: u32 = 0x0a
const CR: u32 = 0x0d
const QUOTE: u32 = 0x22
/** The value in place of the byte that escapes where the file has no quoted cells. */
const NO_QUOTING: i32 = -1
/** Mark in a cell's end: the bytes of the cell may differ from its text. */
const MARK: u32 = 0x8000_0000

/** Rows found by the last call. */
let rows: u32 = 0
/** Line ends inside the quotes of those rows. */
let innerLines: u32 = 0
let stopped = false

export function rowsFound(): u32 {
  return rows
}

export function innerLinesFound(): u32 {
  return innerLines
}

/**
 * True where the last call ended at a row that is not plainly good, and not because the block ended
 * or no more rows fit.
 */
export function stoppedAtRow(): bool {
  return stopped
}

// Addresses at which this call stores its rows.
let rowStartsAt: usize = 0
let rowFlagsAt: usize = 0

/**
 * Scans `bytes` of the block at `block`, from a row's start. Its rows are stored behind the
 * `before` rows that the index has.
 * @param bias added to every offset that is stored
 * @param wanted cells of each row whose ends are to be stored; of those behind them some are, and
 * some are not
 * @param maxRows of this call: with those before at most MAX_ROWS, and their cells at most
 * MAX_CELLS
 * @param delimiter the byte between two cells
 * @param escapedBy the byte that takes the next one with it inside quotes: a backslash, QUOTE where
 * quotes are doubled, or NO_QUOTING
 * @returns the offset from `block` where the first row begins that was not taken
 */
export function scan(
  block: usize,
  bytes: u32,
  bias: u32,
  index: usize,
  before: u32,
  columns: u32,
  wanted: u32,
  maxRows: u32,
  maxRowBytes: u32,
  delimiter: u32,
  escapedBy: i32,
): u32 {
  const delimiterBytes = i8x16.splat(<i8>delimiter)
  // No quote begins a cell where this has no bits.
  const quoting: u64 = escapedBy == NO_QUOTING ? 0 : ~(<u64>0)
  const end = block + <usize>bytes
  // A stored offset is an address plus this number.
  const shift = bias - <u32>block
  const rowCells = (<usize>columns) << 2
  // True from the last wanted end of a row to the end of the row.
  const unwanted = (<usize>(columns - wanted)) << 2
  rowStartsAt = index + ROW_STARTS + ((<usize>before) << 2)
  rowFlagsAt = index + ROW_FLAGS + <usize>before
  let rowStart = block
  let at = block
  let cellAt = index + CELL_ENDS + <usize>before * rowCells
  let rowCellsEnd = cellAt + rowCells
  let high: u64 = 0
  let atCellStart: u64 = 1
  // True where the cell that goes on into the step has to be marked.
  let isMarked: bool = false
  let lines: u32 = 0
  rows = 0
  innerLines = 0
  stopped = false
  while (at < end) {
    const v0 = v128.load(at)
    const v1 = v128.load(at, 16)
    const v2 = v128.load(at, 32)
    const v3 = v128.load(at, 48)
    const here: u64 = end - at >= STEP ? ~(<u64>0) : ((<u64>1) << u64(end - at)) - 1
    const lineEnds = equalTo(v0, v1, v2, v3, LF) & here
    const allDelimiters = (equalToSplat(v0, v1, v2, v3, delimiterBytes) & here) | lineEnds
    const cellStarts = ((allDelimiters << 1) | atCellStart) & here & quoting
    const quoted = equalTo(v0, v1, v2, v3, QUOTE) & cellStarts
    // The bits of this step, up to the first quoted cell.
    const taken = quoted == 0 ? here : (quoted & -quoted) - 1
    let open = highBits(v0, v1, v2, v3) & taken
    const delimiters = allDelimiters & taken
    const firstCellAt = cellAt
    const isWanted = rowCellsEnd - cellAt > unwanted || (lineEnds & taken) != 0
    if (isWanted) storeEnds(delimiters, <u32>at + shift, cellAt)
    if (isMarked || open != 0) isMarked = isWanted && markEnds(delimiters, open, isMarked, cellAt)
    cellAt += (<usize>popcnt(delimiters)) << 2
    for (let bits = lineEnds & taken; bits != 0; bits &= bits - 1) {
      const before = (bits & -bits) - 1
      if (firstCellAt + ((<usize>popcnt(delimiters & before)) << 2) + 4 != rowCellsEnd)
        return stopAt(rowStart - block)
      const place = at + <usize>ctz(bits)
      if (place - rowStart >= <usize>maxRowBytes) return stopAt(rowStart - block)
      // A plain last cell gives up its CR. An empty one has none: what stands before it is a
      // delimiter, or another row's.
      if (place > rowStart && load<u8>(place - 1) == CR)
        store<u32>(rowCellsEnd - 4, load<u32>(rowCellsEnd - 4) - 1)
      takeRow(<u32>rowStart + shift, high | (open & before), lines)
      open &= ~before
      high = 0
      lines = 0
      rowStart = place + 1
      rowCellsEnd += rowCells
      if (rows == maxRows) return <u32>(rowStart - block)
    }
    // No more cells of this row have room.
    if (cellAt >= rowCellsEnd) return stopAt(rowStart - block)
    high |= open
    if (quoted == 0) {
      atCellStart = allDelimiters >> 63
      at += STEP
      continue
    }
    at = readQuoted(at + <usize>ctz(quoted) + 1, end, <u32>escapedBy)
    if (at >= end) break
    high |= quotedHigh
    lines += quotedLines
    atCellStart = 0
    isMarked = true
    const next = <u32>load<u8>(at)
    if (next == delimiter || next == LF) continue
    // Otherwise only CR and LF may follow, and only behind the last cell.
    if (next == CR && at + 1 >= end) break
    if (next != CR || load<u8>(at + 1) != LF || cellAt + 4 != rowCellsEnd)
      return stopAt(rowStart - block)
    if (at + 1 - rowStart >= <usize>maxRowBytes) return stopAt(rowStart - block)
    store<u32>(cellAt, (<u32>at + shift) | MARK)
    cellAt += 4
    isMarked = false
    takeRow(<u32>rowStart + shift, high, lines)
    high = 0
    lines = 0
    at += 2
    rowStart = at
    rowCellsEnd += rowCells
    atCellStart = 1
    if (rows == maxRows) break
  }
  return <u32>(rowStart - block)
}

/**
 * Copies the cells of some columns to PROJECTED_BYTES, in the order of the columns, with a
 * delimiter behind each and a line end behind the last. Their ends go to PROJECTED_ENDS, marks
 * included. The indexes of the columns are at PROJECTED_COLUMNS, and they are distinct.
 * @param block address of offset 0 of the index. Its projection has at most a delimiter more for
 * each cell
 * @param projected number of the columns
 * @param bias added to every offset that is stored
 * @returns bytes that were stored
 */
export function project(
  block: usize,
  index: usize,
  ofRows: u32,
  columns: u32,
  projected: u32,
  bias: u32,
  delimiter: u32,
): u32 {
  const rowCells = (<usize>columns) << 2
  const columnsAt = index + PROJECTED_COLUMNS
  const columnsEnd = columnsAt + ((<usize>projected) << 2)
  const target = index + PROJECTED_BYTES
  const shift = bias - <u32>target
  let to = target
  let endAt = index + PROJECTED_ENDS
  let rowAt = index + ROW_STARTS
  let cellsAt = index + CELL_ENDS
  for (let row: u32 = 0; row < ofRows; row++) {
    for (let at = columnsAt; at < columnsEnd; at += 4) {
      const column = <usize>load<u32>(at)
      const cell = cellsAt + (column << 2)
      const start = column == 0 ? load<u32>(rowAt) : (load<u32>(cell - 4) & ~MARK) + 1
      const marked = load<u32>(cell)
      const length = <usize>((marked & ~MARK) - start)
      const from = block + <usize>start
      v128.store(to, v128.load(from))
      for (let done: usize = 16; done < length; done += 16)
        v128.store(to + done, v128.load(from + done))
      to += length
      store<u32>(endAt, (<u32>to + shift) | (marked & MARK))
      endAt += 4
      store<u8>(to++, <u8>delimiter)
    }
    if (projected != 0) store<u8>(to - 1, <u8>LF)
    rowAt += 4
    cellsAt += rowCells
  }
  return <u32>(to - target)
}

/**
 * Copies the rows of the index to PROJECTED_BYTES, and makes their marked cells fit; their wide
 * texts go to WIDE_TEXT.
 * @param block address of the first row, whose offset is `bias`
 * @param bytes from there to the end of the last row, at most BLOCK_BYTES
 * @returns true where a mark was removed from the index
 */
export function fit(
  block: usize,
  bytes: u32,
  bias: u32,
  index: usize,
  ofRows: u32,
  columns: u32,
  quote: i32,
  escapedBy: i32,
): bool {
  const run = index + PROJECTED_BYTES
  memory.copy(run, block, bytes)
  const starts = index + ROW_STARTS
  const ends = index + CELL_ENDS
  return fitCells(run, bias, index + WIDE_TEXT, starts, ends, ofRows, columns, quote, escapedBy)
}

/** Returns whether so many cells of the index have a mark. */
export function hasMarks(index: usize, cells: u32): bool {
  let all: u32 = 0
  for (let cell: u32 = 0; cell < cells; cell++)
    all |= load<u32>(index + CELL_ENDS + ((<usize>cell) << 2))
  return (all & MARK) != 0
}

function stopAt(offset: usize): u32 {
  stopped = true
  return <u32>offset
}

/** Stores three ends at a time: a surplus one is overwritten, or nobody reads it. */
function storeEnds(delimiters: u64, offset: u32, cellAt: usize): void {
  for (let bits = delimiters; bits != 0; cellAt += 12) {
    store<u32>(cellAt, offset + <u32>ctz(bits))
    bits &= bits - 1
    store<u32>(cellAt, offset + <u32>ctz(bits), 4)
    bits &= bits - 1
    store<u32>(cellAt, offset + <u32>ctz(bits), 8)
    bits &= bits - 1
  }
}

/**
 * Marks the ends of cells with a bit of `open`, and the first of them if `isMarked`.
 * @returns whether the cell behind the last of them is to be marked
 */
function markEnds(delimiters: u64, open: u64, isMarked: bool, cellAt: usize): bool {
  for (let rest = delimiters; rest != 0; cellAt += 4) {
    const upTo = rest ^ (rest - 1)
    if (isMarked || (open & upTo) != 0) store<u32>(cellAt, load<u32>(cellAt) | MARK)
    isMarked = false
    open &= ~upTo
    rest &= rest - 1
  }
  return isMarked || open != 0
}

function takeRow(start: u32, high: u64, lines: u32): void {
  store<u32>(rowStartsAt + ((<usize>rows) << 2), start)
  store<u8>(rowFlagsAt + <usize>rows, high != 0 ? 1 : 0)
  rows++
  innerLines += lines
}

function equalTo(v0: v128, v1: v128, v2: v128, v3: v128, byte: u32): u64 {
  return equalToSplat(v0, v1, v2, v3, i8x16.splat(<i8>byte))
}

function equalToSplat(v0: v128, v1: v128, v2: v128, v3: v128, splat: v128): u64 {
  return highBits(
    i8x16.eq(v0, splat),
    i8x16.eq(v1, splat),
    i8x16.eq(v2, splat),
    i8x16.eq(v3, splat),
  )
}

function highBits(v0: v128, v1: v128, v2: v128, v3: v128): u64 {
  const low = <u64>(<u32>i8x16.bitmask(v0) | ((<u32>i8x16.bitmask(v1)) << 16))
  const high = <u64>(<u32>i8x16.bitmask(v2) | ((<u32>i8x16.bitmask(v3)) << 16))
  return low | (high << 32)
}
