// The emulator on a socket. Only this file uses @hono/node-server, which is loaded with the first
// `listen`. Node itself refuses requests that are not valid HTTP, and its answers have no body.

import { once } from 'node:events'
import { createServer, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { FeedError, is, missingPackage, type OptionTable, readOptions } from '../../engine/index'
import type { Answer, Connection } from '../faults/fault-injector'
import { EMULATOR_PACKAGES } from './app'
import { chunksOf, streamOf } from './body-stream'
import type { ErrorFamily } from './error-family'

export interface ListenOptions {
  /** The port, 0 to 65535. Default 0, which takes any free port. */
  readonly port?: number
  /** The host. Default 127.0.0.1. */
  readonly host?: string
}

const LISTEN = {
  port: [is.wholeNumber(0, 65_535), 0],
  host: [is.filledText, '127.0.0.1'],
} satisfies OptionTable<ListenOptions>

export interface ListeningServer {
  /** `http://host:port`, without a slash at its end. */
  readonly url: string
  /** Stops listening and destroys every connection, also those in the middle of an answer. */
  close(): Promise<void>
}

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
  const { port, host } = readOptions(options, LISTEN)
  const { getRequestListener, RequestError } = await nodeServer()
  const server = createServer()
  const url = await bound(server, port, host)
  const listener = getRequestListener(
    async (request, env) => {
      const connection = connectionOf(env.outgoing as ServerResponse)
      return withQuietBody(await answer(request, connection), connection)
    },
    {
      // By default the adapter replaces the global Request and Response of the whole process.
      overrideGlobalObjects: false,
      // A request of HTTP/1.0 needs no Host header.
      hostname: new URL(url).host,
      errorHandler: error =>
        error instanceof RequestError
          ? plain.codeless(400, 'The request is not valid HTTP.')
          : plain.codeless(500, 'There was a problem with an internal system.'),
    },
  )
  server.on('request', (incoming, outgoing) => void listener(incoming, outgoing))
  let closing: Promise<void> | undefined
  return { url, close: () => (closing ??= closeServer(server)) }
}

async function nodeServer() {
  try {
    return await import('@hono/node-server')
  } catch (cause) {
    throw missingPackage('the emulator', '@hono/node-server', EMULATOR_PACKAGES, cause)
  }
}

/** Listens and returns the address. */
async function bound(server: Server, port: number, host: string): Promise<string> {
  server.listen(port, host)
  try {
    await once(server, 'listening')
  } catch (cause) {
    throw listenFailed(host, port, cause as NodeJS.ErrnoException)
  }
  const { port: boundPort } = server.address() as AddressInfo
  return `http://${host.includes(':') ? `[${host}]` : host}:${boundPort}`
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
