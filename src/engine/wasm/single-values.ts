// Columns with one value a row: texts, numbers, times, and cells of other kinds as texts.

import {
  alloc,
  arenaTop,
  copy,
  endOf,
  endTexts,
  FLAGS,
  firstEnd,
  inside,
  insideEnd,
  isQuoted,
  leave,
  newOffsets,
  pack,
  record,
  rows,
  startOf,
  step,
  storeOffset,
  unquoted,
  VALID,
  validity,
} from './arena'
import { check, scalar, takesWrong, upperHalf } from './cell-values'
import { TIME } from './kinds'

/** The text `.000Z`, in eight bytes. */
const NO_MS: u64 = 0x5a3030302e

// The compiler makes a copy of a generic function for each type, in which `isInteger` and `sizeof`
// are constants.
export type Plain = u8
export type Checked = f32

/** Adds the milliseconds to the text of a time that lacks them. Returns the address behind it. */
export function withMs(kernel: u32, bytes: usize, out: usize): usize {
  if (kernel != TIME || bytes != 20) return out
  store<u64>(out - 1, NO_MS)
  return out + 4
}

export function texts<Cells>(kernel: u32, column: u32, parameter: u32, notNull: bool): bool {
  const offsets = newOffsets()
  const heap = alloc(0)
  let out = heap
  for (let row: usize = 0, at = firstEnd(column); row < <usize>rows; row++, at += step) {
    let from = startOf(column, row, at)
    let to = endOf(at)
    const before = out
    if (isInteger<Cells>()) {
      if (!isQuoted(from, to, at)) out = copy(from, to - from, out)
      else out = unquoted(from + 1, to - 1, out)
    } else {
      if (isQuoted(from, to, at)) {
        to = insideEnd(from, to)
        from = inside
      }
      if (from != to) {
        check(kernel, from, to, parameter)
        if (takesWrong()) leave(row)
        else out = withMs(kernel, to - from, copy(from, to - from, out))
      }
    }
    if (notNull && (isInteger<Cells>() ? out == before : from == to)) leave(row)
    store<u8>(VALID + row, out != before ? 1 : 0)
    storeOffset(offsets, row, <u32>(out - heap))
  }
  endTexts(out)
  const valid = validity(VALID, rows)
  record(rows, valid, offsets, heap, out - heap)
  return true
}

/** @typeparam T has the size of a value, and is another one for each kind */
export function scalars<T>(kernel: u32, column: u32, parameter: u32, notNull: bool): bool {
  const values = sizeof<T>() == 1 ? FLAGS : alloc(sizeof<T>() * <usize>rows)
  for (let row: usize = 0, at = firstEnd(column); row < <usize>rows; row++, at += step) {
    let from = startOf(column, row, at)
    let to = endOf(at)
    if (isQuoted(from, to, at)) {
      to = insideEnd(from, to)
      from = inside
    }
    let isValue = from != to
    let value: i64 = 0
    if (isValue) {
      value = scalar<T>(kernel, from, to, parameter)
      if (takesWrong()) {
        leave(row)
        isValue = false
        value = 0
      }
    } else if (notNull) leave(row)
    store<u8>(VALID + row, isValue ? 1 : 0)
    storeValue<T>(values + row * sizeof<T>(), value, isValue)
  }
  const placed = sizeof<T>() == 1 ? pack(FLAGS, rows) : values
  const bytes = arenaTop() - placed
  const valid = validity(VALID, rows)
  record(rows, valid, 0, placed, bytes)
  return true
}

/** @param isValue false for the zeros of a null */
function storeValue<T>(place: usize, value: i64, isValue: bool): void {
  if (sizeof<T>() == 1) store<u8>(place, <u8>value)
  else if (sizeof<T>() == 4) store<i32>(place, <i32>value)
  else store<i64>(place, value)
  if (sizeof<T>() == 16) store<i64>(place, isValue ? upperHalf : 0, 8)
}
