// Reads the symbols of a block, literals and matches, which take most of the time. There are two
// readers, each a function of its own, so that the compiler keeps the state of the fast one in
// registers. The fast reader runs while neither input nor output can end within a step: it refills
// 64 bits by one unaligned load, decodes two literals a step, and fetches the next entry before it
// copies a match. The careful reader runs near the ends: it takes one symbol at a time, once all
// bits of the symbol are there.

import { endBlock } from './blocks'
import {
  AHEAD,
  DISTANCE_MASK,
  END_OF_BLOCK,
  EXCEPTION,
  isLiteral,
  LITERAL,
  LITLEN_MASK,
  lowBits,
  offsetOf,
  SUBTABLE,
  suboffsetOf,
  valueWith,
} from './entries'
import {
  BAD_DISTANCE_SYMBOL,
  BAD_LITLEN_SYMBOL,
  BLOCK_BYTES,
  DISTANCE_TABLE,
  GO_ON,
  LITLEN_TABLE,
  NEEDS_INPUT,
  OUTPUT_FULL,
  PERIOD_STEPS,
  PERIODS,
  state,
  TOO_FAR_BACK,
} from './layout'

/**
 * A call of the fast reader and its first step refill at most three times, by at most 7 bytes, and
 * load 8.
 */
const FAST_INPUT_BYTES: usize = 32
/** More bits would not leave room for AHEAD. */
const FAST_BITS: u32 = 63 - <u32>AHEAD
/** A step of either reader puts out at most two literals and a match of 258. */
const STEP_OUTPUT_BYTES: usize = 260
/** A result of a reader, besides those of layout.ts. */
const BLOCK_END: i32 = -2

function litlenEntry(bits: u64): u64 {
  return i64.load32_u(offsetOf(bits, LITLEN_MASK), LITLEN_TABLE)
}

function litlenSubentry(entry: u64, bits: u64): u64 {
  return i64.load32_u(suboffsetOf(entry, bits), LITLEN_TABLE)
}

function distanceEntry(bits: u64): u64 {
  return i64.load32_u(offsetOf(bits, DISTANCE_MASK), DISTANCE_TABLE)
}

function distanceSubentry(entry: u64, bits: u64): u64 {
  return i64.load32_u(suboffsetOf(entry, bits), DISTANCE_TABLE)
}

function lastOutput(): usize {
  return <usize>state.outputFrom + BLOCK_BYTES - STEP_OUTPUT_BYTES
}

export function readSymbols(): i32 {
  let result = GO_ON
  while (result == GO_ON) {
    if (<usize>state.outputAt > lastOutput()) result = OUTPUT_FULL
    else if (
      <usize>(state.inputEnd - state.inputAt) >= FAST_INPUT_BYTES &&
      state.bitCount <= FAST_BITS
    )
      result = readFast()
    else result = readCareful()
  }
  return result == BLOCK_END ? endBlock() : result
}

