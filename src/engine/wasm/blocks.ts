// Reads blocks up to their symbols: headers, stored data, code lengths (RFC 1951 section 3.2.3 to
// 3.2.7). Each function resumes where the input ended, takes no bits of a field that is not
// complete, and returns GO_ON when the next phase has to run.

import { PRECODE_MASK } from './entries'
import {
  AT_END,
  BAD_BLOCK_TYPE,
  BAD_PRECODE,
  BAD_REPEAT,
  BAD_STORED_LENGTH,
  BLOCK_BYTES,
  GO_ON,
  IN_COUNTS,
  IN_HEADER,
  IN_LENGTHS,
  IN_PRECODE,
  IN_STORED,
  IN_STORED_LENGTH,
  IN_SYMBOLS,
  LENGTHS,
  NEEDS_INPUT,
  NO_END_OF_BLOCK,
  OUTPUT_FULL,
  PRECODE_LENGTHS,
  PRECODE_LENGTHS_BYTES,
  PRECODE_TABLE,
  state,
  TOO_MANY_SYMBOLS,
} from './layout'
import { buildCodes, buildPrecode } from './tables'

const PRECODE_ORDER = memory.data<u8>([
  16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15,
])

function has(count: u32): bool {
  if (state.bitCount < count) refill()
  return state.bitCount >= count
}

function refill(): void {
  let at = state.inputAt
  let count = state.bitCount
  let bits = state.bits
  if (state.inputEnd - at >= 8) {
    bits |= load<u64>(at) << count
    at += (63 - count) >> 3
    count |= 56
    bits &= ~((<u64>-1) << count)
  } else {
    for (; count < 56 && at < state.inputEnd; count += 8) bits |= (<u64>load<u8>(at++)) << count
  }
  state.inputAt = at
  state.bitCount = count
  state.bits = bits
}

function take(count: u32): u32 {
  const taken = <u32>(state.bits & ((1 << count) - 1))
  state.bits >>= count
  state.bitCount -= count
  return taken
}

export function readHeader(): i32 {
  if (!has(3)) return NEEDS_INPUT
  state.isLastBlock = take(1)
  const type = take(2)
  if (type == 3) return BAD_BLOCK_TYPE
  if (type == 2) state.phase = IN_COUNTS
  else if (type == 1) useFixedCodes()
  else {
    take(state.bitCount & 7)
    state.phase = IN_STORED_LENGTH
  }
  return GO_ON
}

export function endBlock(): i32 {
  state.phase = state.isLastBlock ? AT_END : IN_HEADER
  return GO_ON
}

export function readStoredLength(): i32 {
  if (!has(32)) return NEEDS_INPUT
  const length = take(16)
  if ((take(16) ^ 0xffff) != length) return BAD_STORED_LENGTH
  state.storedLeft = length
  state.phase = IN_STORED
  return GO_ON
}

export function copyStored(): i32 {
  const limit = state.outputFrom + <u32>BLOCK_BYTES
  while (state.storedLeft > 0) {
    if (state.outputAt == limit) return OUTPUT_FULL
    let bytes: u32 = 1
    if (state.bitCount > 0) store<u8>(state.outputAt, <u8>take(8))
    else {
      bytes = min(min(state.storedLeft, limit - state.outputAt), state.inputEnd - state.inputAt)
      if (bytes == 0) return NEEDS_INPUT
      memory.copy(state.outputAt, state.inputAt, bytes)
      state.inputAt += bytes
    }
    state.outputAt += bytes
    state.storedLeft -= bytes
  }
  return endBlock()
}

function useFixedCodes(): void {
  if (!state.isFixed) {
    memory.fill(LENGTHS, 8, 144)
    memory.fill(LENGTHS + 144, 9, 112)
    memory.fill(LENGTHS + 256, 7, 24)
    memory.fill(LENGTHS + 280, 8, 8)
    memory.fill(LENGTHS + 288, 5, 32)
    markFixed()
    buildCodes()
  }
  state.phase = IN_SYMBOLS
}

/** Sets the code lengths of the fixed codes. */
export function markFixed(): void {
  state.litlenCount = 288
  state.distanceCount = 32
  state.isFixed = 1
}

export function readCounts(): i32 {
  if (!has(14)) return NEEDS_INPUT
  state.isFixed = 0
  state.litlenCount = take(5) + 257
  state.distanceCount = take(5) + 1
  state.precodeCount = take(4) + 4
  if (state.litlenCount > 286 || state.distanceCount > 30) return TOO_MANY_SYMBOLS
  memory.fill(PRECODE_LENGTHS, 0, PRECODE_LENGTHS_BYTES)
  state.lengthsRead = 0
  state.phase = IN_PRECODE
  return GO_ON
}

export function readPrecode(): i32 {
  for (; state.lengthsRead < state.precodeCount; state.lengthsRead++) {
    if (!has(3)) return NEEDS_INPUT
    store<u8>(PRECODE_LENGTHS + load<u8>(PRECODE_ORDER + state.lengthsRead), <u8>take(3))
  }
  if (!buildPrecode()) return BAD_PRECODE
  state.lengthsRead = 0
  state.phase = IN_LENGTHS
  return GO_ON
}

export function readLengths(): i32 {
  const count = state.litlenCount + state.distanceCount
  while (state.lengthsRead < count) {
    if (state.bitCount < 14) refill()
    const entry = load<u32>(PRECODE_TABLE + ((<usize>(state.bits & PRECODE_MASK)) << 2))
    const codeBits = entry & 63
    const symbol = entry >> 16
    const extraBits: u32 = symbol < 16 ? 0 : symbol == 16 ? 2 : symbol == 17 ? 3 : 7
    if (state.bitCount < codeBits + extraBits) return NEEDS_INPUT
    take(codeBits)
    if (symbol < 16) store<u8>(LENGTHS + state.lengthsRead++, <u8>symbol)
    else if (!repeatLength(symbol, take(extraBits), count)) return BAD_REPEAT
  }
  if (load<u8>(LENGTHS + 256) == 0) return NO_END_OF_BLOCK
  state.phase = IN_SYMBOLS
  return buildCodes()
}

function repeatLength(symbol: u32, extra: u32, count: u32): bool {
  const at = state.lengthsRead
  if (symbol == 16 && at == 0) return false
  const times = extra + (symbol == 18 ? 11 : 3)
  if (at + times > count) return false
  memory.fill(LENGTHS + at, symbol == 16 ? load<u8>(LENGTHS + at - 1) : 0, times)
  state.lengthsRead = at + times
  return true
}
