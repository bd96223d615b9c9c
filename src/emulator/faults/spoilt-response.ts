// Applies a fault to a good answer of the service: to its Content-range, its length or its bytes.

import { chunksOf, streamOf } from '../http/body-stream'
import { bitFlipped, delayed, lengthened, shortened, struckAt } from './body-faults'
import type { Fault } from './fault'

/** The effects of the faults in the middle of a body. The signal fires when the reader stops. */
export interface Strikes {
  stall(ended: AbortSignal): Promise<void>
  reset(ended: AbortSignal): Promise<void>
}

interface HeldRange {
  readonly unit: string
  readonly start: number
  readonly end: number
  readonly total: string
}

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

function spoilHeaders(headers: Headers, fault: Fault, range: HeldRange | undefined): void {
  // Without a length, every end of the body is a clean end.
  if (fault.kind === 'short' || fault.kind === 'extra' || fault.kind === 'range-wrong')
    headers.delete('content-length')
  if (range === undefined) return
  const { unit, start, end, total } = range
  if (fault.kind === 'range-missing') headers.delete('content-range')
  if (fault.kind === 'range-repeated')
    headers.append('content-range', `${unit}${start}-${end}${total}`)
  if (fault.kind === 'range-wrong')
    headers.set(
      'content-range',
      `${unit}${start + (fault.bytes ?? 1)}-${end + (fault.bytes ?? 1)}${total}`,
    )
}

function spoiltBody(
  chunks: AsyncGenerator<Uint8Array, void, void>,
  fault: Fault,
  strikes: Strikes,
  ended: AbortSignal,
) {
  const { after = 0, bytes = 1, bit = 0 } = fault
  switch (fault.kind) {
    case 'stall':
      return struckAt(chunks, after, () => strikes.stall(ended))
    case 'reset':
      return struckAt(chunks, after, () => strikes.reset(ended))
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

function readRange(header: string | null): HeldRange | undefined {
  const parts = /^(bytes )?(\d+)-(\d+)(\/.*)$/.exec(header ?? '')
  return parts === null
    ? undefined
    : { unit: parts[1] ?? '', start: Number(parts[2]), end: Number(parts[3]), total: parts[4]! }
}
