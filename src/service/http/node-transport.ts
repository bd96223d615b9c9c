// A transport over the HTTP client of Node. It gives bodies as they were sent, without decoding,
// and makes no repeats. It reads plain sockets in large blocks. The first request loads the modules
// of Node, which takes some milliseconds.

import type { LookupAddress } from 'node:dns'
import type { Agent, ClientRequest, IncomingMessage, RequestOptions } from 'node:http'
import type { LookupFunction, Socket, TcpSocketConnectOpts } from 'node:net'
import { finished, type Readable } from 'node:stream'
import type { RangeResponse } from '../../engine/index'
import {
  asTransportError,
  FeedError,
  is,
  type OptionTable,
  printableUrl,
  readOptions,
} from '../../engine/index'
import type { HttpTransport, NodeRequest } from './http-transport'
import { followRedirects, type Hop } from './redirects'

/**
 * How long an idle connection is kept. Servers keep theirs longer, so a request rarely meets a
 * connection that is being closed.
 */
const KEEP_IDLE_MS = 4_000

/** Turns of the event loop, in which everything that has arrived on connections is read. */
const TURNS_BEFORE_REUSE = 2

export interface NodeTransportOptions {
  /**
   * An Agent of node:http or node:https, as the URLs require, for certificates or a proxy. The
   * caller owns it and has to destroy it. Default: an agent of the transport's own.
   */
  readonly agent?: Agent
}

const OPTIONS = {
  agent: [is.withMethods<Agent>('destroy')],
} satisfies OptionTable<NodeTransportOptions>

interface Client {
  readonly agent: Agent
  request(url: URL, options: RequestOptions): ClientRequest
}

/**
 * A transport over the HTTP client of Node. It keeps connections alive until `close`. It sets no
 * time limits; callers set them by the signal of a request.
 *
 * @example
 * ```ts
 * import { Agent } from 'node:https'
 * import { NodeTransport } from 'feedmill'
 * import { createFeedService, defineProfile } from 'feedmill/service'
 * // given: baseUrl, tokenUrl, scopeBase, credentials
 *
 * const transport = new NodeTransport({ agent: new Agent({ keepAlive: true, maxSockets: 4 }) })
 * const profile = defineProfile({ baseUrl, tokenUrl, scopeBase })
 * const service = createFeedService(profile, credentials, { transport })
 * console.log(typeof service.feeds.getItemFeed)
 * await transport.close()
 * // => function
 * ```
 */
export class NodeTransport implements HttpTransport {
  readonly #agent: Agent | undefined
  readonly #clients = new Map<string, Promise<Client>>()
  #closed = false

  /** @throws FeedError OPTION_INVALID */
  constructor(options: NodeTransportOptions = {}) {
    this.#agent = readOptions(options, OPTIONS).agent
  }

