// Raw deflate data (RFC 1951) to bytes, in one fixed memory: what the WebAssembly inflate engine runs.
// It is AssemblyScript, not TypeScript: `scripts/build-wasm.mjs` compiles it. It is one piece because the decoder, its tables
// and its state share that memory, and calls between modules would cost the inner loop its registers.
//
// In the manner of libdeflate: a 64-bit bit buffer that one unaligned load refills, tables of 32-bit entries that hold a
// symbol's base, its extra bits and what kind it is, and the next entry fetched before a match is copied. That is the fast loop,
// which runs while neither input nor output can come to its end within a step. Near the ends a careful loop takes one symbol
// at a time, and takes none of its bits before all of them are there: so the input may be cut at any byte.
//
// What is accepted is exactly what zlib accepts. Nothing is read or written outside the regions below, whatever the input.

// ---- Memory. Addresses below STATE are the compiler's.

/** All that a later run needs, besides the bytes of history: the State below and the code lengths. */
export const STATE: usize = 0x2000
/** Of the current block, one byte each: first the literal/length codes', then the distance codes'. */
const LENGTHS: usize = STATE + 64
const LENGTHS_BYTES: usize = 320
/** Of the code that the lengths themselves are written in. */
const PRECODE_LENGTHS: usize = LENGTHS + LENGTHS_BYTES
const PRECODE_LENGTHS_BYTES: usize = 32
export const STATE_BYTES: usize = 64 + LENGTHS_BYTES + PRECODE_LENGTHS_BYTES

/** Decode tables: at most 2342, 402 and 128 entries (zlib's `enough.c`), and room to spare. */
const LITLEN_TABLE: usize = 0x4000
const DISTANCE_TABLE: usize = 0x8000
const PRECODE_TABLE: usize = 0x9000
/** What each symbol means, as an entry without its code's length. */
const LITLEN_RESULTS: usize = 0x9400
const DISTANCE_RESULTS: usize = 0x9a00
const PRECODE_RESULTS: usize = 0x9b00
/** Work space of `buildTable`: symbols in the order of their codes, and counts and offsets by code length. */
const SORTED: usize = 0x9c00
const COUNTS: usize = 0xa000
const OFFSETS: usize = 0xa080
/** For distances 1 to 15: which byte of the last `distance` goes to each of 16 places, and the most whole periods of it in 16 bytes. */
const PERIODS: usize = 0xa100
const PERIOD_STEPS: usize = 0xa200

export const INPUT: usize = 0x10000
export const INPUT_BYTES: usize = 0x10000
export const OUTPUT: usize = 0x20000
/** The most that one run puts out. */
export const BLOCK_BYTES: usize = 256 * 1024
export const WINDOW_BYTES: usize = 32 * 1024
/** The window, a block, and room for another, so that the window is moved only every second time. Copies pass the end by up to 64 bytes. */
const OUTPUT_END: usize = OUTPUT + WINDOW_BYTES + 2 * BLOCK_BYTES

// ---- Results of `run`. From FIRST_FAULT on they say what is wrong with the data.

export const NEEDS_INPUT: i32 = 0
export const OUTPUT_FULL: i32 = 1
export const ENDED: i32 = 2
export const FIRST_FAULT: i32 = 3
const BAD_BLOCK_TYPE: i32 = 3
const BAD_STORED_LENGTH: i32 = 4
const TOO_MANY_SYMBOLS: i32 = 5
const BAD_PRECODE: i32 = 6
const BAD_REPEAT: i32 = 7
const NO_END_OF_BLOCK: i32 = 8
const BAD_LITLEN_CODE: i32 = 9
const BAD_DISTANCE_CODE: i32 = 10
const BAD_LITLEN_SYMBOL: i32 = 11
const BAD_DISTANCE_SYMBOL: i32 = 12
const TOO_FAR_BACK: i32 = 13
/** Not a result: the next phase goes on. */
const GO_ON: i32 = -1

// ---- State.

const IN_HEADER: u32 = 0
const IN_STORED_LENGTH: u32 = 1
const IN_STORED: u32 = 2
const IN_COUNTS: u32 = 3
const IN_PRECODE: u32 = 4
const IN_LENGTHS: u32 = 5
const IN_SYMBOLS: u32 = 6
const AT_END: u32 = 7
const FAILED: u32 = 8

