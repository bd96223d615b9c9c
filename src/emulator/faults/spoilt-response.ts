// What a fault makes of the service's good answer: its Content-range, its length, its bytes.

import { chunksOf, streamOf } from '../http/body-stream'
import { bitFlipped, delayed, lengthened, shortened, struckAt } from './body-faults'
import type { Fault } from './fault'

/**
 * What the faults that strike in the middle of a body do there. The signal fires when nobody reads
 * on.
 */
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
 * The spoilt answer; undefined where there is nothing that this fault could spoil. `response` is
 * not to be used after it.
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
  // Without a length the body's end is clean wherever it comes.
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
