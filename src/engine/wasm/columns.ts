// Decodes the columns of a block of rows into the memory layout of Apache Arrow. AssemblyScript,
// not TypeScript: `build.mjs` compiles it. Nothing is read but the block, its index and up to 64
// bytes behind it.
//
// The host owns the memory, copies a block of rows and its index there, and asks for one column
// after the other. A cell that is not plainly good is left to the host: here it is null, or an empty
// list, and its row stands in LEFT. So this module decides about no error. What a cell of a kind may
// be is written in src/engine/codec/kinds/; src/engine/codec/columns/arrow-type.ts has the layout of
// each kind. If you add a kind of cells, also add it to src/engine/codec/columns/kernel.ts.

export {
  ARENA,
  arenaTop,
  BLOCK,
  BLOCK_BYTES,
  begin,
  CELL_ENDS,
  LEFT,
  MAX_CELLS,
  MAX_ROWS,
  makeRoom,
  NODES,
  nodeCount,
  ROW_STARTS,
  SEPARATOR,
  SEPARATOR_BYTES,
  WORDS,
  WORDS_BYTES,
} from './arena'
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
  alloc,
  arenaTop,
  backTo,
  beginArrays,
  blockBytes,
  endOf,
  endTexts,
  firstEnd,
  hasEscape,
  hasRoom,
  isQuoted,
  leftCount,
  nodeCount,
  rows,
  startOf,
  step,
  unquoted,
  WORDS,
} from './arena'
import { beginValues } from './cell-values'
import {
  AS_TEXT,
  ASPECTS,
  BOOLEAN,
  CHOICE,
  DAY,
  DECIMAL,
  DESCRIPTORS,
  FLOAT64,
  INT32,
  INT64,
  LIST,
  REGIONS,
  TEXT_CELL,
  TIME,
} from './kinds'
import { isOneByte, regions, setSeparator, textLists, valueLists } from './lists'
import { aspects, descriptors } from './pairs'
import { hashOf } from './profile'
import { Checked, Plain, scalars, texts } from './single-values'

/**
 * Decodes a column by the kernel of its kind, and adds its records. Returns the number of rows in LEFT;
 * -1, and adds none, where the arrays have no room.
 * @param parameter of the kind, or of the kind of a list's values
 * @param element the kind of a list's values
 * @param separatorBytes of a list
 * @param notNull true where an empty cell is left to the host
 */
export function decode(
  kernel: u32,
  column: u32,
  parameter: u32,
  element: u32,
  separatorBytes: u32,
  notNull: bool,
): i32 {
  const arena = arenaTop()
  const node = nodeCount()
  if (beginArrays()) {
    beginValues(WORDS)
    setSeparator(<usize>separatorBytes)
    if (run(kernel, column, parameter, element, notNull)) return <i32>leftCount()
  }
  backTo(arena, node)
  return -1
}

function run(kernel: u32, column: u32, parameter: u32, element: u32, notNull: bool): bool {
  switch (kernel) {
    case TEXT_CELL:
      return texts<Plain>(TEXT_CELL, column, parameter, notNull)
    case LIST:
      return lists(element, column, parameter, notNull)
    case REGIONS:
      return regions(column, notNull)
    case ASPECTS:
      return aspects(column, notNull)
    case DESCRIPTORS:
      return descriptors(column, notNull)
    case BOOLEAN:
      return scalars<u8>(BOOLEAN, column, parameter, notNull)
    case INT32:
      return scalars<i32>(INT32, column, parameter, notNull)
    case DAY:
      return scalars<f32>(DAY, column, parameter, notNull)
    case CHOICE:
      return scalars<u32>(CHOICE, column, parameter, notNull)
    case INT64:
      return scalars<i64>(INT64, column, parameter, notNull)
    case TIME:
      return scalars<f64>(TIME, column, parameter, notNull)
    case FLOAT64:
      return scalars<u64>(FLOAT64, column, parameter, notNull)
    case DECIMAL:
      return scalars<v128>(DECIMAL, column, parameter, notNull)
  }
  return texts<Checked>(kernel - AS_TEXT, column, parameter, notNull)
}

function lists(element: u32, column: u32, parameter: u32, notNull: bool): bool {
  if (element == TEXT_CELL && isOneByte()) return textLists<u8>(0, column, parameter, notNull)
  if (element == TEXT_CELL) return textLists<f32>(0, column, parameter, notNull)
  if (element > AS_TEXT) return textLists<f32>(element - AS_TEXT, column, parameter, notNull)
  return valueLists(element, sizeOf(element), column, parameter, notNull)
}

/** Returns the bytes of a value. */
function sizeOf(kernel: u32): usize {
  if (kernel == BOOLEAN) return 1
  if (kernel == DECIMAL) return 16
  return kernel == INT32 || kernel == DAY || kernel == CHOICE ? 4 : 8
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
  let at = firstEnd(0)
  for (let row: usize = 0; row < <usize>rows; row++) {
    let next = startOf(0, row, at)
    for (const last = at + step; at < last; at += 4, out += HASHED_BYTES) {
      let from = next
      let to = endOf(at)
      next = to + 1
      if (isQuoted(from, to, at)) {
        from++, to--
        if (hasEscape(from, to)) {
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
  endTexts(heap)
  return found
}
