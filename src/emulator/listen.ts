// The emulator on a socket. The only file that knows @hono/node-server, which is loaded when somebody listens: in process it is not needed.

import type { Server, ServerResponse } from 'node:http'
import { FeedError } from '../errors'
import type { Answer, Connection } from './faults/fault-injector'

export interface ListenOptions {
  /** Default 0: any free port. */
  readonly port?: number
  /** Default 127.0.0.1. */
  readonly host?: string
}

export interface ListeningServer {
  /** `http://host:port`, without a slash at its end. */
  readonly url: string
  /** Stops listening and destroys every connection, those in the middle of an answer too. */
  close(): Promise<void>
}

/** @throws FeedError HTTP_TRANSPORT when the port cannot be had, DEPENDENCY_MISSING without @hono/node-server */
export async function listen(answer: Answer, options: ListenOptions = {}): Promise<ListeningServer> {
  const { port = 0, host = '127.0.0.1' } = options
  const { createAdaptorServer } = await nodeServer()
  // Without the second option the adapter replaces the global Request and Response of the whole process.
  const server = createAdaptorServer({
    fetch: (request, { outgoing }) => answer(request, connectionOf(outgoing as ServerResponse)),
    overrideGlobalObjects: false,
  }) as Server
  await new Promise<void>((resolve, reject) => {
    server.once('error', cause =>
      reject(new FeedError('HTTP_TRANSPORT', `cannot listen on ${host}:${port}`, { url: origin(host, port) }, { cause })),
    )
    server.listen(port, host, resolve)
  })
  const address = server.address()
  const bound = typeof address === 'object' && address !== null ? address.port : port
  let closing: Promise<void> | undefined
  return { url: origin(host, bound), close: () => (closing ??= closeServer(server)) }
}

async function nodeServer() {
  try {
    return await import('@hono/node-server')
  } catch (cause) {
    const context = { package: '@hono/node-server', neededFor: 'the emulator on a socket' }
    throw new FeedError('DEPENDENCY_MISSING', `${context.neededFor} needs the package ${context.package}`, context, { cause })
  }
}

function connectionOf(outgoing: ServerResponse): Connection {
  return {
    reset() {
      // What is still being written to the response has nowhere to go, and nobody to tell.
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

function origin(host: string, port: number): string {
  return `http://${host.includes(':') ? `[${host}]` : host}:${port}`
}