@unmanaged
class State {
  /** Input that is taken and not yet used, the next bit lowest. Zero above `bitCount`. */
  bits: u64
  /** 0 to 63. */
  bitCount: u32
  phase: u32
  isLastBlock: u32
  /** Bytes of a stored block that are to come. */
  storedLeft: u32
  litlenCount: u32
  distanceCount: u32
  precodeCount: u32
  /** Code lengths read so far. */
  lengthsRead: u32
  /** The tables are those of the fixed codes. */
  isFixed: u32
  inputAt: u32
  inputEnd: u32
  /** The first byte that a distance may reach. */
  historyAt: u32
  /** What the last run put out lies from here to `outputAt`. */
  outputFrom: u32
  outputAt: u32
}

const state = changetype<State>(STATE)

// ---- Entries of the decode tables, 32 bits:
//   literal    bit 31, and the byte in bits 16 to 23
//   length     the base in bits 16 to 24 · distance: the base in bits 16 to 30
//   subtable   its first entry in bits 16 to 30, its index bits in bits 8 to 13
// The lowest 6 bits are how many bits to take, extra bits included; bits 8 to 13 are the code's part of them.

const LITERAL: u64 = 0x80000000
/** Neither a literal nor a length or distance. */
const EXCEPTION: u64 = 0x8000
const SUBTABLE: u64 = 0x4000
const END_OF_BLOCK: u64 = 0x2000
const INVALID: u32 = 0x8000

const LITLEN_BITS: u32 = 11
const LITLEN_MASK: u64 = (1 << LITLEN_BITS) - 1
const DISTANCE_BITS: u32 = 8
const DISTANCE_MASK: u64 = (1 << DISTANCE_BITS) - 1
const PRECODE_BITS: u32 = 7
const PRECODE_MASK: u64 = (1 << PRECODE_BITS) - 1
const MAX_CODE_BITS: u32 = 15

const PRECODE_ORDER = memory.data<u8>([16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15])
const LENGTH_BASES = memory.data<u16>([
  3, 4, 5, 6, 7, 8, 9, 10, 11, 13, 15, 17, 19, 23, 27, 31, 35, 43, 51, 59, 67, 83, 99, 115, 131, 163, 195, 227, 258,
])
const LENGTH_EXTRAS = memory.data<u8>([0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3, 4, 4, 4, 4, 5, 5, 5, 5, 0])

/** A step of the fast loop refills at most three times, by at most 7 bytes, and loads 8. */
const FAST_INPUT_BYTES: isize = 32
/** A step of either loop puts out at most two literals and a match of 258. */
const STEP_OUTPUT_BYTES: usize = 260

fillResults()
fillPeriods()

function fillResults(): void {
  for (let byte: u32 = 0; byte < 256; byte++) store<u32>(LITLEN_RESULTS + (byte << 2), <u32>LITERAL | (byte << 16))
  store<u32>(LITLEN_RESULTS + (256 << 2), <u32>(EXCEPTION | END_OF_BLOCK))
  for (let n: usize = 0; n < 29; n++) {
    const entry = (<u32>load<u16>(LENGTH_BASES + (n << 1)) << 16) | load<u8>(LENGTH_EXTRAS + n)
    store<u32>(LITLEN_RESULTS + ((257 + n) << 2), entry)
  }
  store<u32>(LITLEN_RESULTS + (286 << 2), INVALID)
  store<u32>(LITLEN_RESULTS + (287 << 2), INVALID)
  let base: u32 = 1
  for (let n: u32 = 0; n < 30; n++) {
    const extra: u32 = n < 4 ? 0 : (n >> 1) - 1
    store<u32>(DISTANCE_RESULTS + (n << 2), (base << 16) | extra)
    base += 1 << extra
  }
  store<u32>(DISTANCE_RESULTS + (30 << 2), INVALID)
  store<u32>(DISTANCE_RESULTS + (31 << 2), INVALID)
  for (let n: u32 = 0; n < 19; n++) store<u32>(PRECODE_RESULTS + (n << 2), n << 16)
}

function fillPeriods(): void {
  for (let distance: u32 = 1; distance < 16; distance++) {
    for (let n: u32 = 0; n < 16; n++) store<u8>(PERIODS + (distance << 4) + n, <u8>(n % distance))
    store<u8>(PERIOD_STEPS + distance, <u8>(16 - (16 % distance)))
  }
}

// ---- What the host calls.

