// Sends one request and tells the subscribers of `feedmill:request` how it went. Without a
// subscriber the request goes to the transport as it is. The requests of the service's clients are
// reported by their BoundedTransport, and all others by RangeRequester.

import { printableUrl } from '../../codec/range/printable-url'
import type { Secrets } from '../../codec/secrets'
import { requestTopic } from '../../diagnostics/channels'
import { ofRun } from '../../diagnostics/run-watch'
import type { RangeRequest, RangeResponse } from './range-transport'
import { asTransportError } from './transport-error'

/**
 * A transport that reports its requests itself. The name is no symbol, because bundlers keep every
 * class with a computed name.
 */
export interface ReportingTransport {
  readonly reportsRequests: true
}

type Sent = RangeRequest & { readonly method?: 'GET' | 'POST' }

/**
 * Returns a transport that reports each request of `transport`. `secrets` are covered in the
 * addresses.
 */
export function watchedTransport<R extends Sent>(
  transport: { send(request: R): Promise<RangeResponse> },
  secrets: Secrets,
): { send(request: R): Promise<RangeResponse> } {
  if ('reportsRequests' in transport) return transport
  return {
    send: request =>
      requestTopic.hasSubscribers
        ? sendWatched(transport, request, secrets)
        : transport.send(request),
  }
}

async function sendWatched<R extends Sent>(
  transport: { send(request: R): Promise<RangeResponse> },
  request: R,
  secrets: Secrets,
): Promise<RangeResponse> {
  const report = new RequestReport(request, secrets)
  try {
    return report.of(await transport.send(request))
  } catch (error) {
    report.settle(request.signal.aborted ? request.signal.reason : error)
    throw error
  }
}

/** The message about one request. It is published once, at the end of the body or of the wait. */
class RequestReport {
  readonly #request: Sent
  readonly #secrets: Secrets
  readonly #run = ofRun()
  readonly #startedAt = performance.now()
  #status: number | undefined
  #bytes = 0
  #isSettled = false

  constructor(request: Sent, secrets: Secrets) {
    this.#request = request
    this.#secrets = secrets
  }

  /** Returns the response with a body that is counted. */
  of(response: RangeResponse): RangeResponse {
    this.#status = response.status
    return {
      status: response.status,
      header: name => response.header(name),
      body: this.#counted(response.body),
      ...(response.receive && { receive: onPart => this.#receive(response, onPart) }),
      discard: () => {
        response.discard()
        this.settle()
      },
    }
  }

  settle(failure?: unknown): void {
    if (this.#isSettled) return
    this.#isSettled = true
    const { method = 'GET', url, attempt = 1 } = this.#request
    const status = this.#status
    requestTopic.publish({
      ...this.#run,
      method,
      url: this.#secrets.cover(printableUrl(url)),
      ...(status !== undefined && { status }),
      bytes: this.#bytes,
      durationMs: performance.now() - this.#startedAt,
      attempt,
      ...(failure !== undefined && { code: asTransportError(failure, '').code }),
    })
  }

  async *#counted(body: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array, void, void> {
    try {
      for await (const part of body) {
        this.#bytes += part.length
        yield part
      }
    } catch (error) {
      this.settle(error)
      throw error
    } finally {
      this.settle()
    }
  }

  async #receive(response: RangeResponse, onPart: (bytes: Uint8Array) => void): Promise<void> {
    try {
      await response.receive?.(bytes => {
        this.#bytes += bytes.length
        onPart(bytes)
      })
      this.settle()
    } catch (error) {
      this.settle(error)
      throw error
    }
  }
}
