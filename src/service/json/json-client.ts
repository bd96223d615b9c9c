// Sends JSON requests, repeats them where this may help, and checks the shape of bodies:
// RESPONSE_INVALID names the field that is wrong. The operations themselves are in
// service/clients/.

import {
  aborted,
  asTransportError,
  excerpt,
  FeedError,
  listenable,
  mayPass,
  printableUrl,
  type RequestHeaders,
  Retries,
  readErrorText,
  readRefusal,
  type Secrets,
} from '../../engine/index'
import type { HttpTransport } from '../http/http-transport'
import type { RequestSettings } from '../http/request-settings'
import { readWholeBody } from '../http/whole-body'
import type { JsonShape, SHAPES } from './shapes'

export interface JsonRequest {
  /** The name of the operation, for errors. */
  readonly operation: string
  readonly url: string
  readonly transport: HttpTransport
  readonly headers?: RequestHeaders
  /** The body of a POST. A request without a body is a GET. */
  readonly body?: unknown
  readonly signal?: AbortSignal | undefined
}

export interface JsonAnswer {
  readonly status: number
  /** The body as text. */
  readonly text: string
  header(name: string): string | undefined
}

type AbortableRequest = JsonRequest & { readonly signal: AbortSignal }

export class JsonClient {
  readonly #settings: RequestSettings
  readonly #secrets: Secrets

  constructor(settings: RequestSettings, secrets: Secrets) {
    this.#settings = settings
    this.#secrets = secrets
  }

  /**
   * Returns the body as `read` makes it, and `empty` for a 204. Throws as {@link send} and `read`.
   */
  get<T>(request: JsonRequest, read: ReadJson<T>, empty?: T): Promise<T> {
    return this.send(request, async ({ status, text }) =>
      status === 204 && empty !== undefined ? empty : read(text, request),
    )
  }

  /**
   * Sends a request and returns what `use` makes of the answer. A GET is repeated while this may
   * help. A POST is repeated only while it has not been sent, because the service may have acted on
   * it. Throws HTTP_STATUS, HTTP_TIMEOUT, HTTP_TRANSPORT, ABORTED, RESPONSE_INVALID (also for a
   * body above `maxResponseBytes`), and what the transport refuses.
   */
  async send<T>(request: JsonRequest, use: (answer: JsonAnswer) => T | Promise<T>): Promise<T> {
    try {
      const signal = listenable(request.signal) ?? new AbortController().signal
      return await use(await this.#sendRepeating({ ...request, signal }))
    } catch (error) {
      const { operation, url, signal } = request
      if (signal?.aborted) throw aborted(operation, `${operation} was aborted`, signal.reason)
      throw this.#secrets.covered(asTransportError(error, printableUrl(url)))
    }
  }

  async #sendRepeating(request: AbortableRequest): Promise<JsonAnswer> {
    const url = () => printableUrl(request.url)
    const retries = new Retries(this.#settings.retry, request.signal, url, this.#secrets)
    for (;;) {
      let failure: FeedError
      let retryAfterMs: number | undefined
      try {
        const answer = await this.#sendOnce(request, retries.failures + 1)
        if (!('failure' in answer)) return answer
        failure = answer.failure
        retryAfterMs = answer.retryAfterMs
      } catch (error) {
        failure = asTransportError(error, printableUrl(request.url))
      }
      const mayRepeat =
        mayPass(failure, request.signal) &&
        (request.body === undefined || !wasSent(failure, request))
      if (!mayRepeat || !(await retries.again(failure, retryAfterMs))) throw failure
    }
  }

  async #sendOnce(
    request: AbortableRequest,
    attempt: number,
  ): Promise<
    JsonAnswer | { readonly failure: FeedError; readonly retryAfterMs: number | undefined }
  > {
    const { operation, url, transport, body, signal } = request
    const headers = {
      Accept: 'application/json',
      'Accept-Encoding': 'identity',
      ...request.headers,
    }
    const sent = body === undefined ? { headers } : postOf(headers, body)
    const response = await transport.send({ url, signal, attempt, ...sent })
    const { status } = response
    const limits = this.#settings.bodyLimits(url, signal)
    if (status === 200 || status === 201 || status === 204) {
      const { maxResponseBytes } = this.#settings
      const tooLong = () =>
        responseInvalid(request, '', `longer than maxResponseBytes, ${maxResponseBytes}`)
      const text = await readWholeBody(response, maxResponseBytes, limits, tooLong)
      return { status, text, header: name => response.header(name) }
    }
    const text = await readErrorText(response, limits)
    const refused = { status, text, header: (name: string) => response.header(name) }
    const where = { url: printableUrl(url), operation }
    const { error: failure, retryAfterMs } = readRefusal(refused, where, this.#settings.now())
    return { failure, retryAfterMs }
  }
}

/**
 * False where the request failed before it was sent: while it waited for a token or for its turn.
 */
function wasSent(failure: FeedError, { url }: JsonRequest): boolean {
  if (!FeedError.is(failure)) return true
  if (
    failure.code === 'HTTP_TIMEOUT' &&
    (failure.context.phase === 'token' || failure.context.phase === 'queue')
  )
    return false
  return !('url' in failure.context) || failure.context.url === printableUrl(url)
}

function postOf(headers: RequestHeaders, body: unknown) {
  return {
    method: 'POST',
    headers: { ...headers, 'Content-Type': 'application/json' },
    body: JSON.stringify(body),
  } as const
}

/** The request that a body answers, for errors. */
export interface Answered {
  readonly operation: string
  readonly url: string
}

export type ReadJson<T> = (text: string, request: Answered) => Promise<T>

/**
 * Returns a function that reads bodies of one shape and keeps unknown fields. The first body loads
 * the shapes. Calls at the top of a module are marked pure, so that a bundler can remove them
 * together with unused clients.
 */
export function bodyOfShape<T>(shapeOf: (shapes: typeof SHAPES) => JsonShape<T>): ReadJson<T> {
  return async (text, request) => {
    const { SHAPES, shapeFault } = await import('./shapes')
    const value = jsonOf(text, request)
    const fault = shapeFault(shapeOf(SHAPES), value)
    if (fault === undefined) return value as T
    throw responseInvalid(request, fault.path, fault.reason)
  }
}

export function responseInvalid(
  { operation, url }: Answered,
  path: string,
  reason: string,
): FeedError {
  const context = {
    operation,
    url: printableUrl(url),
    path: excerpt(path),
    reason: excerpt(reason, 200),
  }
  return new FeedError(
    'RESPONSE_INVALID',
    `${operation}: ${path === '' ? 'the answer' : context.path} is invalid: ${context.reason}`,
    context,
  )
}

function jsonOf(text: string, request: Answered): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw responseInvalid(request, '', `not JSON: ${excerpt(text)}`)
  }
}
