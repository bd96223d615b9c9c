// HTTP by Node's own client: bodies as they come off the wire, no decompression, no redirects or
// repeats of its own. Its modules are part of Node and load in a few milliseconds, at the first
// request only.

import type { Agent, ClientRequest, IncomingMessage, RequestOptions } from 'node:http'
import { finished, type Readable } from 'node:stream'
import { printableUrl } from '../../codec/range/printable-url'
import { sendableHeaders } from '../../codec/range/request-headers'
import { FeedError } from '../../errors'
import { knownOptions, type OptionNames, withMethods } from '../../options'
import type { RangeResponse } from '../../stages/range/range-transport'
import { asTransportError } from '../../stages/range/transport-error'
import type { HttpRequest, HttpTransport } from './http-transport'
import { withLargeReads } from './large-reads'
import { followRedirects } from './redirect-policy'

/**
 * How long a connection is kept that nobody uses: less than servers keep theirs, or a request would
 * meet one that is just being closed.
 */
const KEEP_IDLE_MS = 4_000

/** Turns of the event loop, one of which reads what has arrived on all connections. */
const TURNS_BEFORE_REUSE = 2

export interface NodeTransportOptions {
  /**
   * An Agent of node:http or node:https, as the URLs need it, that the caller destroys: for
   * certificates, or a proxy.
   */
  readonly agent?: Agent
}

const OPTION_NAMES: OptionNames<NodeTransportOptions> = { agent: true }

interface Client {
  readonly agent: Agent
  request(url: URL, options: RequestOptions): ClientRequest
}

/**
 * Connections are kept alive between requests until `close`. It sets no time limits: the caller's
 * hold.
 */
export class NodeTransport implements HttpTransport {
  readonly #agent: Agent | undefined
  readonly #clients = new Map<string, Promise<Client>>()
  #closed = false

  /** @throws FeedError OPTION_INVALID */
  constructor(options: NodeTransportOptions = {}) {
    const { agent } = knownOptions(options, OPTION_NAMES)
    this.#agent = agent && withMethods('agent', agent, ['destroy'])
  }

  /**
   * Throws HTTP_HEADER_INVALID, HTTP_ORIGIN_REFUSED, HTTP_REDIRECT_LOOP, HTTP_CONTENT_LENGTH (a
   * repeated or conflicting one), HTTP_TRANSPORT; the body fails with the last.
   */
  async send(request: HttpRequest): Promise<RangeResponse> {
    const headers = sendableHeaders(request.headers)
    return followRedirects(request, url => this.#sendOnce(url, { ...request, headers }))
  }

  /** Ends idle and running connections, unless the agent is the caller's. */
  async close(): Promise<void> {
    this.#closed = true
    if (this.#agent) return
    for (const client of this.#clients.values()) (await client).agent.destroy()
  }

  async #sendOnce(
    url: URL,
    { method = 'GET', headers, body, signal }: HttpRequest,
  ): Promise<RangeResponse> {
    const shown = printableUrl(url)
    try {
      const { request, agent } = await this.#client(url.protocol)
      // A server that ends a connection without a word has done so by then: it is not used again.
      for (let turn = 0; turn < TURNS_BEFORE_REUSE; turn++) await nextTurn()
      if (this.#closed && !this.#agent)
        throw new FeedError('HTTP_TRANSPORT', 'the transport was closed', { url: shown })
      const sent = request(url, { method, headers: { ...headers }, signal, agent })
      sent.end(body)
      return asRangeResponse(await responseTo(sent, shown), shown)
    } catch (error) {
      throw contentLengthRefusal(error, shown) ?? asTransportError(error, shown)
    }
  }

  #client(protocol: string): Promise<Client> {
    const client = this.#clients.get(protocol) ?? newClient(protocol, this.#agent)
    this.#clients.set(protocol, client)
    return client
  }
}

async function newClient(protocol: string, given: Agent | undefined): Promise<Client> {
  const options = { keepAlive: true, timeout: KEEP_IDLE_MS }
  if (protocol === 'https:') {
    const { Agent: NewAgent, request } = await import('node:https')
    return { request, agent: given ?? new NewAgent(options) }
  }
  const [{ Agent: NewAgent, request }, { connect }] = await Promise.all([
    import('node:http'),
    import('node:net'),
  ])
  return { request, agent: given ?? withLargeReads(new NewAgent(options), connect) }
}

function nextTurn(): Promise<void> {
  return new Promise(resolve => setImmediate(resolve))
}

function responseTo(sent: ClientRequest, url: string): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    sent.once('response', response => {
      if ((response.statusCode as number) >= 200) return resolve(response)
      sent.destroy()
      reject(noResponse(url))
    })
    // A 101, and a connection that ends in silence, come without an error: Node tells only that the
    // request is over.
    sent.once('close', () => reject(noResponse(url)))
    // Stays: what fails later is the response's failure, and has nowhere else to go.
    sent.on('error', reject)
  })
}

function noResponse(url: string): FeedError {
  return new FeedError('HTTP_TRANSPORT', 'the connection was closed without a response', { url })
}

function asRangeResponse(response: IncomingMessage, url: string): RangeResponse {
  return {
    status: response.statusCode as number,
    header: name => response.headersDistinct[name]?.join(', '),
    ...bodyOfStream(response, url),
  }
}

/** A Node stream as the body of a response: both ways of reading it, its failures typed. */
export function bodyOfStream(
  stream: Readable,
  url: string,
): Required<Pick<RangeResponse, 'body' | 'receive' | 'discard'>> {
  // A discarded stream emits an error that has nowhere else to go.
  stream.on('error', () => {})
  return {
    body: partsOf(stream, url),
    receive: onPart => receive(stream, url, onPart),
    discard: () => void stream.destroy(),
  }
}

async function* partsOf(
  stream: AsyncIterable<Uint8Array>,
  url: string,
): AsyncGenerator<Uint8Array, void, void> {
  try {
    yield* stream
  } catch (error) {
    throw asTransportError(error, url)
  }
}

function receive(
  stream: Readable,
  url: string,
  onPart: (bytes: Uint8Array) => void,
): Promise<void> {
  return new Promise((resolve, reject) => {
    finished(stream, { writable: false }, error =>
      error ? reject(asTransportError(error, url)) : resolve(),
    )
    stream.on('data', onPart)
  })
}

/** HTTP_CONTENT_LENGTH where a client stopped at that header before the response was through. */
export function contentLengthRefusal(error: unknown, url: string): FeedError | undefined {
  if (
    FeedError.is(error) ||
    !/content[-_]length/i.test(`${error} ${(error as { code?: unknown } | undefined)?.code}`)
  )
    return undefined
  const message = 'Content-Length is repeated, conflicting or not a number'
  return new FeedError('HTTP_CONTENT_LENGTH', message, { url, received: '' }, { cause: error })
}
