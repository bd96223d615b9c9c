// The layout of the inflate engine's memory, the state that outlives a call, and the results of a
// run. This module decodes nothing.

// Addresses below STATE are the compiler's.

/**
 * The state that a later run needs besides the history: the State below and the code lengths.
 */
export const STATE: usize = 0x2000
/**
 * The code lengths of the current block, one byte each: first those of the literal/length codes,
 * then those of the distance codes.
 */
export const LENGTHS: usize = STATE + 64
const LENGTHS_BYTES: usize = 320
/** The lengths of the code in which the code lengths are written. */
export const PRECODE_LENGTHS: usize = LENGTHS + LENGTHS_BYTES
export const PRECODE_LENGTHS_BYTES: usize = 32
export const STATE_BYTES: usize = 64 + LENGTHS_BYTES + PRECODE_LENGTHS_BYTES

/** Decode tables. They have at most 1334, 402 and 128 entries (zlib's `enough.c`). */
export const LITLEN_TABLE: usize = 0x4000
export const DISTANCE_TABLE: usize = 0x8000
export const PRECODE_TABLE: usize = 0x9000
/** The meaning of each symbol, as an entry without the length of its code. */
export const LITLEN_RESULTS: usize = 0x9400
export const DISTANCE_RESULTS: usize = 0x9a00
export const PRECODE_RESULTS: usize = 0x9b00
/**
 * Work space of `buildTable`: symbols in the order of their codes, and counts and offsets by code
 * length.
 */
export const SORTED: usize = 0x9c00
export const COUNTS: usize = 0xa000
export const OFFSETS: usize = 0xa080
/**
 * For distances 1 to 15: which of the last `distance` bytes goes to each of 16 places, and the size
 * of the most whole periods that fit into 16 bytes.
 */
export const PERIODS: usize = 0xa100
export const PERIOD_STEPS: usize = 0xa200

/**
 * The regions of the CRC-32: eight tables of 256 entries, the ring of the latest folded bytes, and
 * the place where the end of a message is folded.
 */
export const CRC_TABLES: usize = 0xa400
export const CRC_RING: usize = 0xc400
/** Zeros lie before it, as many bytes as the second fold reaches back. */
export const CRC_TAIL: usize = 0xe000
export const CRC_TAIL_BYTES: usize = 0x2000

/** Consecutive slots for input: the host may fill some while the engine reads another. */
export const INPUT: usize = 0x10000
export const INPUT_SLOTS: usize = 8
/** Bytes of a slot. */
export const INPUT_BYTES: usize = 0x10000
export const OUTPUT: usize = INPUT + INPUT_SLOTS * INPUT_BYTES
/** The most bytes of one run's output. */
export const BLOCK_BYTES: usize = 512 * 1024
/**
 * At least this many bytes of earlier output lie before the next output, so a reader that still
 * needs them need not copy them.
 */
export const HISTORY_BYTES: usize = 256 * 1024
/**
 * The history and blocks one behind the other, so that the history is moved to the front only when
 * there is no room for one more, and the last blocks stay as they are while others are written.
 * Copies pass the end by up to 64 bytes.
 */
export const OUTPUT_BLOCKS: usize = 8
/** The rest of the memory is the host's. */
export const FREE: usize = OUTPUT + HISTORY_BYTES + OUTPUT_BLOCKS * BLOCK_BYTES + 0x1000

// Results of `run`. Those from FIRST_FAULT on are faults of the data.

export const NEEDS_INPUT: i32 = 0
export const OUTPUT_FULL: i32 = 1
export const ENDED: i32 = 2
export const FIRST_FAULT: i32 = 3
export const BAD_BLOCK_TYPE: i32 = 3
export const BAD_STORED_LENGTH: i32 = 4
export const TOO_MANY_SYMBOLS: i32 = 5
export const BAD_PRECODE: i32 = 6
export const BAD_REPEAT: i32 = 7
export const NO_END_OF_BLOCK: i32 = 8
export const BAD_LITLEN_CODE: i32 = 9
export const BAD_DISTANCE_CODE: i32 = 10
export const BAD_LITLEN_SYMBOL: i32 = 11
export const BAD_DISTANCE_SYMBOL: i32 = 12
export const TOO_FAR_BACK: i32 = 13
/** This is no result of `run`: the next phase goes on. */
export const GO_ON: i32 = -1

// State.

export const IN_HEADER: u32 = 0
export const IN_STORED_LENGTH: u32 = 1
export const IN_STORED: u32 = 2
export const IN_COUNTS: u32 = 3
export const IN_PRECODE: u32 = 4
export const IN_LENGTHS: u32 = 5
export const IN_SYMBOLS: u32 = 6
export const AT_END: u32 = 7
export const FAILED: u32 = 8

@unmanaged
class State {
  /** Bits that are taken and not used yet, the next one lowest. Bits above `bitCount` are 0. */
  bits: u64
  /** Number of bits in `bits`, 0 to 63. */
  bitCount: u32
  phase: u32
  isLastBlock: u32
  /** Bytes of a stored block that are still to come. */
  storedLeft: u32
  litlenCount: u32
  distanceCount: u32
  precodeCount: u32
  /** Code lengths read so far. */
  lengthsRead: u32
  /** True while the tables are those of the fixed codes. */
  isFixed: u32
  inputAt: u32
  inputEnd: u32
  /** The first byte that a distance may reach. */
  historyAt: u32
  /** The output of the latest run lies from here to `outputAt`. */
  outputFrom: u32
  outputAt: u32
}

export const state = changetype<State>(STATE)
