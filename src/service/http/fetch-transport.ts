// A transport over a function such as fetch: that of the platform, or a server in the same process
// (app.fetch of hono).

import type { RangeResponse } from '../../engine/index'
import { asTransportError, FeedError, is, printableUrl } from '../../engine/index'
import type { HttpRequest, HttpTransport } from './http-transport'
import { followRedirects, type Hop } from './redirects'

/** A function that answers a Request. */
export type FetchLike = (request: Request) => Response | Promise<Response>

/**
 * Returns a transport over `fetchLike`. Its requests throw HTTP_HEADER_INVALID,
 * HTTP_ORIGIN_REFUSED, HTTP_REDIRECT_LOOP, HTTP_TRANSPORT, and HTTP_CONTENT_ENCODING for an encoded
 * body: a fetch decodes such a body, and its bytes are then not those of the file. The fetch of the
 * platform reports a chunked body that was cut as complete; the lengths of ranges reveal the cut.
 *
 * @example
 * ```ts
 * import { fetchTransport, pipeline, RangeFetcher } from 'feedmill'
 * // given: url, headers
 *
 * const transport = fetchTransport(fetch)
 * const pieces = await pipeline(new RangeFetcher({ url, headers, transport })).toArray()
 * console.log(pieces[0]?.offset)
 * // => 0
 * ```
 */
export function fetchTransport(fetchLike: FetchLike): HttpTransport {
  is.callback('fetchLike', fetchLike, 'a function such as fetch')
  return {
    send: request => followRedirects(request, hop => sendOnce(fetchLike, hop, request)),
  }
}

async function sendOnce(
  fetchLike: FetchLike,
  { url, headers }: Hop,
  { method = 'GET', body, signal }: HttpRequest,
): Promise<RangeResponse> {
  const shown = printableUrl(url)
  let response: Response
  try {
    const init = { method, headers, signal, redirect: 'manual' } as const
    response = await fetchLike(new Request(url, body === undefined ? init : { ...init, body }))
  } catch (error) {
    throw asTransportError(error, shown)
  }
  return asRangeResponse(response, shown)
}

function asRangeResponse(response: Response, url: string): RangeResponse {
  const reader = response.body?.getReader()
  const discard = () => void reader?.cancel().catch(() => {})
  // An empty header names no coding, and names of codings have no case (RFC 9110, 8.4.1).
  const contentEncoding = response.headers.get('content-encoding') ?? ''
  if (!/^\s*(?:identity)?\s*$/i.test(contentEncoding)) {
    discard()
    const context = { url, contentEncoding: contentEncoding.slice(0, 40) }
    throw new FeedError(
      'HTTP_CONTENT_ENCODING',
      'fetch decoded a content coding of the body: use NodeTransport for this server',
      context,
    )
  }
  return {
    status: response.status,
    header: name => response.headers.get(name) ?? undefined,
    body: reader ? partsOf(reader, url) : NO_PARTS,
    discard,
  }
}

async function* partsOf(
  reader: ReadableStreamDefaultReader<Uint8Array>,
  url: string,
): AsyncGenerator<Uint8Array, void, void> {
  try {
    for (let step = await reader.read(); !step.done; step = await reader.read()) yield step.value
  } catch (error) {
    throw asTransportError(error, url)
  }
}

const NO_PARTS: AsyncIterable<Uint8Array> = { async *[Symbol.asyncIterator]() {} }