/** Forgets everything: the next byte of input is the first of a stream. */
export function reset(): void {
  memory.fill(STATE, 0, STATE_BYTES)
  state.historyAt = <u32>OUTPUT
  state.outputFrom = <u32>OUTPUT
  state.outputAt = <u32>OUTPUT
}

/** `bytes` of new input lie at INPUT. All input before must have been used up. */
export function setInput(bytes: u32): void {
  state.inputAt = <u32>INPUT
  state.inputEnd = <u32>(INPUT + bytes)
}

/** Inflates until the input is used up, a block of output is full, or the data ends or turns out to be bad. */
export function run(): i32 {
  let result = GO_ON
  while (result == GO_ON) result = runPhase()
  if (result >= FIRST_FAULT) state.phase = FAILED
  return result
}

/** The host has copied the output: what follows is the next block's. */
export function releaseOutput(): void {
  if (OUTPUT_END - state.outputAt < BLOCK_BYTES) {
    const bytes = state.outputAt - historyFrom()
    memory.copy(OUTPUT, state.outputAt - bytes, bytes)
    state.historyAt = <u32>OUTPUT
    state.outputAt = <u32>OUTPUT + bytes
  }
  state.outputFrom = state.outputAt
}

/** Bytes taken of the input that `setInput` announced. */
export function inputTaken(): u32 {
  return state.inputAt - <u32>INPUT
}

/** Bits that are taken and not used. */
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

/** What the data may still refer to lies from here to `outputEnd`. */
export function historyFrom(): u32 {
  return state.outputAt - min<u32>(state.outputAt - state.historyAt, <u32>WINDOW_BYTES)
}

/**
 * The host wrote a saved STATE, and `historyBytes` of history at OUTPUT: makes ready to run.
 * False when no run can have left such a state; then only `reset` may follow.
 */
export function restore(historyBytes: u32): bool {
  setInput(0)
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
  if ((state.phase == IN_STORED || state.phase == IN_STORED_LENGTH) && state.bitCount & 7) return false
  if (state.litlenCount > 288 || state.distanceCount > 32 || state.precodeCount > 19) return false
  if (state.lengthsRead > (state.phase == IN_PRECODE ? state.precodeCount : state.litlenCount + state.distanceCount)) return false
  for (let n: usize = 0; n < LENGTHS_BYTES; n++) if (load<u8>(LENGTHS + n) > MAX_CODE_BITS) return false
  for (let n: usize = 0; n < PRECODE_LENGTHS_BYTES; n++) if (load<u8>(PRECODE_LENGTHS + n) > 7) return false
  return true
}

function runPhase(): i32 {
  switch (state.phase) {
    case IN_HEADER: return readHeader()
    case IN_STORED_LENGTH: return readStoredLength()
    case IN_STORED: return copyStored()
    case IN_COUNTS: return readCounts()
    case IN_PRECODE: return readPrecode()
    case IN_LENGTHS: return readLengths()
    case IN_SYMBOLS: return readSymbols()
    case AT_END: return ENDED
    default: return BAD_BLOCK_TYPE
  }
}

