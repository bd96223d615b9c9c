// Raw deflate data (RFC 1951) to bytes in one fixed memory, in the manner of libdeflate: what the
// WebAssembly inflate engine runs, and all that its host calls. AssemblyScript, not TypeScript:
// `build.mjs` compiles it.
//
// The input may be cut at any byte. What is accepted is exactly what zlib accepts. Nothing is read
// or written outside the regions of layout.ts, whatever the input.

import {
  copyStored,
  markFixed,
  readCounts,
  readHeader,
  readLengths,
  readPrecode,
  readStoredLength,
} from './blocks'
import {
  AT_END,
  BAD_BLOCK_TYPE,
  BLOCK_BYTES,
  ENDED,
  FAILED,
  FIRST_FAULT,
  GO_ON,
  HISTORY_BYTES,
  IN_COUNTS,
  IN_HEADER,
  IN_LENGTHS,
  IN_PRECODE,
  IN_STORED,
  IN_STORED_LENGTH,
  IN_SYMBOLS,
  INPUT,
  INPUT_BYTES,
  LENGTHS,
  OUTPUT,
  OUTPUT_BLOCKS,
  STATE,
  STATE_BYTES,
  state,
} from './layout'
import { readSymbols } from './symbols'

export { crc32, LONG, LONG_A, LONG_B, SHORT, SHORT_A, SHORT_B, SHORT_C } from './crc32'
export {
  CRC_RING,
  FREE,
  HISTORY_BYTES,
  INPUT,
  INPUT_BYTES,
  INPUT_SLOTS,
  OUTPUT_BLOCKS,
} from './layout'

/**
 * Resets all state except for the tables of the fixed codes, which files of many small members need
 * for each member. The next byte of input is the first of a stream.
 */
export function reset(): void {
  const isFixed = state.isFixed != 0
  memory.fill(STATE, 0, isFixed ? LENGTHS - STATE : STATE_BYTES)
  if (isFixed) markFixed()
  state.historyAt = <u32>OUTPUT
  state.outputFrom = <u32>OUTPUT
  state.outputAt = <u32>OUTPUT
}

/** Announces `bytes` of new input in a slot. All earlier input must be used up. */
export function setInput(slot: u32, bytes: u32): void {
  state.inputAt = <u32>(INPUT + <usize>slot * INPUT_BYTES)
  state.inputEnd = state.inputAt + bytes
}

/**
 * Inflates until the input is used up, a block of output is full, or the data ends or turns out to
 * be bad.
 */
export function run(): i32 {
  let result = GO_ON
  while (result == GO_ON) result = runPhase()
  if (result >= FIRST_FAULT) state.phase = FAILED
  return result
}

/**
 * Begins the next output. The latest outputs stay as they are while `blocks - 3` further ones are
 * made; with two blocks in use, until the next one is.
 * @param blocks how many of the OUTPUT_BLOCKS are in use
 */
export function releaseOutput(blocks: u32): void {
  const end = OUTPUT + HISTORY_BYTES + min<usize>(blocks, OUTPUT_BLOCKS) * BLOCK_BYTES
  if (<usize>state.outputAt + BLOCK_BYTES > end) {
    const bytes = min<u32>(state.outputAt - state.historyAt, <u32>HISTORY_BYTES)
    memory.copy(OUTPUT, state.outputAt - bytes, bytes)
    state.historyAt = <u32>OUTPUT
    state.outputAt = <u32>OUTPUT + bytes
  }
  state.outputFrom = state.outputAt
}

/** Bytes of the announced input that are not taken yet. */
export function inputLeft(): u32 {
  return state.inputEnd - state.inputAt
}

/** Bits that are taken and not used yet. */
export function unusedBits(): u32 {
  return state.bitCount
}

export function outputFrom(): u32 {
  return state.outputFrom
}

export function outputEnd(): u32 {
  return state.outputAt
}

/** How many bytes of earlier output lie before `outputFrom`. */
export function historyBytes(): u32 {
  return state.outputFrom - state.historyAt
}

function runPhase(): i32 {
  switch (state.phase) {
    case IN_HEADER:
      return readHeader()
    case IN_STORED_LENGTH:
      return readStoredLength()
    case IN_STORED:
      return copyStored()
    case IN_COUNTS:
      return readCounts()
    case IN_PRECODE:
      return readPrecode()
    case IN_LENGTHS:
      return readLengths()
    case IN_SYMBOLS:
      return readSymbols()
    case AT_END:
      return ENDED
    default:
      return BAD_BLOCK_TYPE
  }
}
