// Applies a fault to a good answer of the service: to its Content-range, its length or its bytes.
// The bytes change in generators over the chunks. The position of a fault is an offset in the body,
// which may lie past its end.

import { type Chunks, chunksOf, streamOf } from '../http/body-stream'
import type { Fault } from './fault'

/** The effects of the faults in the middle of a body. The signal fires when the reader stops. */
export interface Strikes {
  stall(ended: AbortSignal): Promise<void>
  reset(ended: AbortSignal): Promise<void>
}

type HeldRange = ReturnType<typeof readRange>

/**
 * Returns the changed answer. Returns undefined when the fault does not apply to it. The caller
 * must not use `response` afterwards.
 */
export function spoiltResponse(
  response: Response,
  fault: Fault,
  strikes: Strikes,
): Response | undefined {
  if ((response.status !== 200 && response.status !== 206) || response.body === null)
    return undefined
  const headers = new Headers(response.headers)
  const range = readRange(headers.get('content-range'))
  if (fault.kind.startsWith('range-') && range === undefined) return undefined
  spoilHeaders(headers, fault, range)
  const ended = new AbortController()
  const chunks = spoiltBody(chunksOf(response.body), fault, strikes, ended.signal)
  return new Response(
    streamOf(chunks, () => ended.abort()),
    { status: response.status, headers },
  )
}

function spoilHeaders(headers: Headers, fault: Fault, range: HeldRange): void {
  // Without a length, every end of the body is a clean end.
  const { kind, bytes = 1 } = fault
  if (kind === 'short' || kind === 'extra' || kind === 'range-wrong')
    headers.delete('content-length')
  if (range === undefined) return
  const { unit, start, end, total } = range
  if (kind === 'range-missing') headers.delete('content-range')
  if (kind === 'range-repeated') headers.append('content-range', `${unit}${start}-${end}${total}`)
  if (kind === 'range-wrong')
    headers.set('content-range', `${unit}${start + bytes}-${end + bytes}${total}`)
}

function spoiltBody(chunks: Chunks, fault: Fault, strikes: Strikes, ended: AbortSignal): Chunks {
  const { kind, after = 0, bytes = 1, bit = 0 } = fault
  switch (kind) {
    case 'stall':
    case 'reset':
      return struckAt(chunks, after, () => strikes[kind](ended))
    case 'short':
      return shortened(chunks, after)
    case 'extra':
      return lengthened(chunks, bytes)
    case 'range-wrong':
      return delayed(chunks, bytes)
    case 'bit-flip':
      return bitFlipped(chunks, after, bit)
    default:
      return chunks
  }
}

function readRange(header: string | null) {
  const parts = /^(bytes )?(\d+)-(\d+)(\/.*)$/.exec(header ?? '')
  return parts === null
    ? undefined
    : { unit: parts[1] ?? '', start: Number(parts[2]), end: Number(parts[3]), total: parts[4]! }
}

/** Gives the first `byteCount` bytes, then ends cleanly. */
export async function* shortened(chunks: Chunks, byteCount: number): Chunks {
  let left = byteCount
  try {
    while (left > 0) {
      const { done, value } = await chunks.next()
      if (done) return
      yield value.subarray(0, left)
      left -= value.length
    }
  } finally {
    await chunks.return()
  }
}

/**
 * Gives the first `byteCount` bytes and calls `strike`, which throws, or waits and lets the rest
 * follow.
 */
export async function* struckAt(
  chunks: Chunks,
  byteCount: number,
  strike: () => Promise<void>,
): Chunks {
  let left = byteCount
  let struck = false
  for await (const chunk of chunks) {
    const before = Math.min(left, chunk.length)
    if (before > 0) yield chunk.subarray(0, before)
    left -= before
    if (left === 0 && !struck) {
      struck = true
      await strike()
    }
    if (before < chunk.length) yield chunk.subarray(before)
  }
  if (!struck) await strike()
}

/** Gives all bytes and `byteCount` meaningless bytes after them. */
export async function* lengthened(chunks: Chunks, byteCount: number): Chunks {
  yield* chunks
  for (let left = byteCount; left > 0; left -= PADDING.length) yield PADDING.slice(0, left)
}

/** Leaves out the first `byteCount` bytes. */
export async function* delayed(chunks: Chunks, byteCount: number): Chunks {
  let left = byteCount
  for await (const chunk of chunks) {
    if (left < chunk.length) yield chunk.subarray(left)
    left = Math.max(0, left - chunk.length)
  }
}

/** Flips one bit of the byte at `offset`. */
export async function* bitFlipped(chunks: Chunks, offset: number, bit: number): Chunks {
  let start = 0
  for await (const chunk of chunks) {
    const at = offset - start
    start += chunk.length
    if (at >= 0 && at < chunk.length) chunk[at]! ^= 1 << bit
    yield chunk
  }
}

const PADDING = new Uint8Array(64 * 1024)
