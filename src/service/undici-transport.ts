// HTTP by undici: bodies as they come off the wire, no decompression, no automatic redirects, no automatic retries.
// The one file that imports undici, and at the first request only: who parses files need not wait for it to be loaded.

import type * as Undici from 'undici'
import type { Agent, Dispatcher } from 'undici'
import { printableUrl } from '../codec/range/printable-url'
import { sendableHeaders } from '../codec/range/request-headers'
import { FeedError } from '../errors'
import type { RangeResponse } from '../stages/range-transport'
import { asTransportError } from '../stages/transport-error'
import type { HttpRequest, HttpTransport } from './http-transport'
import { followRedirects } from './redirect-policy'

export interface UndiciTransportOptions {
  /** An undici Agent, Pool, ProxyAgent, … that the caller closes. Default: an Agent of the transport's own. */
  readonly dispatcher?: Dispatcher
}

/** Connections are kept alive between requests until `close`. undici's own limits (300 s for headers and for body bytes) stand behind the caller's. */
export class UndiciTransport implements HttpTransport {
  readonly #dispatcher: Dispatcher | undefined
  #own: Agent | undefined
  #closed = false
  #undici: Promise<typeof Undici> | undefined

  constructor(options: UndiciTransportOptions = {}) {
    this.#dispatcher = options.dispatcher
  }

  /**
   * Throws HTTP_HEADER_INVALID, HTTP_ORIGIN_REFUSED, HTTP_REDIRECT_LOOP, HTTP_CONTENT_LENGTH (a repeated or conflicting one),
   * HTTP_TRANSPORT; the body fails with the last two.
   */
  async send(request: HttpRequest): Promise<RangeResponse> {
    const headers = sendableHeaders(request.headers)
    return followRedirects(request, url => this.#sendOnce(url, { ...request, headers }))
  }

  /** Ends idle and running connections, unless the dispatcher is the caller's. */
  async close(): Promise<void> {
    this.#closed = true
    await this.#own?.destroy()
  }

  async #sendOnce(url: URL, { method = 'GET', headers, body, signal }: HttpRequest): Promise<RangeResponse> {
    const shown = printableUrl(url)
    try {
      const undici = await (this.#undici ??= import('undici'))
      const dispatcher = this.#dispatcher ?? this.#ownAgent(undici)
      const init = { method, headers: { ...headers }, body: body ?? null, signal, dispatcher }
      return asRangeResponse(await undici.request(url, init), shown)
    } catch (error) {
      throw typedRefusal(error, shown)
    }
  }

  #ownAgent({ Agent: NewAgent }: typeof Undici): Agent {
    this.#own ??= new NewAgent()
    if (this.#closed) void this.#own.destroy()
    return this.#own
  }
}

function asRangeResponse({ statusCode, headers, body }: Dispatcher.ResponseData, url: string): RangeResponse {
  // A discarded body emits an error that has nowhere else to go.
  body.on('error', () => {})
  return {
    status: statusCode,
    header(name) {
      const value = headers[name]
      return Array.isArray(value) ? value.join(', ') : value
    },
    body: typedBody(body, url),
    discard: () => void body.destroy(),
  }
}

async function* typedBody(body: AsyncIterable<Uint8Array>, url: string): AsyncGenerator<Uint8Array, void, void> {
  try {
    yield* body
  } catch (error) {
    throw asTransportError(error, url)
  }
}

/** Before the headers are through, undici names Content-Length only when the parser stopped at a repeated, conflicting or bad one. */
function typedRefusal(error: unknown, url: string): FeedError {
  if (!/content-length/i.test(String(error))) return asTransportError(error, url)
  return new FeedError(
    'HTTP_CONTENT_LENGTH',
    'Content-Length is repeated, conflicting or not a number',
    { url, received: '' },
    { cause: error },
  )
}
