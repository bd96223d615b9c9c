// The interface between RangeFetcher and HTTP, the typed error of a failed connection, and the
// report of a request. service/http has implementations; a caller may bring its own.

import { printableUrl, type RequestHeaders } from '../../codec/range/request'
import type { Secrets } from '../../codec/secrets'
import { requestTopic } from '../../diagnostics/channels'
import { ofRun } from '../../diagnostics/run-watch'
import { excerpt, FeedError, messageOf } from '../../errors'

/**
 * A GET request. A transport must not add headers that change the body, such as Accept-Encoding.
 */
export interface RangeRequest {
  /** The address of the file. */
  readonly url: string
  /** The headers to send, `Range` included. */
  readonly headers: RequestHeaders
  /**
   * Ends the wait for the response at once. After the response has come, `discard` ends its body.
   */
  readonly signal: AbortSignal
  /**
   * The other origins to which a redirect may lead: `'public'` is any but those of this machine or
   * its network. Such a redirect is followed without the headers, except those of the range, and
   * never from https to http. Default none.
   */
  readonly redirectOrigins?: 'public' | readonly string[]
  /** Number of this attempt since the last progress, from 1; for logs. Default 1. */
  readonly attempt?: number
  /**
   * The strong entity tag that other bytes of the file had. A transport may ask for it by If-Match: a
   * response with status 412 then says that the file was replaced. Default: none is known.
   */
  readonly etag?: string
  /** @internal Where a transport that adds secrets to a request puts them, for what is told of it. */
  readonly secrets?: Secrets
}

export interface RangeResponse {
  /** The address that answered, where a redirect led to another origin. Default that of the request. */
  readonly url?: string
  /** The status code of the response. */
  readonly status: number
  /**
   * A header's value by its lower-case name; repeated headers joined by `, `. Without a
   * Content-Length, `transfer-encoding: chunked` says that a body that was cut fails.
   */
  header(name: string): string | undefined
  /**
   * The body as the server sent it. It can be read once, and it is read on demand. The reader owns
   * the memory of the parts. Fails with a FeedError where the connection fails, usually
   * HTTP_TRANSPORT.
   */
  readonly body: AsyncIterable<Uint8Array>
  /**
   * Another way to read all of the body: each part is passed to `onPart` as it arrives, which costs
   * less than an iterator. A reader calls it once, and does not read `body`. Resolves when the body
   * has ended; fails as `body` does.
   */
  receive?(onPart: (bytes: Uint8Array) => void): Promise<void>
  /**
   * Drops the rest of the body and frees its connection. Further calls do nothing. Never throws.
   */
  discard(): void
}

/**
 * Sends requests. The transport follows redirects within one origin, and to those that the request
 * allows; it refuses others. Fails with a FeedError, whose `retryable` says whether a repeat may help.
 */
export interface RangeTransport {
  send(request: RangeRequest): Promise<RangeResponse>
}

/**
 * The codes of Node (tls, "X509 certificate error codes") for a certificate that is not accepted. A
 * repeat does not help.
 */
const CERTIFICATE =
  /^(?:CERT_|CRL_|ERR_TLS_CERT_|UNABLE_TO_|ERROR_IN_C|DEPTH_ZERO_SELF_SIGNED_CERT$|SELF_SIGNED_CERT_IN_CHAIN$|INVALID_(?:CA|PURPOSE)$|PATH_LENGTH_EXCEEDED$|HOSTNAME_MISMATCH$)/

/** The depth to which causes are searched: `fetch` wraps the error of the connection. */
const MOST_CAUSES = 4

/**
 * Returns a FeedError unchanged, and any other error as the cause of an HTTP_TRANSPORT, which is
 * not retryable for a refused certificate.
 */
export function asTransportError(error: unknown, url: string, byteOffset?: number): FeedError {
  if (FeedError.is(error)) return error
  const { text, code } = reasonOf(error)
  const context = byteOffset === undefined ? { url } : { url, byteOffset }
  const shown = code === undefined || text.includes(code) ? text : `${text} (${code})`
  const isCertificate = code !== undefined && CERTIFICATE.test(code)
  if (!isCertificate) {
    const message = `the connection failed: ${shown}`
    return new FeedError('HTTP_TRANSPORT', message, context, { cause: error })
  }
  const advice = 'trust its authority by NODE_EXTRA_CA_CERTS, or by an agent with `ca`'
  const message = `the server's certificate is not accepted: ${shown}; ${advice}`
  return new FeedError('HTTP_TRANSPORT', message, context, { cause: error, retryable: false })
}

/** Returns the first error in the chain of causes with a code of the system, or the error. */
function reasonOf(error: unknown): { readonly text: string; readonly code: string | undefined } {
  let at = error
  for (let depth = 0; depth < MOST_CAUSES && at instanceof Error; depth++) {
    const { code } = at as { code?: unknown }
    if (typeof code === 'string' && code !== '')
      return { text: excerpt(at.message), code: excerpt(code, 60) }
    at = at.cause
  }
  return { text: excerpt(messageOf(error)), code: undefined }
}

// Sends one request and tells the subscribers of `feedmill:request` how it went. Without a
// subscriber the request goes to the transport as it is. The requests of the service's clients are
// reported by their BoundedTransport, and all others by RangeRequester.

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

/** The message about a request is published once, at the end of the body or of the wait. */
async function sendWatched<R extends Sent>(
  transport: { send(request: R): Promise<RangeResponse> },
  request: R,
  secrets: Secrets,
): Promise<RangeResponse> {
  const run = ofRun()
  const startedAt = performance.now()
  let status: number | undefined
  let bytes = 0
  let isSettled = false
  const settle = (failure?: unknown) => {
    if (isSettled) return
    isSettled = true
    const { method = 'GET', url, attempt = 1 } = request
    requestTopic.publish({
      ...run,
      method,
      url: secrets.cover(printableUrl(url)),
      ...(status !== undefined && { status }),
      bytes,
      durationMs: performance.now() - startedAt,
      attempt,
      ...(failure !== undefined && { code: asTransportError(failure, '').code }),
    })
  }
  try {
    const response = await transport.send(request)
    status = response.status
    return untilEnd(response, settle, count => void (bytes += count))
  } catch (error) {
    settle(request.signal.aborted ? request.signal.reason : error)
    throw error
  }
}

/**
 * Returns the response with a body that calls `onPart` for each part. `onEnd` is called, maybe
 * repeatedly, when the body has ended, has failed or is discarded.
 */
export function untilEnd(
  response: RangeResponse,
  onEnd: (failure?: unknown) => void,
  onPart: (bytes: number) => void = () => {},
): RangeResponse {
  const { body } = response
  const parts = async function* () {
    try {
      for await (const part of body) {
        onPart(part.length)
        yield part
      }
    } catch (error) {
      onEnd(error)
      throw error
    } finally {
      onEnd()
    }
  }
  return {
    ...(response.url !== undefined && { url: response.url }),
    status: response.status,
    header: name => response.header(name),
    body: parts(),
    ...(response.receive && {
      receive: async take => {
        try {
          await response.receive?.(bytes => {
            onPart(bytes.length)
            take(bytes)
          })
        } catch (error) {
          onEnd(error)
          throw error
        } finally {
          onEnd()
        }
      },
    }),
    discard: () => {
      response.discard()
      onEnd()
    },
  }
}
