// Raw deflate data (RFC 1951) to bytes in one fixed memory, in the manner of libdeflate: what the
// WebAssembly inflate engine runs, and all that its host calls. AssemblyScript, not TypeScript:
// `build.mjs` compiles it.
//
// The input may be cut at any byte. What is accepted is exactly what zlib accepts. Nothing is read
// or written outside the regions of layout.ts, whatever the input and whatever a restored state
// says.

import {
  copyStored,
  markFixed,
  readCounts,
  readHeader,
  readLengths,
  readPrecode,
  readStoredLength,
} from './blocks'
import { lowBits, MAX_CODE_BITS } from './entries'
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
  LENGTHS_BYTES,
  OUTPUT,
  OUTPUT_BLOCKS,
  PRECODE_LENGTHS,
  PRECODE_LENGTHS_BYTES,
  STATE,
  STATE_BYTES,
  state,
  WINDOW_BYTES,
} from './layout'
import { readSymbols } from './symbols'
import { buildCodes, buildPrecode } from './tables'

export { crc32, LONG, LONG_A, LONG_B, SHORT, SHORT_A, SHORT_B, SHORT_C } from './crc32'
export {
  CRC_RING,
  FREE,
  HISTORY_BYTES,
  INPUT,
  INPUT_BYTES,
  INPUT_SLOTS,
  OUTPUT,
  OUTPUT_BLOCKS,
  STATE,
  STATE_BYTES,
  WINDOW_BYTES,
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

export function hasEnded(): bool {
  return state.phase == AT_END
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

/** The history that distances may reach lies from here to `outputEnd`. */
export function historyFrom(): u32 {
  return state.outputAt - min<u32>(state.outputAt - state.historyAt, <u32>WINDOW_BYTES)
}

/**
 * Prepares a run from a saved STATE and `historyBytes` of history at OUTPUT, which the host has
 * written. Returns false where no run can have left such a state; then only `reset` may follow.
 */
export function restore(historyBytes: u32): bool {
  setInput(0, 0)
  state.historyAt = <u32>OUTPUT
  state.outputAt = <u32>OUTPUT + historyBytes
  state.outputFrom = state.outputAt
  state.isFixed = 0
  if (!isPossible()) return false
  state.bits = lowBits(state.bits, state.bitCount)
  if (state.phase == IN_LENGTHS) return buildPrecode()
  return state.phase != IN_SYMBOLS || buildCodes() == GO_ON
}

function isPossible(): bool {
  if (state.phase > AT_END || state.bitCount > 63 || state.storedLeft > 0xffff) return false
  if ((state.phase == IN_STORED || state.phase == IN_STORED_LENGTH) && state.bitCount & 7)
    return false
  if (state.litlenCount > 288 || state.distanceCount > 32 || state.precodeCount > 19) return false
  if (
    state.lengthsRead >
    (state.phase == IN_PRECODE ? state.precodeCount : state.litlenCount + state.distanceCount)
  )
    return false
  for (let n: usize = 0; n < LENGTHS_BYTES; n++)
    if (load<u8>(LENGTHS + n) > MAX_CODE_BITS) return false
  for (let n: usize = 0; n < PRECODE_LENGTHS_BYTES; n++)
    if (load<u8>(PRECODE_LENGTHS + n) > 7) return false
  return true
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
