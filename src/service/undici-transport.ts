// HTTP by undici: bodies as they come off the wire, no decompression, no automatic redirects, no automatic retries.
// The one file that imports undici, and at the first request only: loading it takes as long as downloading and parsing 20 MB of a feed.

import type * as Undici from 'undici'
import type { Agent, Dispatcher } from 'undici'
import { printableUrl } from '../codec/range/printable-url'
import { sendableHeaders } from '../codec/range/request-headers'
import type { RangeResponse } from '../stages/range-transport'
import { asTransportError } from '../stages/transport-error'
import { bodyOfStream } from './body-stream'
import { contentLengthRefusal } from './content-length-refusal'
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
      throw contentLengthRefusal(error, shown) ?? asTransportError(error, shown)
    }
  }

  #ownAgent({ Agent: NewAgent }: typeof Undici): Agent {
    this.#own ??= new NewAgent()
    if (this.#closed) void this.#own.destroy()
    return this.#own
  }
}

function asRangeResponse({ statusCode, headers, body }: Dispatcher.ResponseData, url: string): RangeResponse {
  return {
    status: statusCode,
    header(name) {
      const value = headers[name]
      return Array.isArray(value) ? value.join(', ') : value
    },
    ...bodyOfStream(body, url),
  }
}
