// What quotes mean in a cell: where a quoted cell ends, and which text it has. wasm/quoted-cell.ts is
// the same for the modules.

import type { CellRules } from './cell-rules'

const LF = 0x0a

/** Returns the offset of the closing quote, or -(offset where the search stopped) - 1. */
export function closingQuote(
  block: Uint8Array,
  open: number,
  to: number,
  { quote, escapedBy }: CellRules,
  linesInQuotes: boolean,
): number {
  for (let at = open + 1; at < to; at++) {
    const byte = block[at]
    const isPair = escapedBy === quote && at + 1 < to && block[at + 1] === quote
    if (byte === quote && !isPair) return at
    if (byte === LF && !linesInQuotes) return -at - 1
    if (byte === escapedBy) {
      at++
      if (block[at] === LF && !linesInQuotes) return -at - 1
    }
  }
  return -to - 1
}

/** Cells up to this size share one buffer for unescaping. */
const SCRATCH_BYTES = 4096
const scratch = Buffer.allocUnsafeSlow(SCRATCH_BYTES)

/**
 * The text of a quoted cell, as a string that shares no memory. The byte that escapes a quote or
 * itself is left out, and stays before anything else.
 */
export function quotedText(
  bytes: Buffer,
  start: number,
  end: number,
  quote: number,
  escapedBy: number,
): string {
  const target = end - start <= scratch.length ? scratch : Buffer.allocUnsafeSlow(end - start)
  let length = 0
  for (let at = start + 1; at < end - 1; at++) {
    const next = bytes[at] === escapedBy && at + 1 < end - 1 ? bytes[at + 1] : undefined
    if (next === quote || next === escapedBy) at++
    target[length++] = bytes[at]!
  }
  return target.toString('utf8', 0, length)
}
