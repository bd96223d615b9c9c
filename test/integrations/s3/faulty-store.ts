// A proxy before a store of buckets that does to single requests what no store does when it is asked
// to: it refuses them, loses their answers, cuts these, or says other things than the store has done.

import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders, type IncomingMessage, request } from 'node:http'
import type { AddressInfo } from 'node:net'

/** A request on its way to the store. */
export interface Passing {
  /** How many requests came before it. */
  readonly n: number
  readonly operation: string
  readonly headers: IncomingHttpHeaders
}

export interface Answer {
  readonly status: number
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
}

/**
 * What happens to a request: nothing; an answer in place of the store's, which the request reaches or
 * not; the end of its connection before the store has it, or behind that; the first bytes of the
 * answer alone; or the answer byte by byte.
 */
export type Fault =
  | undefined
  | (Answer & { readonly isDone?: boolean })
  | 'lost'
  | 'done'
  | 'cut'
  | 'slow'

export interface FaultyStore {
  readonly endpoint: string
  /** The requests so far. */
  readonly seen: readonly Passing[]
  /** Decides about each request. Default: nothing happens to any. */
  onRequest: (passing: Passing) => Fault | Promise<Fault>
  /** Forgets what was seen, and every fault. */
  reset(): void
  close(): Promise<void>
}

export function refusal(status: number, code: string, more = ''): Answer {
  const body = `<?xml version="1.0" encoding="UTF-8"?><Error><Code>${code}</Code>${more}</Error>`
  return { status, headers: { 'Content-Type': 'application/xml' }, body }
}

export async function faultyStore(storeUrl: string): Promise<FaultyStore> {
  const { hostname, port } = new URL(storeUrl)
  let seen: Passing[] = []
  const none = () => undefined
  const server = createServer(async (asked, answer) => {
    const passing = { n: seen.length, operation: operationOf(asked), headers: asked.headers }
    seen.push(passing)
    const parts: Buffer[] = []
    asked.on('error', () => {})
    answer.on('error', () => {})
    try {
      for await (const part of asked) parts.push(part)
    } catch {
      // The client has gone.
      return
    }
    const fault = await store.onRequest(passing)
    if (fault === 'lost') return void asked.socket.destroy()
    const isDone = typeof fault !== 'object' || fault.isDone === true
    const real = isDone ? await passed(asked, Buffer.concat(parts)) : undefined
    if (fault === 'done') return void asked.socket.destroy()
    if (typeof fault === 'object') {
      const { status, headers = {}, body = '' } = fault
      return void answer.writeHead(status, headers).end(body)
    }
    const { status, headers, body } = real!
    answer.writeHead(status, headers)
    if (fault === 'cut') {
      answer.write(body.subarray(0, Math.ceil(body.length / 2)), () => asked.socket.destroy())
    } else if (fault === 'slow') {
      for (const byte of body) {
        answer.write(Buffer.of(byte))
        await new Promise(setImmediate)
      }
      answer.end()
    } else answer.end(body)
  })

  function passed(asked: IncomingMessage, body: Buffer) {
    return new Promise<{ status: number; headers: IncomingHttpHeaders; body: Buffer }>(
      (resolve, reject) => {
        const { method, url, headers } = asked
        // The name of the host is signed. A connection that is used again waits for late acknowledgements.
        const to = { hostname, port, method, path: url, headers, agent: false } as const
        const sent = request(to, async response => {
          const parts: Buffer[] = []
          for await (const part of response) parts.push(part)
          const { 'transfer-encoding': _, ...kept } = response.headers
          resolve({ status: response.statusCode!, headers: kept, body: Buffer.concat(parts) })
        })
        sent.on('error', reject)
        sent.end(body)
      },
    )
  }

  const store: FaultyStore = {
    get endpoint() {
      return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    },
    get seen() {
      return seen
    },
    onRequest: none,
    reset: () => {
      seen = []
      store.onRequest = none
    },
    close: async () => {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return store
}

/** Returns the name of the operation, which the method and the parameters say. */
function operationOf({ method, url = '' }: IncomingMessage): string {
  const { searchParams } = new URL(url, 'http://store')
  const has = (name: string) => searchParams.has(name)
  if (method === 'POST') return has('uploads') ? 'Create' : 'Complete'
  if (method === 'PUT') return has('partNumber') ? 'Part' : 'Put'
  if (method === 'DELETE') return has('uploadId') ? 'Abort' : 'Delete'
  if (method === 'HEAD') return 'Head'
  return has('uploads') ? 'Uploads' : has('list-type') ? 'List' : 'Get'
}