  /**
   * Throws HTTP_HEADER_INVALID, HTTP_ORIGIN_REFUSED, HTTP_REDIRECT_LOOP, HTTP_CONTENT_LENGTH (for a
   * repeated or contradictory one) and HTTP_TRANSPORT. The body fails with HTTP_TRANSPORT.
   */
  async send(request: NodeRequest): Promise<RangeResponse> {
    return followRedirects(request, hop => this.#sendOnce(hop, request))
  }

  /** Closes all connections, unless the caller owns the agent. */
  async close(): Promise<void> {
    this.#closed = true
    if (this.#agent) return
    for (const client of this.#clients.values()) (await client).agent.destroy()
  }

  async #sendOnce(
    { url, headers, addresses }: Hop,
    { method = 'GET', body, signal }: NodeRequest,
  ): Promise<RangeResponse> {
    const shown = printableUrl(url)
    try {
      const { request, agent } = await this.#client(url.protocol)
      // Node then knows connections that the server has closed, and does not use them again.
      for (let turn = 0; turn < TURNS_BEFORE_REUSE; turn++) await nextTurn()
      if (this.#closed && !this.#agent)
        throw new FeedError('HTTP_TRANSPORT', 'the transport was closed', { url: shown })
      // A name that was checked must not be looked up again. The agent of a caller may be a proxy.
      const lookup = addresses && !this.#agent && { lookup: lookupOf(addresses) }
      const sent = request(url, { method, headers: { ...headers }, signal, agent, ...lookup })
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

/** Returns a lookup that gives the addresses of a name that was looked up before. */
function lookupOf(addresses: readonly LookupAddress[]): LookupFunction {
  return (hostname, { all }, done) => {
    const [first] = addresses
    const unknown = Object.assign(new Error(`${hostname} has no address`), { code: 'ENOTFOUND' })
    if (first === undefined) done(unknown, '')
    else if (all) done(null, [...addresses])
    else done(null, first.address, first.family)
  }
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
    // A status 101 and a connection that is closed without a response give no error in Node, only
    // this event.
    sent.once('close', () => reject(noResponse(url)))
    // The listener stays, because a later error without a listener would end the process.
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
    ...bodyOfStream(response, url, readBlocks.get(response.socket)),
  }
}

/**
 * Returns a stream of Node as the body of a response, with both ways of reading it.
 * @param block the memory of the reads of its socket
 */
export function bodyOfStream(
  stream: Readable,
  url: string,
  block?: ReadBlock,
): Required<Pick<RangeResponse, 'body' | 'receive' | 'discard'>> {
  // The error of a discarded stream would end the process without a listener.
  stream.on('error', () => {})
  return {
    body: partsOf(stream, url),
    receive: onPart =>
      receive(stream, url, part => {
        block?.learn(part)
        onPart(part)
      }),
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

/** Returns HTTP_CONTENT_LENGTH where the HTTP client refused that header of a response. */
export function contentLengthRefusal(error: unknown, url: string): FeedError | undefined {
  if (
    FeedError.is(error) ||
    !/content[-_]length/i.test(`${error} ${(error as { code?: unknown } | undefined)?.code}`)
  )
    return undefined
  const message = 'Content-Length is repeated, conflicting or not a number'
  return new FeedError('HTTP_CONTENT_LENGTH', message, { url, received: '' }, { cause: error })
}

/**
 * A read of Node has at most 64 KiB, and each read passes through all layers above the socket. This
 * is the size of the first block. A block that a single read filled is followed by one of twice the
 * size. Sizes from 128 KiB to 1 MiB are equally fast.
 */
const LEAST_BLOCK_BYTES = 64 * 1024
const MOST_BLOCK_BYTES = 256 * 1024

/**
 * Memory for the reads of one socket. Each part of it is used once, because the receiver may keep
 * it. Where a body shows that the HTTP parser copies what it passes on, as that of Node does, the
 * block is filled again as soon as the parser is done with a read.
 */
export class ReadBlock {
  #block = Buffer.allocUnsafeSlow(LEAST_BLOCK_BYTES)
  #at = 0
  #nextBytes = LEAST_BLOCK_BYTES
  readonly #memories = new WeakSet<ArrayBufferLike>([this.#block.buffer])
  #isCopied = false

  /** The target of the next read: at least a quarter of a block. */
  get room(): Uint8Array {
    const { length } = this.#block
    if (this.#at > length * 0.75 || length < this.#nextBytes) this.#renew()
    return this.#block.subarray(this.#at)
  }

  /** Returns the first `byteCount` bytes of `room`. They stay unchanged until `used` is called. */
  take(byteCount: number): Uint8Array {
    const { length } = this.#block
    const part = this.#block.subarray(this.#at, this.#at + byteCount)
    this.#at += byteCount
    if (byteCount === length) this.#nextBytes = Math.min(length * 2, MOST_BLOCK_BYTES)
    return part
  }

  /** Learns from a part of a body whether the parser copies. */
  learn(part: Uint8Array): void {
    this.#isCopied = !this.#memories.has(part.buffer)
  }

  /** The parser is done with all that was read. */
  used(): void {
    if (this.#isCopied) this.#at = 0
  }

  #renew(): void {
    this.#block = Buffer.allocUnsafeSlow(this.#nextBytes)
    this.#memories.add(this.#block.buffer)
    this.#at = 0
  }
}

/** The memory of the sockets with large reads. */
const readBlocks = new WeakMap<Socket, ReadBlock>()

/**
 * Returns the agent, which opens sockets with large reads from now on. @param connect that of
 * node:net
 */
function withLargeReads(agent: Agent, connect: (options: TcpSocketConnectOpts) => Socket): Agent {
  agent.createConnection = options => {
    const block = new ReadBlock()
    const callback = (byteCount: number) => {
      const wantsMore = socket.push(block.take(byteCount))
      if (socket.readableLength === 0) block.used()
      return wantsMore
    }
    const socket = connect({
      ...(options as TcpSocketConnectOpts),
      onread: { buffer: () => block.room as Buffer, callback },
    })
    readBlocks.set(socket, block)
    return socket
  }
  return agent
}