// ---- Bits, for all but the symbols.

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
    bits &= ~(<u64>-1 << count)
  } else {
    for (; count < 56 && at < state.inputEnd; count += 8) bits |= <u64>load<u8>(at++) << count
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

// ---- Blocks up to their symbols.

function readHeader(): i32 {
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

function endBlock(): i32 {
  state.phase = state.isLastBlock ? AT_END : IN_HEADER
  return GO_ON
}

function readStoredLength(): i32 {
  if (!has(32)) return NEEDS_INPUT
  const length = take(16)
  if ((take(16) ^ 0xffff) != length) return BAD_STORED_LENGTH
  state.storedLeft = length
  state.phase = IN_STORED
  return GO_ON
}

function copyStored(): i32 {
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
    state.litlenCount = 288
    state.distanceCount = 32
    buildCodes()
    state.isFixed = 1
  }
  state.phase = IN_SYMBOLS
}

function readCounts(): i32 {
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

function readPrecode(): i32 {
  for (; state.lengthsRead < state.precodeCount; state.lengthsRead++) {
    if (!has(3)) return NEEDS_INPUT
    store<u8>(PRECODE_LENGTHS + load<u8>(PRECODE_ORDER + state.lengthsRead), <u8>take(3))
  }
  if (!buildPrecode()) return BAD_PRECODE
  state.lengthsRead = 0
  state.phase = IN_LENGTHS
  return GO_ON
}

function readLengths(): i32 {
  const count = state.litlenCount + state.distanceCount
  while (state.lengthsRead < count) {
    if (state.bitCount < 14) refill()
    const entry = load<u32>(PRECODE_TABLE + (<usize>(state.bits & PRECODE_MASK) << 2))
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

// ---- Tables.

/** zlib reads an empty code of lengths as zeros, one bit each, and fails later. */
function buildPrecode(): bool {
  return buildTable(PRECODE_LENGTHS, 19, PRECODE_TABLE, PRECODE_BITS, PRECODE_RESULTS, false, 0)
}

function buildCodes(): i32 {
  const litlens = state.litlenCount
  if (!buildTable(LENGTHS, litlens, LITLEN_TABLE, LITLEN_BITS, LITLEN_RESULTS, true, INVALID)) return BAD_LITLEN_CODE
  const distances = LENGTHS + litlens
  if (!buildTable(distances, state.distanceCount, DISTANCE_TABLE, DISTANCE_BITS, DISTANCE_RESULTS, true, INVALID)) return BAD_DISTANCE_CODE
  return GO_ON
}

function entryOf(result: u32, codeBits: u32): u32 {
  return result + (codeBits << 8) + codeBits
}

/**
 * Fills a table from the code lengths of `count` symbols. False for a code that zlib refuses: over-subscribed, or incomplete,
 * unless it is empty, or `maySingle` and its only code has one bit. `unused` is the result of a bit that no code begins with.
 */
function buildTable(lengths: usize, count: u32, table: usize, tableBits: u32, results: usize, maySingle: bool, unused: u32): bool {
  memory.fill(COUNTS, 0, 64)
  for (let n: u32 = 0; n < count; n++) {
    const at = COUNTS + (<usize>load<u8>(lengths + n) << 2)
    store<u32>(at, load<u32>(at) + 1)
  }
  let space: u32 = 0
  let longest: u32 = 0
  let offset: u32 = 0
  for (let bits: u32 = 1; bits <= MAX_CODE_BITS; bits++) {
    const codes = load<u32>(COUNTS + (bits << 2))
    store<u32>(OFFSETS + (bits << 2), offset)
    offset += codes
    space = (space << 1) + codes
    if (space > 1 << bits) return false
    if (codes) longest = bits
  }
  for (let n: u32 = 0; n < count; n++) {
    const bits = <u32>load<u8>(lengths + n)
    if (bits == 0) continue
    const at = OFFSETS + (bits << 2)
    const place = load<u32>(at)
    store<u16>(SORTED + (place << 1), <u16>n)
    store<u32>(at, place + 1)
  }
  if (space == 1 << MAX_CODE_BITS) fillTable(table, tableBits, results)
  else if (longest == 0) fillShort(table, tableBits, entryOf(unused, 1), entryOf(unused, 1))
  else if (maySingle && longest == 1) fillShort(table, tableBits, entryOf(load<u32>(results + (<u32>load<u16>(SORTED) << 2)), 1), entryOf(unused, 1))
  else return false
  return true
}

function fillShort(table: usize, tableBits: u32, zero: u32, one: u32): void {
  for (let n: u32 = 0; n < 1 << tableBits; n += 2) {
    store<u32>(table + (n << 2), zero)
    store<u32>(table + (n << 2), one, 4)
  }
}

/**
 * Of a complete code. Codes of deflate begin at their lowest bit, so the next code in order is found by a carry from above;
 * and while codes grow longer, the table so far is a table of one bit more once it is repeated.
 */
function fillTable(table: usize, tableBits: u32, results: usize): void {
  let symbols = SORTED
  let code: u32 = 0
  let bits: u32 = 1
  let left = load<u32>(COUNTS + 4)
  let end: u32 = 2
  while (bits <= tableBits) {
    for (; left > 0; left--) {
      store<u32>(table + (code << 2), entryOf(load<u32>(results + (<u32>load<u16>(symbols) << 2)), bits))
      symbols += 2
      if (code == end - 1) {
        for (; bits < tableBits; bits++) {
          memory.copy(table + (end << 2), table, end << 2)
          end <<= 1
        }
        return
      }
      code = nextCode(code, end - 1)
    }
    bits++
    left = load<u32>(COUNTS + (bits << 2))
    if (bits <= tableBits) {
      memory.copy(table + (end << 2), table, end << 2)
      end <<= 1
    }
  }
  fillSubtables(table, tableBits, results, symbols, code, bits)
}

function fillSubtables(table: usize, tableBits: u32, results: usize, symbols: usize, code: u32, bits: u32): void {
  const mask: u32 = (1 << tableBits) - 1
  let left = load<u32>(COUNTS + (bits << 2))
  let end: u32 = 1 << tableBits
  let start: u32 = 0
  let prefix: u32 = -1
  for (;;) {
    while (left == 0) left = load<u32>(COUNTS + (++bits << 2))
    if ((code & mask) != prefix) {
      prefix = code & mask
      start = end
      let indexBits = bits - tableBits
      let space = left
      while (space < 1 << indexBits) {
        indexBits++
        space = (space << 1) + load<u32>(COUNTS + ((tableBits + indexBits) << 2))
      }
      end = start + (1 << indexBits)
      store<u32>(table + (prefix << 2), (start << 16) | <u32>(EXCEPTION | SUBTABLE) | (indexBits << 8) | tableBits)
    }
    const entry = entryOf(load<u32>(results + (<u32>load<u16>(symbols) << 2)), bits - tableBits)
    symbols += 2
    for (let n = start + (code >> tableBits); n < end; n += 1 << (bits - tableBits)) store<u32>(table + (n << 2), entry)
    const ones: u32 = (1 << bits) - 1
    if (code == ones) return
    code = nextCode(code, ones)
    left--
  }
}

function nextCode(code: u32, ones: u32): u32 {
  const bit: u32 = 1 << (31 - clz(code ^ ones))
  return (code & (bit - 1)) | bit
}

// ---- Symbols.

/** `value` with all but its lowest `count` bits cleared; only the lowest 6 bits of `count` matter. */
// @ts-ignore: decorator
@inline
function lowBits(value: u64, count: u64): u64 {
  return value & ~(<u64>-1 << count)
}

/** Bit 31 as a sign: a mask would have to be loaded first. */
// @ts-ignore: decorator
@inline
function isLiteral(entry: u64): bool {
  return <i32>entry < 0
}

// @ts-ignore: decorator
@inline
function litlenEntry(index: u64): u64 {
  return i64.load32_u(<usize>index << 2, LITLEN_TABLE)
}

// @ts-ignore: decorator
@inline
function distanceEntry(index: u64): u64 {
  return i64.load32_u(<usize>index << 2, DISTANCE_TABLE)
}

/** The base and the extra bits of a length or distance. */
// @ts-ignore: decorator
@inline
function valueOf(entry: u64, bits: u64): usize {
  return <usize>((entry >> 16) + (lowBits(bits, entry) >> (entry >> 8)))
}

function readSymbols(): i32 {
  let bits = state.bits
  let count: u64 = state.bitCount
  let at: usize = state.inputAt
  let out: usize = state.outputAt
  const end: usize = state.inputEnd
  const history: usize = state.historyAt
  const outLast: usize = <usize>state.outputFrom + BLOCK_BYTES - STEP_OUTPUT_BYTES
  let result = GO_ON
  let isBlockEnd = false

  while (result == GO_ON && !isBlockEnd) {
    if (out > outLast) {
      result = OUTPUT_FULL
    } else if (<isize>(end - at) >= FAST_INPUT_BYTES) {
      // The fast loop. Above `count`, of which only the lowest 6 bits are right, `bits` is the input that follows: no masks are needed.
      const fastLast = end - FAST_INPUT_BYTES
      bits |= load<u64>(at) << count
      at += <usize>((~count >> 3) & 7)
      count |= 56
      let entry = litlenEntry(bits & LITLEN_MASK)
      do {
        let before = bits
        bits >>= entry
        count -= entry
        if (isLiteral(entry)) {
          store<u8>(out++, <u8>(entry >> 16))
          entry = litlenEntry(bits & LITLEN_MASK)
          before = bits
          bits >>= entry
          count -= entry
          if (isLiteral(entry)) {
            store<u8>(out++, <u8>(entry >> 16))
            entry = litlenEntry(bits & LITLEN_MASK)
            before = bits
            bits >>= entry
            count -= entry
          }
        }
        if (entry & (LITERAL | EXCEPTION)) {
          if (entry & SUBTABLE) {
            entry = litlenEntry((entry >> 16) + lowBits(bits, entry >> 8))
            before = bits
            bits >>= entry
            count -= entry
          }
          if (isLiteral(entry)) {
            store<u8>(out++, <u8>(entry >> 16))
            bits |= load<u64>(at) << count
            at += <usize>((~count >> 3) & 7)
            count |= 56
            entry = litlenEntry(bits & LITLEN_MASK)
            continue
          }
          if (entry & EXCEPTION) {
            if (entry & END_OF_BLOCK) isBlockEnd = true
            else result = BAD_LITLEN_SYMBOL
            break
          }
        }
        const length = valueOf(entry, before)

        // Of at least 56 bits two literals took 22 and the length 20: 14 are left, enough to look into the table.
        entry = distanceEntry(bits & DISTANCE_MASK)
        bits |= load<u64>(at) << count
        at += <usize>((~count >> 3) & 7)
        count |= 56
        before = bits
        bits >>= entry
        count -= entry
        if (entry & EXCEPTION) {
          if (entry & SUBTABLE) {
            entry = distanceEntry((entry >> 16) + lowBits(bits, entry >> 8))
            before = bits
            bits >>= entry
            count -= entry
          }
          if (entry & EXCEPTION) {
            result = BAD_DISTANCE_SYMBOL
            break
          }
        }
        const distance = valueOf(entry, before)
        if (distance > out - history) {
          result = TOO_FAR_BACK
          break
        }

        bits |= load<u64>(at) << count
        at += <usize>((~count >> 3) & 7)
        count |= 56
        entry = litlenEntry(bits & LITLEN_MASK)

        let from = out - distance
        let to = out
        out += length
        if (distance >= 16) {
          // Most matches of a feed are longer than 16 bytes: a loop that ends after one step or four would be guessed wrong.
          v128.store(to, v128.load(from))
          v128.store(to, v128.load(from, 16), 16)
          v128.store(to, v128.load(from, 32), 32)
          v128.store(to, v128.load(from, 48), 48)
          while ((to += 64) < out) {
            from += 64
            v128.store(to, v128.load(from))
            v128.store(to, v128.load(from, 16), 16)
            v128.store(to, v128.load(from, 32), 32)
            v128.store(to, v128.load(from, 48), 48)
          }
        } else {
          const period = i8x16.swizzle(v128.load(from), v128.load(PERIODS + (distance << 4)))
          const step = <usize>load<u8>(PERIOD_STEPS + distance)
          do {
            v128.store(to, period)
            to += step
          } while (to < out)
        }
      } while (at <= fastLast && out <= outLast)
      count &= 63
      bits = lowBits(bits, count)
    } else {
      // The careful loop: one symbol, of which nothing is taken before all of it is there.
      for (; count < 56 && at < end; count += 8) bits |= <u64>load<u8>(at++) << count
      let rest = bits
      let used: u64 = 0
      let entry = litlenEntry(rest & LITLEN_MASK)
      if (entry & SUBTABLE) {
        rest >>= entry
        used += entry & 63
        entry = litlenEntry((entry >> 16) + lowBits(rest, entry >> 8))
      }
      let before = rest
      rest >>= entry
      used += entry & 63
      if (used > count) {
        result = NEEDS_INPUT
      } else if (isLiteral(entry)) {
        store<u8>(out++, <u8>(entry >> 16))
      } else if (entry & EXCEPTION) {
        if (entry & END_OF_BLOCK) isBlockEnd = true
        else result = BAD_LITLEN_SYMBOL
      } else {
        const length = valueOf(entry, before)
        entry = distanceEntry(rest & DISTANCE_MASK)
        if (entry & SUBTABLE) {
          rest >>= entry
          used += entry & 63
          entry = distanceEntry((entry >> 16) + lowBits(rest, entry >> 8))
        }
        before = rest
        rest >>= entry
        used += entry & 63
        const distance = valueOf(entry, before)
        if (used > count) {
          result = NEEDS_INPUT
        } else if (entry & EXCEPTION) {
          result = BAD_DISTANCE_SYMBOL
        } else if (distance > out - history) {
          result = TOO_FAR_BACK
        } else {
          for (const stop = out + length; out < stop; out++) store<u8>(out, load<u8>(out - distance))
        }
      }
      if (result != NEEDS_INPUT) {
        bits = rest
        count -= used
      }
    }
  }

  state.bits = bits
  state.bitCount = <u32>count
  state.inputAt = <u32>at
  state.outputAt = <u32>out
  return isBlockEnd ? endBlock() : result
}
