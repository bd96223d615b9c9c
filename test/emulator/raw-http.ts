// Sends requests to a socket as bytes, and reads the answers without an HTTP client, because a
// library would correct the requests.

import { connect, type Socket } from 'node:net'

export interface RawAnswer {
  /** The number of earlier answers with status 100. */
  readonly continues: number
  readonly status: number
  /** The headers by lower-case name; the last one of a name counts. */
  readonly headers: Readonly<Record<string, string>>
  readonly body: Buffer
}

/**
 * A piece of a request, or what happens between two: `end` closes the client's half of the
 * connection.
 */
export type RawStep = string | Buffer | (() => Promise<unknown>) | 'end'

/**
 * Sends the pieces and gives the answers until the server closes the connection. `heads`: answers
 * to HEAD, which have no body.
 */
export async function rawAnswers(
  url: string,
  steps: readonly RawStep[],
  heads = false,
): Promise<RawAnswer[]> {
  const { hostname, port } = new URL(url)
  const socket = connect({ host: hostname, port: Number(port), allowHalfOpen: true })
  const received: Buffer[] = []
  const closed = new Promise<void>((resolve, reject) => {
    socket.on('data', bytes => received.push(bytes))
    socket.once('end', resolve)
    // What was received before a reset is the answer.
    socket.once('error', error => (received.length > 0 ? resolve() : reject(error)))
  })
  try {
    await Promise.all([closed, send(socket, steps)])
  } finally {
    socket.destroy()
  }
  return readAnswers(Buffer.concat(received), heads)
}

async function send(socket: Socket, steps: readonly RawStep[]): Promise<void> {
  for (const step of steps) {
    if (step === 'end') socket.end()
    else if (typeof step === 'function') await step()
    else
      await new Promise<void>(resolve =>
        socket.write(typeof step === 'string' ? Buffer.from(step, 'latin1') : step, () =>
          resolve(),
        ),
      )
  }
}

function readAnswers(bytes: Buffer, heads: boolean): RawAnswer[] {
  const answers: RawAnswer[] = []
  let continues = 0
  for (let rest = bytes; rest.length > 0; ) {
    const end = rest.indexOf('\r\n\r\n')
    if (end < 0) throw new Error(`not an answer: ${rest.toString('latin1').slice(0, 200)}`)
    const [first = '', ...lines] = rest.subarray(0, end).toString('latin1').split('\r\n')
    const headers = Object.fromEntries(
      lines.map(line => [
        line.slice(0, line.indexOf(':')).toLowerCase(),
        line.slice(line.indexOf(':') + 1).trim(),
      ]),
    )
    const status = Number(/^HTTP\/1\.1 (\d{3})/.exec(first)?.[1])
    rest = rest.subarray(end + 4)
    if (status === 100) {
      continues++
      continue
    }
    const { body, length } = readBody(rest, headers, heads || status === 204)
    answers.push({ continues, status, headers, body })
    rest = rest.subarray(length)
    continues = 0
  }
  return answers
}

function readBody(
  bytes: Buffer,
  headers: Readonly<Record<string, string>>,
  isEmpty: boolean,
): { body: Buffer; length: number } {
  if (isEmpty) return { body: Buffer.alloc(0), length: 0 }
  if (headers['transfer-encoding'] === 'chunked') return readChunks(bytes)
  const length =
    headers['content-length'] === undefined ? bytes.length : Number(headers['content-length'])
  return { body: bytes.subarray(0, length), length }
}

function readChunks(bytes: Buffer): { body: Buffer; length: number } {
  const pieces: Buffer[] = []
  for (let at = 0; ; ) {
    const line = bytes.indexOf('\r\n', at)
    const size = Number.parseInt(bytes.subarray(at, line).toString('latin1'), 16)
    const start = line + 2
    if (size === 0) return { body: Buffer.concat(pieces), length: start + 2 }
    pieces.push(bytes.subarray(start, start + size))
    at = start + size + 2
  }
}

/** A body in chunks of the given number of bytes. */
export function chunked(
  body: string,
  chunkBytes: number,
  { extension = '', trailers = '' } = {},
): string {
  let text = ''
  for (let at = 0; at < body.length; at += chunkBytes) {
    const chunk = body.slice(at, at + chunkBytes)
    text += `${chunk.length.toString(16)}${extension}\r\n${chunk}\r\n`
  }
  return `${text}0\r\n${trailers}\r\n`
}
