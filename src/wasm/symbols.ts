// The symbols of a block: literals and matches, which is where the time goes. Two loops, and one function, so that all of their
// state is in registers. The fast one runs while neither input nor output can come to its end within a step: it refills 64 bits
// by one unaligned load, decodes two literals a step, and fetches the next entry before it copies a match. The careful one, near
// the ends, takes one symbol at a time, and none of its bits before all of them are there.

import { endBlock } from './blocks'
import { DISTANCE_MASK, END_OF_BLOCK, EXCEPTION, isLiteral, LITERAL, LITLEN_MASK, lowBits, SUBTABLE, valueWith } from './entries'
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

/** A step of the fast loop refills at most three times, by at most 7 bytes, and loads 8. */
const FAST_INPUT_BYTES: isize = 32
/** A step of either loop puts out at most two literals and a match of 258. */
const STEP_OUTPUT_BYTES: usize = 260

function litlenEntry(index: u64): u64 {
  return i64.load32_u((<usize>index) << 2, LITLEN_TABLE)
}

function distanceEntry(index: u64): u64 {
  return i64.load32_u((<usize>index) << 2, DISTANCE_TABLE)
}

export function readSymbols(): i32 {
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
        const length = valueWith(entry, before)

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
        const distance = valueWith(entry, before)
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
      for (; count < 56 && at < end; count += 8) bits |= (<u64>load<u8>(at++)) << count
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
        const length = valueWith(entry, before)
        entry = distanceEntry(rest & DISTANCE_MASK)
        if (entry & SUBTABLE) {
          rest >>= entry
          used += entry & 63
          entry = distanceEntry((entry >> 16) + lowBits(rest, entry >> 8))
        }
        before = rest
        rest >>= entry
        used += entry & 63
        const distance = valueWith(entry, before)
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
