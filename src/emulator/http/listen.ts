// The emulator on a socket. Only this file uses @hono/node-server, which is loaded with the first
// `listen`. A request that HTTP itself refuses also gets an Error object.

import {
  createServer,
  type IncomingMessage,
  type Server,
  type ServerResponse,
  STATUS_CODES,
} from 'node:http'
import type { Duplex } from 'node:stream'
import {
  FeedError,
  filledText,
  knownOptions,
  type OptionNames,
  wholeNumber,
} from '../../engine/index'
import type { Answer, Connection } from '../faults/fault-injector'
import { missingPackage } from './app'
import { chunksOf, streamOf } from './body-stream'
import type { ErrorFamily } from './error-family'

export interface ListenOptions {
  /** The port, 0 to 65535. Default 0, which takes any free port. */
  readonly port?: number
  /** The host. Default 127.0.0.1. */
  readonly host?: string
}

const LISTEN_OPTIONS: OptionNames<ListenOptions> = { port: true, host: true }

export interface ListeningServer {
  /** `http://host:port`, without a slash at its end. */
  readonly url: string
  /** Stops listening and destroys every connection, also those in the middle of an answer. */
  close(): Promise<void>
}

/** The errors for requests that reach no operation. */
type Refuse = (status: number, message: string) => Response

/**
 * Serves `answer` on a socket. `plain` has the errors for invalid requests.
 * @throws FeedError OPTION_INVALID, LISTEN_FAILED when the port is not available,
 * DEPENDENCY_MISSING without @hono/node-server
 */
export async function listen(
  answer: Answer,
  plain: ErrorFamily<never>,
  options: ListenOptions = {},
): Promise<ListeningServer> {
  const { port = 0, host = '127.0.0.1' } = knownOptions(options, LISTEN_OPTIONS)
  wholeNumber('port', port, 0, 65_535)
  filledText('host', host)
  const { getRequestListener, RequestError } = await nodeServer()
  const refuse: Refuse = (status, message) => plain.codeless(status, message)
  const server = createServer({ requireHostHeader: false })
  const url = await bound(server, port, host)
  const listener = getRequestListener(
    async (request, env) => {
      const [incoming, outgoing] = [env.incoming as IncomingMessage, env.outgoing as ServerResponse]
      if (isHostMissing(incoming)) return refuse(400, 'The Host header is missing.')
      const connection = connectionOf(outgoing)
      return withQuietBody(await answer(request, connection), connection)
    },
    {
      // By default the adapter replaces the global Request and Response of the whole process.
      overrideGlobalObjects: false,
      // A request of HTTP/1.0 needs no Host header.
      hostname: new URL(url).host,
      errorHandler: error =>
        error instanceof RequestError
          ? refuse(400, 'The request is not valid HTTP.')
          : refuse(500, 'There was a problem with an internal system.'),
    },
  )
  refuseBrokenRequests(server, refuse)
  server.on('request', (incoming, outgoing) => void listener(incoming, outgoing))
  let closing: Promise<void> | undefined
  return { url, close: () => (closing ??= closeServer(server)) }
}

async function nodeServer() {
  try {
    return await import('@hono/node-server')
  } catch (cause) {
    throw missingPackage('@hono/node-server', cause)
  }
}

/** Listens and returns the address. */
function bound(server: Server, port: number, host: string): Promise<string> {
  return new Promise((resolve, reject) => {
    server.once('error', cause => reject(listenFailed(host, port, cause)))
    server.listen(port, host, () => {
      const address = server.address()
      const boundPort = typeof address === 'object' && address !== null ? address.port : port
      resolve(`http://${host.includes(':') ? `[${host}]` : host}:${boundPort}`)
    })
  })
}

