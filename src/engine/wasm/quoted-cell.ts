// What quotes mean in a cell: where a quoted cell ends, and which of its bytes escape others.
// src/engine/codec/tsv/quoted-cell.ts is the same for the host.

const LF: u32 = 0x0a
const QUOTE: u32 = 0x22
/** Bytes of a step of the scan. */
const STEP: usize = 64

// Findings in the quoted cell that was read last.
export let quotedLines: u32 = 0
export let quotedHigh: u64 = 0

/**
 * Reads on behind an opening quote.
 * @returns the address behind the closing one, `end` or more where there is none before it
 */
export function readQuoted(from: usize, end: usize, escapedBy: u32): usize {
  let at = from
  quotedLines = 0
  quotedHigh = 0
  while (at < end) {
    const v = v128.load(at)
    const stops = i8x16.bitmask(
      v128.or(i8x16.eq(v, i8x16.splat(<i8>QUOTE)), i8x16.eq(v, i8x16.splat(<i8>escapedBy))),
    )
    const before: u32 = stops == 0 ? 0xffff : (<u32>stops & -(<u32>stops)) - 1
    quotedHigh |= <u64>(i8x16.bitmask(v) & before)
    quotedLines += popcnt(<u32>i8x16.bitmask(i8x16.eq(v, i8x16.splat(<i8>LF))) & before)
    if (stops == 0) {
      at += 16
      continue
    }
    at += <usize>ctz(<u32>stops)
    const isPair = escapedBy == QUOTE && at + 1 < end && load<u8>(at + 1) == QUOTE
    if (load<u8>(at) == QUOTE && !isPair) return at + 1
    // A backslash takes the next byte with it, and so does the first of two quotes.
    const taken = <u32>load<u8>(at + 1)
    quotedHigh |= <u64>(taken & 0x80)
    if (taken == LF) quotedLines++
    at += 2
  }
  return at + STEP
}

/** Returns whether `next`, behind the byte that escapes, is taken with it: a quote or the same byte. */
export function isEscaped(next: u32, quote: u32, escapedBy: u32): bool {
  return next == quote || next == escapedBy
}