function readFast(): i32 {
  let bits = state.bits
  let count: u64 = state.bitCount
  let at: usize = state.inputAt
  let out: usize = state.outputAt
  const atLast: usize = <usize>state.inputEnd - FAST_INPUT_BYTES
  const outLast = lastOutput()
  let result = GO_ON

  // Until the loop ends `bits` are AHEAD. Above `count`, of which only the lowest 6 bits are right,
  // they are the input that follows: no masks are needed.
  count += AHEAD
  bits = (bits << AHEAD) | (load<u64>(at) << count)
  at += <usize>((~count >> 3) & 7)
  count |= 56
  let entry = litlenEntry(bits)
  do {
    let before = bits
    bits >>= entry
    count -= entry
    if (isLiteral(entry)) {
      store<u8>(out++, <u8>(entry >> 16))
      entry = litlenEntry(bits)
      before = bits
      bits >>= entry
      count -= entry
      if (isLiteral(entry)) {
        store<u8>(out++, <u8>(entry >> 16))
        entry = litlenEntry(bits)
        before = bits
        bits >>= entry
        count -= entry
      }
    }
    if (<u32>entry & <u32>(LITERAL | EXCEPTION)) {
      if (entry & SUBTABLE) {
        entry = litlenSubentry(entry, bits)
        before = bits
        bits >>= entry
        count -= entry
      }
      if (isLiteral(entry)) {
        store<u8>(out++, <u8>(entry >> 16))
        bits |= load<u64>(at) << count
        at += <usize>((~count >> 3) & 7)
        count |= 56
        entry = litlenEntry(bits)
        continue
      }
      if (entry & EXCEPTION) {
        if (entry & END_OF_BLOCK) result = BLOCK_END
        else result = BAD_LITLEN_SYMBOL
        break
      }
    }
    const length = valueWith(entry, before)

    // Two literals took 20 of at least 54 bits, and the length 20: the 14 bits that are left are
    // enough to look into the table.
    entry = distanceEntry(bits)
    bits |= load<u64>(at) << count
    at += <usize>((~count >> 3) & 7)
    count |= 56
    before = bits
    bits >>= entry
    count -= entry
    if (entry & EXCEPTION) {
      if (entry & SUBTABLE) {
        entry = distanceSubentry(entry, bits)
        before = bits
        bits >>= entry
        count -= entry
      }
      if (entry & EXCEPTION) {
        result = BAD_DISTANCE_SYMBOL
        break
      }
    }
    const distance = valueWith(entry, before)
    if (distance > out - <usize>state.historyAt) {
      result = TOO_FAR_BACK
      break
    }

    // The distance took at most 28 bits.
    entry = litlenEntry(bits)
    bits |= load<u64>(at) << count
    at += <usize>((~count >> 3) & 7)
    count |= 56

    let from = out - distance
    let to = out
    out += length
    if (distance >= 16) {
      // Most matches of a feed are longer than 16 bytes; there is no loop, whose end nothing
      // predicts.
      v128.store(to, v128.load(from))
      v128.store(to, v128.load(from, 16), 16)
      v128.store(to, v128.load(from, 32), 32)
      v128.store(to, v128.load(from, 48), 48)
      to += 64
      // Few matches are longer, and only these pay for the head of a loop.
      if (to < out) {
        do {
          from += 64
          v128.store(to, v128.load(from))
          v128.store(to, v128.load(from, 16), 16)
          v128.store(to, v128.load(from, 32), 32)
          v128.store(to, v128.load(from, 48), 48)
          to += 64
        } while (to < out)
      }
    } else {
      const period = i8x16.swizzle(v128.load(from), v128.load(PERIODS + (distance << 4)))
      const step = <usize>load<u8>(PERIOD_STEPS + distance)
      do {
        v128.store(to, period)
        to += step
      } while (to < out)
    }
    // One test of both signs says whether neither limit is passed.
  } while (<isize>((atLast - at) | (outLast - out)) >= 0)

  count = (count & 63) - AHEAD
  bits = lowBits(bits >> AHEAD, count)
  state.bits = bits
  state.bitCount = <u32>count
  state.inputAt = <u32>at
  state.outputAt = <u32>out
  return result
}

function readCareful(): i32 {
  let bits = state.bits
  let count: u64 = state.bitCount
  let at: usize = state.inputAt
  let out: usize = state.outputAt
  const end: usize = state.inputEnd
  const history: usize = state.historyAt
  let result = GO_ON

  for (; count < 56 && at < end; count += 8) bits |= (<u64>load<u8>(at++)) << count
  let rest = bits
  let used: u64 = 0
  let entry = litlenEntry(rest << AHEAD)
  if (entry & SUBTABLE) {
    rest >>= entry
    used += entry & 63
    entry = litlenSubentry(entry, rest << AHEAD)
  }
  let before = rest
  rest >>= entry
  used += entry & 63
  if (used > count) {
    result = NEEDS_INPUT
  } else if (isLiteral(entry)) {
    store<u8>(out++, <u8>(entry >> 16))
  } else if (entry & EXCEPTION) {
    if (entry & END_OF_BLOCK) result = BLOCK_END
    else result = BAD_LITLEN_SYMBOL
  } else {
    const length = valueWith(entry, before << AHEAD)
    entry = distanceEntry(rest << AHEAD)
    if (entry & SUBTABLE) {
      rest >>= entry
      used += entry & 63
      entry = distanceSubentry(entry, rest << AHEAD)
    }
    before = rest
    rest >>= entry
    used += entry & 63
    const distance = valueWith(entry, before << AHEAD)
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

  state.bits = bits
  state.bitCount = <u32>count
  state.inputAt = <u32>at
  state.outputAt = <u32>out
  return result
}
