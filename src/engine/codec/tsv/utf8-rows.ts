// The rows of a block whose bytes are not UTF-8. No character passes a line end, so all rows of a run
// are UTF-8 where the run is, and a few rows are found in ever smaller parts of the block.

import { isUtf8 } from 'node:buffer'

/** More parts are fewer passes over the bytes, and more calls. */
const PARTS = 16

/**
 * Returns the numbers of the rows that are not UTF-8, in their order.
 * @param starts where so many rows begin in `bytes`
 * @param end of the last row
 */
export function rowsNotUtf8(
  { buffer, byteOffset, length }: Uint8Array,
  starts: Uint32Array,
  rows: number,
  end: number,
): number[] {
  // Parts of a Buffer are Buffers, which take longer to make.
  return notUtf8(new Uint8Array(buffer, byteOffset, length), starts, end, 0, rows)
}

function notUtf8(
  bytes: Uint8Array,
  starts: Uint32Array,
  end: number,
  from: number,
  to: number,
): number[] {
  if (from === to || isUtf8(bytes.subarray(starts[from], end))) return []
  if (to - from === 1) return [from]
  const step = Math.ceil((to - from) / PARTS)
  const found: number[] = []
  for (let part = from; part < to; part += step) {
    const next = Math.min(part + step, to)
    found.push(...notUtf8(bytes, starts, next < to ? starts[next]! : end, part, next))
  }
  return found
}
