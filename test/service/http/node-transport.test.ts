import { once } from 'node:events'
import { Agent, createServer } from 'node:http'
import { createServer as createSocketServer } from 'node:net'
import { Readable } from 'node:stream'
import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { FeedError } from '../../../src/engine/errors'
import {
  bodyOfStream,
  contentLengthRefusal,
  NodeTransport,
  ReadBlock,
} from '../../../src/service/http/node-transport'

// http-transport.test.ts tests what both transports have in common.

test('fault 102: an unknown option is refused at the call', () => {
  expect(() => new NodeTransport({ agents: new Agent() } as never)).toThrow(
    expect.objectContaining({
      code: 'OPTION_INVALID',
      message: 'agents is not an option: did you mean agent?',
    }),
  )
})

test('the agent of the caller is used and not destroyed', async () => {
  const server = createServer((_, response) => response.end('here'))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  let connections = 0
  server.on('connection', () => connections++)
  const agent = new Agent({ keepAlive: true })
  const transport = new NodeTransport({ agent })
  const { port } = server.address() as { port: number }
  const asked = {
    url: `http://127.0.0.1:${port}`,
    headers: {},
    signal: new AbortController().signal,
  }
  await transport.close()
  for (let n = 0; n < 2; n++) {
    const response = await transport.send(asked)
    const parts: Uint8Array[] = []
    for await (const part of response.body) parts.push(part)
    expect(Buffer.concat(parts).toString()).toBe('here')
  }
  expect(connections).toBe(1)
  agent.destroy()
  await new Promise(resolve => server.close(resolve))
})

test('https addresses are requested by https', async () => {
  const server = createServer((_, response) => response.end('here'))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const transport = new NodeTransport()
  const { port } = server.address() as { port: number }
  const asked = {
    url: `https://127.0.0.1:${port}`,
    headers: {},
    signal: new AbortController().signal,
  }
  await expect(transport.send(asked)).rejects.toMatchObject({
    code: 'HTTP_TRANSPORT',
    cause: { code: expect.stringMatching(/SSL|EPROTO|RESET/) },
  })
  await transport.close()
  server.closeAllConnections()
  server.close()
})

