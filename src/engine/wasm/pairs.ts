// Columns of Base64 pieces: aspects, and condition descriptors.

import {
  alloc,
  BLOCK_BYTES,
  copy,
  endOf,
  endTexts,
  find,
  firstEnd,
  HEAP_A,
  HEAP_B,
  inside,
  insideEnd,
  isQuoted,
  leave,
  MAX_VALUES,
  newOffsets,
  OFFSETS_A,
  OFFSETS_B,
  OFFSETS_C,
  record,
  recordLists,
  recordTexts,
  rows,
  startOf,
  step,
  storeOffset,
  VALID,
  VALID_LABELS,
} from './arena'
import {
  COLON,
  lastOf,
  PIPE,
  pieceEnd,
  pieceEnds,
  SEMICOLON,
  separatorAt,
  WINDOW,
  writePiece,
} from './aspects'

/** The places behind the labels, names and values, and their number, of all rows. */
let labels: usize = 0
let names: usize = 0
let nameHeap: usize = 0
let valueTexts: usize = 0
let pairs: u32 = 0

export function aspects(column: u32, notNull: bool): bool {
  const offsets = newOffsets()
  nameHeap = names = alloc(0)
  labels = HEAP_A
  valueTexts = HEAP_B
  pairs = 0
  for (let row: usize = 0, at = firstEnd(column); row < <usize>rows; row++, at += step) {
    let from = startOf(column, row, at)
    let to = endOf(at)
    if (isQuoted(from, to, at)) {
      to = insideEnd(from, to)
      from = inside
    }
    const last = lastOf(from, to)
    const pairsBefore = pairs
    const namesBefore = names
    if (from == to ? notNull : from != last && !writePairs(from, last) && !writeNames(from, last)) {
      leave(row)
      pairs = pairsBefore
      names = namesBefore
    }
    storeOffset(offsets, row, pairs)
  }
  endTexts(names)
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
      if (separator != SEMICOLON || label + 2 * labelBytes > HEAP_A + BLOCK_BYTES) return false
      // The label of the first pair stands there already.
      if (!mayBeLabel) label += labelBytes
      else if (labelBytes != 0) label = copy(label - labelBytes, labelBytes, label)
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
    labelBytes = text - name
    if (separator != PIPE || !mayBeLabel || label + labelBytes > HEAP_A + BLOCK_BYTES) return false
    copy(name, labelBytes, label)
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

/** The places behind the names and values of descriptors, and their numbers, of all rows. */
let descriptorName: usize = 0
let descriptorValue: usize = 0
let descriptorCount: u32 = 0
let valueCount: u32 = 0

/** Descriptors: a name with a list of values. The texts of the values lie behind each other. */
export function descriptors(column: u32, notNull: bool): bool {
  const offsets = newOffsets()
  const heap = (nameHeap = alloc(0))
  descriptorName = heap
  descriptorValue = HEAP_B
  descriptorCount = valueCount = 0
  for (let row: usize = 0, at = firstEnd(column); row < <usize>rows; row++, at += step) {
    let from = startOf(column, row, at)
    let to = endOf(at)
    if (isQuoted(from, to, at)) {
      to = insideEnd(from, to)
      from = inside
    }
    const nameBefore = descriptorName
    const valueBefore = descriptorValue
    const countBefore = descriptorCount
    const valuesBefore = valueCount
    if (from == to ? notNull : !writeDescriptors(from, lastOf(from, to))) {
      leave(row)
      descriptorName = nameBefore
      descriptorValue = valueBefore
      descriptorCount = countBefore
      valueCount = valuesBefore
      store<u32>(OFFSETS_B + ((<usize>countBefore) << 2), valuesBefore)
    }
    storeOffset(offsets, row, descriptorCount)
  }
  endTexts(descriptorName)
  record(rows, 0, offsets, 0, 0)
  record(descriptorCount, 0, 0, 0, 0)
  return (
    recordTexts(descriptorCount, 0, OFFSETS_A, heap, descriptorName) &&
    recordLists(descriptorCount, OFFSETS_B) &&
    recordTexts(valueCount, 0, OFFSETS_C, HEAP_B, descriptorValue)
  )
}

/** Writes the descriptors of a cell. Returns false where they are not plainly good. */
function writeDescriptors(start: usize, last: usize): bool {
  let from = start
  let isName = true
  let isLast = from == last
  while (!isLast) {
    const end = pieceEnd(from, last)
    const out = writePiece(from, end, isName ? descriptorName : descriptorValue)
    if (out == 0) return false
    const separator = separatorAt(end, last)
    if (isName != (separator == COLON)) return false
    if (!isName && separator != PIPE && separator != SEMICOLON) return false
    isLast = end == last
    from = end + 1
    if (isName) {
      descriptorName = out
      descriptorCount++
      store<u32>(OFFSETS_A + ((<usize>descriptorCount) << 2), <u32>(out - nameHeap))
    } else {
      descriptorValue = out
      valueCount++
      store<u32>(OFFSETS_C + ((<usize>valueCount) << 2), <u32>(out - HEAP_B))
    }
    if (descriptorCount + valueCount + 2 > <u32>MAX_VALUES) return false
    isName = separator == SEMICOLON
    if (isName) store<u32>(OFFSETS_B + ((<usize>descriptorCount) << 2), valueCount)
  }
  return true
}