function listenFailed(
  host: string,
  port: number,
  cause: NodeJS.ErrnoException,
): FeedError<'LISTEN_FAILED'> {
  const reason = cause.code ?? cause.message
  const advice =
    reason === 'EADDRINUSE'
      ? 'another program listens there. Choose another port, or 0 for any free one'
      : cause.message
  return new FeedError(
    'LISTEN_FAILED',
    `cannot listen on ${host}, port ${port}: ${reason}: ${advice}`,
    { host, port, reason },
    { cause },
  )
}

/** The rules of RFC 9112, section 3.2. */
function isHostMissing({ httpVersion, headers }: IncomingMessage): boolean {
  return httpVersion === '1.1' && headers.host === undefined
}

/**
 * Answers what Node refuses before the adapter sees a request: broken syntax, oversized headers, a
 * tunnel, an expectation.
 */
function refuseBrokenRequests(server: Server, refuse: Refuse): void {
  const answering = new WeakMap<Duplex, ServerResponse>()
  server.on('request', (incoming: IncomingMessage, outgoing: ServerResponse) =>
    answering.set(incoming.socket, outgoing),
  )
  server.on('clientError', (error: NodeJS.ErrnoException, socket: Duplex) => {
    const outgoing = answering.get(socket)
    // The client would take a second answer for the rest of the one that has begun.
    if (!socket.writable || (outgoing?.headersSent && !outgoing.writableFinished))
      return void socket.destroy()
    const [status, message] = BROKEN_REQUESTS[error.code ?? ''] ?? [
      400,
      'The request is not valid HTTP.',
    ]
    void endBy(socket, refuse(status, message))
  })
  server.on(
    'connect',
    (_, socket: Duplex) => void endBy(socket, refuse(404, 'The service has no such operation.')),
  )
  server.on(
    'checkExpectation',
    (_, outgoing: ServerResponse) => void refuseExpectation(outgoing, refuse),
  )
}

const BROKEN_REQUESTS: Readonly<Record<string, readonly [status: number, message: string]>> = {
  HPE_HEADER_OVERFLOW: [431, 'The headers are too long.'],
  HPE_CHUNK_EXTENSIONS_OVERFLOW: [413, 'The extensions of a chunk are too long.'],
  ERR_HTTP_REQUEST_TIMEOUT: [408, 'The request did not arrive in time.'],
}

/** Writes a whole answer and ends the connection. */
async function endBy(socket: Duplex, response: Response): Promise<void> {
  const body = await response.text()
  const head = [
    `HTTP/1.1 ${response.status} ${STATUS_CODES[response.status]}`,
    `Content-Type: ${response.headers.get('content-type')}`,
    `Content-Length: ${Buffer.byteLength(body)}`,
    'Connection: close',
  ]
  socket.on('error', () => {}) // The client may have disconnected, so the failure is ignored.
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`)
}

async function refuseExpectation(outgoing: ServerResponse, refuse: Refuse): Promise<void> {
  const response = refuse(417, 'The service knows no expectation but 100-continue.')
  outgoing
    .writeHead(response.status, Object.fromEntries(response.headers))
    .end(await response.text())
}

/**
 * Resets the connection when a file fails in the middle. The adapter would also print the failure.
 * A body without a stated length is not a file: it is in memory and cannot fail.
 */
function withQuietBody(response: Response, connection: Connection): Response {
  if (response.body === null || !response.headers.has('content-length')) return response
  const source = chunksOf(response.body)
  const chunks = (async function* () {
    try {
      yield* source
    } catch {
      connection.reset()
    }
  })()
  return new Response(streamOf(chunks), { status: response.status, headers: response.headers })
}

function connectionOf(outgoing: ServerResponse): Connection {
  return {
    reset() {
      // The connection is gone, so failures of pending writes are ignored.
      outgoing.on('error', () => {})
      outgoing.socket?.resetAndDestroy()
    },
  }
}

function closeServer(server: Server): Promise<void> {
  return new Promise(resolve => {
    server.close(() => resolve())
    server.closeAllConnections()
  })
}