test.each([
  ['101', 'HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: Upgrade\r\n\r\n'],
  ['101 without an upgrade', 'HTTP/1.1 101 Switching Protocols\r\n\r\n'],
  ['103 and the end', 'HTTP/1.1 103 Early Hints\r\n\r\n'],
  ['nothing and the end', ''],
])('fault 96: %s is no response, and is a failed connection at once', async (_, answer) => {
  const server = createSocketServer(socket => {
    socket.on('error', () => {})
    socket.once('data', () => socket.end(answer))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const transport = new NodeTransport()
  const { port } = server.address() as { port: number }
  // The request has no time limit, so the test ends only if the transport ends the request.
  const sending = transport.send({
    url: `http://127.0.0.1:${port}/f`,
    headers: {},
    signal: new AbortController().signal,
  })
  await expect(sending).rejects.toMatchObject({
    code: 'HTTP_TRANSPORT',
    retryable: true,
    context: { url: `http://127.0.0.1:${port}/f` },
  })
  await transport.close()
  server.close()
})

const url = 'http://feed.test/file'
const bytes = (text: string) => new TextEncoder().encode(text)
const streamOf = (...steps: (string | Error)[]) =>
  Readable.from(
    (function* () {
      for (const step of steps) {
        if (step instanceof Error) throw step
        yield Buffer.from(step)
      }
    })(),
  )

const ways: readonly [string, (stream: Readable) => Promise<Uint8Array>][] = [
  [
    'iterated',
    async stream => {
      const parts: Uint8Array[] = []
      for await (const part of bodyOfStream(stream, url).body) parts.push(part)
      return Buffer.concat(parts)
    },
  ],
  [
    'received',
    async stream => {
      const parts: Uint8Array[] = []
      await bodyOfStream(stream, url).receive(part => void parts.push(part))
      return Buffer.concat(parts)
    },
  ],
]

test.each(ways)('a body, %s, gives all parts or a typed failure', async (_, read) => {
  expect(Uint8Array.from(await read(streamOf('ab', 'c')))).toEqual(bytes('abc'))
  expect((await read(streamOf())).length).toBe(0)
  await expect(read(streamOf('ab', new Error('reset')))).rejects.toMatchObject({
    code: 'HTTP_TRANSPORT',
    context: { url },
  })
})

test.each(ways)(
  'a body, %s: a stream that is destroyed before the read, or discarded during it, does not hang',
  async (_, read) => {
    const before = streamOf('ab')
    before.on('error', () => {}).destroy(new Error('reset'))
    await new Promise(resolve => setImmediate(resolve))
    await expect(read(before)).rejects.toMatchObject({ code: 'HTTP_TRANSPORT' })
    const stalled = new Readable({ read() {} })
    const reading = expect(read(stalled)).rejects.toMatchObject({ code: 'HTTP_TRANSPORT' })
    setImmediate(() => stalled.destroy())
    await reading
  },
)

test('fault 20: an error of the HTTP parser about Content-Length is recognised by its message or code', () => {
  const errors = [
    new Error('Content-Length mismatch'),
    Object.assign(new Error('Parse Error'), { code: 'HPE_UNEXPECTED_CONTENT_LENGTH' }),
    Object.assign(new Error('Parse Error'), { code: 'HPE_INVALID_CONTENT_LENGTH' }),
  ]
  for (const cause of errors)
    expect(contentLengthRefusal(cause, url)).toMatchObject({
      code: 'HTTP_CONTENT_LENGTH',
      context: { url },
      cause,
    })
})

test('other errors of the HTTP parser are not recognised as Content-Length', () => {
  for (const error of [
    new Error('reset'),
    undefined,
    'x',
    new FeedError('HTTP_TRANSPORT', 'no content-length', { url }),
  ])
    expect(contentLengthRefusal(error, url)).toBeUndefined()
})

describe('large reads', () => {
  const KIB = 1024

  test('a read that fills its block is followed by a larger block, up to a limit', () => {
    const sizesAfter = (share: number) => {
      const block = new ReadBlock()
      return [0, 1, 2, 3, 4].map(() => {
        const { length } = block.room
        block.take(length * share)
        return length / KIB
      })
    }
    expect(sizesAfter(1)).toEqual([64, 128, 256, 256, 256])
    expect(sizesAfter(0.9)).toEqual([64, 64, 64, 64, 64])
  })

  test('memory is filled again only where the parser has copied a body and is done with the read', () => {
    const block = new ReadBlock()
    const first = block.room.buffer
    const inside = block.take(10)
    block.used()
    block.learn(inside)
    block.used()
    expect(block.room.byteOffset).toBe(10)
    block.learn(Uint8Array.from(inside))
    expect(block.room.byteOffset).toBe(10)
    block.used()
    expect(block.room.byteOffset).toBe(0)
    for (let read = 0; read < 20; read++) {
      block.take(60 * KIB)
      block.used()
      expect(block.room.buffer).toBe(first)
    }
    block.take(64 * KIB)
    block.used()
    expect(block.room.length).toBe(128 * KIB)
  })

  test('parts of bodies that a receiver keeps stay right, over connections that are used again', async () => {
    const file = Buffer.from(Uint32Array.from({ length: 2 ** 20 }, (_, n) => n * 2654435761).buffer)
    const server = createServer((_, response) => response.end(file))
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    const { port } = server.address() as { port: number }
    const transport = new NodeTransport()
    for (let request = 0; request < 3; request++) {
      const { signal } = new AbortController()
      const response = await transport.send({
        url: `http://127.0.0.1:${port}/`,
        headers: {},
        signal,
      })
      const parts: Uint8Array[] = []
      await response.receive!(part => void parts.push(part))
      expect(Buffer.concat(parts).equals(file)).toBe(true)
    }
    await transport.close()
    await new Promise(resolve => server.close(resolve))
  })

  test('no byte of memory is given twice, and each read has room', () => {
    fc.assert(
      fc.property(
        fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { maxLength: 60 }),
        shares => {
          const block = new ReadBlock()
          const parts = shares.map((share, index) => {
            expect(block.room.length).toBeGreaterThanOrEqual(16 * KIB)
            const bytes = Math.max(1, Math.floor(share * block.room.length))
            block.room.fill(index + 1, 0, bytes)
            return block.take(bytes)
          })
          for (const [index, part] of parts.entries())
            expect(part.every(byte => byte === index + 1)).toBe(true)
        },
      ),
      { numRuns: 30 },
    )
  })
})
