// A transport without a network. A function of the request makes each response, so that a test
// decides exactly which bytes arrive, in which parts, and which failure follows them.

import { FeedError } from '../../../src/engine/errors'
import type {
  RangeRequest,
  RangeResponse,
  RangeTransport,
} from '../../../src/engine/stages/range/range-transport'

export interface Asked {
  /** The number of the request, from 0 on. */
  readonly index: number
  readonly start: number
  /** The end of the range, exclusive; that of the file where there is no range. */
  readonly end: number
  /** True for a request without a range. */
  readonly whole: boolean
  readonly headers: Readonly<Record<string, string>>
}

/** A part of a body, a failure, a wait that ends only with the response, or single bytes without end. */
export type BodyStep = Uint8Array | Error | 'stall' | 'drip'

export interface Reply {
  readonly status: number
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: readonly BodyStep[]
}

export type Script = (
  asked: Asked,
) => Reply | Error | 'stall' | undefined | Promise<Reply | Error | undefined>

export const reset = () =>
  new FeedError('HTTP_TRANSPORT', 'reset', { url: 'http://feed.test/file' })

export const LAST_MODIFIED = 'Sun, 06 Nov 1994 08:49:37 GMT'
/** The validator of honest answers, and the date that makes it strong. */
export const DATED = {
  'last-modified': LAST_MODIFIED,
  date: 'Mon, 07 Nov 1994 08:49:37 GMT',
} as const

/** Serves `file`; a response of the script replaces that of the server. */
export class ScriptedTransport implements RangeTransport {
  readonly requests: Asked[] = []
  /** The responses whose body was neither read to its end nor discarded. */
  open = 0
  deliveredBytes = 0
  onDeliver = () => {}
  onRequest = (_asked: Asked) => {}

  constructor(
    public file: Uint8Array,
    private readonly script: Script = () => undefined,
    private readonly partBytes = 7,
  ) {}

  async send(request: RangeRequest): Promise<RangeResponse> {
    const [, first, last] = /^bytes=(\d+)-(\d+)$/.exec(request.headers.Range ?? '') ?? []
    const whole = first === undefined
    const asked = {
      index: this.requests.length,
      start: Number(first ?? 0),
      end: whole ? this.file.length : Number(last) + 1,
      whole,
      headers: request.headers,
    }
    this.requests.push(asked)
    this.onRequest(asked)
    const scripted = await this.script(asked)
    if (scripted instanceof Error) throw scripted
    if (scripted === 'stall') return new Promise(() => {})
    return this.#respond(scripted ?? (whole ? this.whole() : this.honest(asked)))
  }

  /** The response of a correct server. */
  honest(asked: { start: number; end: number }): Reply {
    const total = this.file.length
    if (asked.start >= total) return { status: 416, headers: { 'content-range': `*/${total}` } }
    const end = Math.min(asked.end, total)
    const headers = {
      'content-range': `bytes ${asked.start}-${end - 1}/${total}`,
      ...DATED,
      'content-length': String(end - asked.start),
    }
    return { status: 206, headers, body: this.parts(asked.start, end) }
  }

  /** The response of a server that ignores ranges. */
  whole(): Reply {
    return {
      status: 200,
      headers: { 'content-length': String(this.file.length), ...DATED },
      body: this.parts(0, this.file.length),
    }
  }

  parts(start: number, end: number): Uint8Array[] {
    const parts: Uint8Array[] = []
    for (let at = start; at < end; at += this.partBytes)
      parts.push(this.file.slice(at, Math.min(at + this.partBytes, end)))
    return parts
  }

  #respond(reply: Reply): RangeResponse {
    this.open++
    let isOpen = true
    const close = () => {
      if (isOpen) this.open--
      isOpen = false
    }
    return {
      status: reply.status,
      header: name => reply.headers?.[name],
      body: this.#play(reply.body ?? [], close),
      discard: close,
    }
  }

  async *#play(
    steps: readonly BodyStep[],
    close: () => void,
  ): AsyncGenerator<Uint8Array, void, void> {
    try {
      for (const step of steps) {
        if (step === 'stall') await new Promise(() => {})
        if (step instanceof Error) throw step
        while (step === 'drip') {
          await new Promise(resolve => setTimeout(resolve, 1))
          yield Uint8Array.of(0)
        }
        await null
        this.deliveredBytes += step.length
        this.onDeliver()
        yield step as Uint8Array
      }
    } finally {
      close()
    }
  }
}

/** A file that begins as gzip does, and whose other bytes encode their offset. */
export function sampleFile(size: number): Uint8Array {
  const file = Uint8Array.from({ length: size }, (_, at) => (at * 31 + (at >> 8)) & 0xff)
  file.set([0x1f, 0x8b].slice(0, size))
  return file
}
