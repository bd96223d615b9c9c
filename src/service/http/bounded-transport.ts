// A transport within limits: so many requests at a time and a second for each host, and none
// without an end. Every request of the clients goes through one of these, downloads, JSON and
// tokens alike.

import type { RangeResponse } from '../../stages/range/range-transport'
import { waitFor } from '../../stages/wait'
import { HostGate } from './host-gate'
import type { HttpRequest, HttpTransport } from './http-transport'
import { type RequestSettings, timeoutError } from './request-settings'

export class BoundedTransport implements HttpTransport {
  readonly #inner: HttpTransport
  readonly #settings: RequestSettings
  readonly #gates = new Map<string, HostGate>()

  constructor(inner: HttpTransport, settings: RequestSettings) {
    this.#inner = inner
    this.#settings = settings
  }

  /**
   * Throws HTTP_TIMEOUT and what the inner transport throws. A turn is held until the body is read
   * or discarded.
   */
  async send(request: HttpRequest): Promise<RangeResponse> {
    const { url, signal } = request
    const { queueTimeoutMs: limitMs } = this.#settings
    const leave = await this.#gate(url).enter({
      signal,
      limitMs,
      onLimit: () => timeoutError('queue', url, limitMs),
    })
    try {
      return leavingAtItsEnd(await this.#sendInTime(request), leave)
    } catch (error) {
      leave()
      throw error
    }
  }

  async #sendInTime(request: HttpRequest): Promise<RangeResponse> {
    const { headersTimeoutMs: limitMs } = this.#settings
    const sending = new AbortController()
    const response = this.#inner.send({ ...request, signal: sending.signal })
    try {
      const onLimit = () => timeoutError('headers', request.url, limitMs)
      return await waitFor(response, { signal: request.signal, limitMs, onLimit })
    } catch (error) {
      sending.abort(error)
      // A transport that does not listen to its signal may still answer.
      response.then(
        late => late.discard(),
        () => {},
      )
      throw error
    }
  }

  /** Hosts are few: those of one profile, and of redirects within them. */
  #gate(url: string): HostGate {
    const { host } = new URL(url)
    const gate =
      this.#gates.get(host) ??
      new HostGate({
        concurrency: this.#settings.concurrencyPerHost,
        intervalMs: this.#settings.intervalMs,
      })
    this.#gates.set(host, gate)
    return gate
  }
}

function leavingAtItsEnd(response: RangeResponse, leave: () => void): RangeResponse {
  return {
    status: response.status,
    header: name => response.header(name),
    body: partsThen(response.body, leave),
    ...(response.receive && { receive: onPart => response.receive!(onPart).finally(leave) }),
    discard: () => {
      response.discard()
      leave()
    },
  }
}

async function* partsThen(
  body: AsyncIterable<Uint8Array>,
  leave: () => void,
): AsyncGenerator<Uint8Array, void, void> {
  try {
    yield* body
  } finally {
    leave()
  }
}
