import { once } from 'node:events'
import { createServer as createHttpServer, type RequestListener, type Server } from 'node:http'
import {
  createServer as createSocketServer,
  type Socket,
  type Server as SocketServer,
} from 'node:net'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { ChunkReassembler } from '../../../src/engine/stages/chunk-reassembler'
import { RangeFetcher } from '../../../src/engine/stages/range/range-fetcher'
import type { RangeFetcherOptions } from '../../../src/engine/stages/range/range-settings'
import type { RangeResponse } from '../../../src/engine/stages/range/range-transport'
import { type HttpTransport, sameOriginUrl } from '../../../src/service/http/http-transport'
import { NodeTransport } from '../../../src/service/http/node-transport'
import { sampleFile } from '../../engine/stages/scripted-transport'

const file = sampleFile(1000)
let transport: HttpTransport & { close(): Promise<void> }
let servers: (Server | SocketServer)[]
let sockets: Set<Socket>

beforeEach(() => {
  servers = []
  sockets = new Set()
})

afterEach(async () => {
  await transport.close()
  for (const socket of sockets) socket.destroy()
  for (const server of servers) await new Promise(resolve => server.close(resolve))
})

async function listening(server: Server | SocketServer): Promise<string> {
  servers.push(server)
  server.on('connection', (socket: Socket) => {
    sockets.add(socket)
    socket.on('close', () => sockets.delete(socket))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return `http://127.0.0.1:${(server.address() as { port: number }).port}`
}

const httpServer = (listener: RequestListener) => listening(createHttpServer(listener))

/** Answers the n-th request with raw bytes, then ends the connection in the way of `ending`. */
function rawServer(
  answer: (
    start: number,
    end: number,
    index: number,
  ) => { head: string[]; body: Uint8Array; ending?: 'end' | 'reset' | 'keep' },
): Promise<string> {
  let index = 0
  return listening(
    createSocketServer(socket => {
      socket.on('error', () => {})
      socket.on('data', data => {
        const [, first, last] = /range: bytes=(\d+)-(\d+)/i.exec(data.toString('latin1')) ?? []
        const {
          head,
          body,
          ending = 'end',
        } = answer(Number(first), Math.min(Number(last) + 1, file.length), index++)
        socket.write(`${[...head, '', ''].join('\r\n')}`)
        socket.write(body, () => {
          if (ending === 'end') socket.end()
          else if (ending === 'reset') setTimeout(() => socket.resetAndDestroy(), 5)
        })
      })
    }),
  )
}

const partial = (start: number, end: number, ...more: string[]) => [
  'HTTP/1.1 206 Partial Content',
  `Content-range: ${start}-${end - 1}/${file.length}`,
  'ETag: "one"',
  ...more,
]
const sized = (start: number, end: number) => partial(start, end, `Content-Length: ${end - start}`)

async function download(
  url: string,
  options: Partial<RangeFetcherOptions> = {},
): Promise<Uint8Array> {
  const fetcher = new RangeFetcher({
    url,
    transport,
    chunkBytes: 300,
    ...options,
    retry: { backoffBaseMs: 1, backoffCapMs: 2, ...options.retry },
  })
  const ordered = new ChunkReassembler()
  fetcher.on('error', error => ordered.destroy(error))
  const parts: Uint8Array[] = []
  for await (const part of fetcher.pipe(ordered)) parts.push(part)
  return Uint8Array.from(Buffer.concat(parts))
}

const send = (url: string, headers = {}, signal = new AbortController().signal) =>
  transport.send({ url, headers, signal })

describe.each([['NodeTransport', () => new NodeTransport()]] as const)('%s', (_, newTransport) => {
  beforeEach(() => {
    transport = newTransport()
  })

  describe('a real server', () => {
    test('serves a download by ranges, raw, with nothing added to the request', async () => {
      const seen: unknown[] = []
      const origin = await httpServer((request, response) => {
        seen.push(request.headers)
        const [, first, last] = /^bytes=(\d+)-(\d+)$/.exec(request.headers.range ?? '') ?? []
        const end = Math.min(Number(last) + 1, file.length)
        // The gzip of the file is declared as a content coding. The bytes must stay unchanged.
        response.writeHead(206, {
          'Content-range': `bytes ${first}-${end - 1}/${file.length}`,
          ETag: '"one"',
          'Content-Encoding': 'gzip',
        })
        response.end(file.subarray(Number(first), end))
      })
      expect(
        await download(`${origin}/file?date=20240101`, { headers: { Authorization: 'Bearer t' } }),
      ).toEqual(file)
      expect(seen.length).toBe(4)
      expect(seen[0]).toEqual({
        host: origin.slice(7),
        connection: 'keep-alive',
        authorization: 'Bearer t',
        range: 'bytes=0-299',
        'accept-encoding': 'identity',
      })
    })

    test('connections are used again', async () => {
      let connections = 0
      const origin = await rawServer((start, end) => ({
        head: sized(start, end),
        body: file.subarray(start, end),
        ending: 'keep',
      }))
      servers[0]?.on('connection', () => connections++)
      expect(await download(origin, { chunkBytes: 50, concurrency: 3 })).toEqual(file)
      // 20 requests.
      expect(connections).toBeLessThan(10)
    })

    test('fault 15: a connection reset or ended before Content-Length is resumed at the exact byte', async () => {
      for (const ending of ['reset', 'end'] as const) {
        const asked: number[] = []
        const origin = await rawServer((start, end, index) => {
          asked.push(start)
          return index === 1
            ? { head: sized(start, end), body: file.subarray(start, start + 123), ending }
            : { head: sized(start, end), body: file.subarray(start, end) }
        })
        expect(await download(origin, { concurrency: 1 })).toEqual(file)
        expect(asked).toEqual([0, 300, 423, 600, 900])
      }
    })

    test('fault 16: a close-delimited body that ends early is resumed', async () => {
      const asked: number[] = []
      const origin = await rawServer((start, end, index) => {
        asked.push(start)
        return {
          head: partial(start, end, 'Connection: close'),
          body: file.subarray(start, index === 1 ? start + 77 : end),
        }
      })
      expect(await download(origin, { concurrency: 1 })).toEqual(file)
      expect(asked).toEqual([0, 300, 377, 600, 900])
    })

    test('fault 17: chunked framing that is cut is resumed', async () => {
      const asked: number[] = []
      const chunk = (bytes: Uint8Array, declared = bytes.length) =>
        Buffer.concat([Buffer.from(`${declared.toString(16)}\r\n`), bytes, Buffer.from('\r\n')])
      const origin = await rawServer((start, end, index) => {
        asked.push(start)
        const whole = [chunk(file.subarray(start, end)), chunk(new Uint8Array())]
        const cut = [
          chunk(file.subarray(start, start + 100)),
          chunk(file.subarray(start + 100, start + 120), 200).subarray(0, -2),
        ]
        return {
          head: partial(start, end, 'Transfer-Encoding: chunked'),
          body: Buffer.concat(index === 1 ? cut : whole),
        }
      })
      expect(await download(origin, { concurrency: 1 })).toEqual(file)
      expect(asked).toEqual([0, 300, 420, 600, 900])
    })

    test('fault 20: a repeated or conflicting Content-Length is refused', async () => {
      for (const lengths of [['300', '300'], ['300', '200'], ['300, 300'], ['3x']]) {
        let requests = 0
        const origin = await rawServer((start, end) => {
          requests++
          return {
            head: partial(start, end, ...lengths.map(length => `Content-Length: ${length}`)),
            body: file.subarray(start, end),
          }
        })
        await expect(download(origin)).rejects.toMatchObject({
          code: 'HTTP_CONTENT_LENGTH',
          retryable: false,
        })
        expect(requests).toBe(1)
      }
    })

    test('fault 31: a stalled connection is aborted after the idle limit and resumed', async () => {
      const origin = await rawServer((start, end, index) => ({
        head: sized(start, end),
        body: file.subarray(start, index === 1 ? start + 10 : end),
        ending: index === 1 ? 'keep' : 'end',
      }))
      expect(await download(origin, { idleMs: 30 })).toEqual(file)
    })

    test('fault 32: destroying the fetcher closes its sockets', async () => {
      const origin = await rawServer((start, end) => ({
        head: sized(start, end),
        body: file.subarray(start, start + 10),
        ending: 'keep',
      }))
      const fetcher = new RangeFetcher({ url: origin, transport, chunkBytes: 300 })
      fetcher.read()
      while (sockets.size < 4) await new Promise(resolve => setTimeout(resolve, 5))
      fetcher.destroy()
      while (sockets.size > 0) await new Promise(resolve => setTimeout(resolve, 5))
    })

    test('fault 36: a server that ignores ranges is read in sequence', async () => {
      const origin = await httpServer((_, response) => void response.end(file))
      expect(await download(origin)).toEqual(file)
    })

    test('bytes after a complete body belong neither to it nor to the next one', async () => {
      const origin = await rawServer((start, end) => ({
        head: sized(start, end),
        body: Buffer.concat([file.subarray(start, end), Buffer.from('HTTP/1.1 206 x\r\n\r\nxxx')]),
        ending: 'keep',
      }))
      expect(await download(origin)).toEqual(file)
    })

    test('a body that was cut before it is read fails, in both ways of reading', async () => {
      const head = ['HTTP/1.1 200 OK', 'Content-Length: 9']
      const origin = await rawServer(() => ({ head, body: file.subarray(0, 5), ending: 'reset' }))
      const iterated = async ({ body }: RangeResponse) => {
        for await (const _ of body);
      }
      for (const read of [iterated, (response: RangeResponse) => response.receive?.(() => {})]) {
        const response = await send(origin)
        while (sockets.size > 0) await new Promise(resolve => setTimeout(resolve, 5))
        await new Promise(resolve => setTimeout(resolve, 5))
        await expect(read(response)).rejects.toMatchObject({ code: 'HTTP_TRANSPORT' })
      }
    })

    test('header names are read in any case, and repeated headers are joined', async () => {
      const head = [
        'HTTP/1.1 200 OK',
        'Content-Length: 0',
        'X-One: a',
        'x-one: b',
        'Content-Range: 0-1/9',
        'content-range: 0-2/9',
      ]
      const origin = await rawServer(() => ({ head, body: new Uint8Array() }))
      const response = await send(origin)
      response.discard()
      expect(['x-one', 'content-range', 'x-two'].map(name => response.header(name))).toEqual([
        'a, b',
        '0-1/9, 0-2/9',
        undefined,
      ])
    })

    test('a refused connection is retried, then typed', async () => {
      const origin = await httpServer(() => {})
      await new Promise(resolve => servers.pop()?.close(resolve))
      const failure = await download(origin, { retry: { patienceMs: 1 } }).catch(error => error)
      expect(failure).toMatchObject({
        code: 'RANGE_RETRIES_EXHAUSTED',
        cause: { code: 'HTTP_TRANSPORT' },
      })
    })
  })

  test('a POST carries its body, and a redirect is its response', async () => {
    const seen: string[] = []
    const origin = await httpServer(async (request, response) => {
      let body = ''
      for await (const part of request.setEncoding('utf8')) body += part
      seen.push(
        `${request.method} ${request.url} ${request.headers['content-type']} ${request.headers['content-length']} ${body}`,
      )
      response.writeHead(307, { location: '/elsewhere' }).end()
    })
    const { signal } = new AbortController()
    const response = await transport.send({
      url: `${origin}/x`,
      method: 'POST',
      headers: { 'Content-Type': 'text/x' },
      body: 'é',
      signal,
    })
    response.discard()
    expect(response.status).toBe(307)
    expect(seen).toEqual(['POST /x text/x 2 é'])
  })

  describe('redirects', () => {
    test('fault 84: are followed within the origin', async () => {
      const seen: unknown[] = []
      const origin = await httpServer((request, response) => {
        seen.push([request.url, request.headers.authorization])
        if (request.url === '/a') response.writeHead(302, { location: '/b' }).end('moved')
        else response.end('here')
      })
      const response = await send(`${origin}/a`, { Authorization: 'Bearer t' })
      expect(response.status).toBe(200)
      response.discard()
      expect(seen).toEqual([
        ['/a', 'Bearer t'],
        ['/b', 'Bearer t'],
      ])
    })

    test('fault 84: to another origin, port, scheme or user are refused with nothing sent there, and a loop ends', async () => {
      let received = 0
      const other = await httpServer((_, response) => {
        received++
        response.end()
      })
      let location = ''
      let hops = 0
      const origin = await httpServer((_, response) => {
        hops++
        response.writeHead(302, { location }).end()
      })
      for (location of [
        other,
        origin.replace('127.0.0.1', 'localhost'),
        origin.replace('http:', 'https:'),
        origin.replace('//', '//user:pw@'),
      ])
        await expect(send(origin)).rejects.toMatchObject({
          code: 'HTTP_ORIGIN_REFUSED',
          context: { to: expect.not.stringContaining('pw') },
        })
      expect([received, hops]).toEqual([0, 4])
      location = '/again'
      await expect(send(origin)).rejects.toMatchObject({ code: 'HTTP_REDIRECT_LOOP' })
      expect(hops).toBe(10)
    })
  })

  test('fault 86: CR or LF in a header is refused before anything is sent', async () => {
    let connections = 0
    const origin = await rawServer(() => ({ head: sized(0, 1), body: file }))
    servers[0]?.on('connection', () => connections++)
    await expect(send(origin, { Authorization: 'a\r\nX-Evil: b' })).rejects.toMatchObject({
      code: 'HTTP_HEADER_INVALID',
    })
    expect(connections).toBe(0)
  })

  test('abort ends the wait for a response', async () => {
    const origin = await httpServer(() => {})
    const abort = new AbortController()
    const sending = send(origin, {}, abort.signal)
    setTimeout(() => abort.abort(), 5)
    await expect(sending).rejects.toMatchObject({ code: 'HTTP_TRANSPORT' })
  })

  test('a transport that is closed before or during its first request sends nothing', async () => {
    let received = 0
    const origin = await httpServer((_, response) => {
      received++
      response.end()
    })
    const early = send(origin)
    await transport.close()
    await expect(early).rejects.toMatchObject({ code: 'HTTP_TRANSPORT' })
    await expect(send(origin)).rejects.toMatchObject({ code: 'HTTP_TRANSPORT' })
    await transport.close()
    const unused = newTransport()
    await unused.close()
    const asked = { url: origin, headers: {}, signal: new AbortController().signal }
    await expect(unused.send(asked)).rejects.toMatchObject({ code: 'HTTP_TRANSPORT' })
    expect(received).toBe(0)
  })
})

describe('links of lists', () => {
  const from = 'https://feed.test/buy/feed/v1/file?limit=20'

  describe('fault 84: links', () => {
    test.each([
      'https://evil.test/file',
      'https://feed.test:8443/file',
      'http://feed.test/file',
      'https://user@feed.test/file',
      'https://user:pw@feed.test/file',
      'https://feed.test@evil.test/',
      '//evil.test/file',
      '\\\\evil.test\\file',
      'https://feed.test.evil.test/',
      'javascript:alert(1)',
      'data:text/plain,x',
      'blob:https://feed.test/file',
      'http://',
    ])('fault 84: %s is refused', link => {
      expect(() => sameOriginUrl(from, link)).toThrow(
        expect.objectContaining({ code: 'HTTP_ORIGIN_REFUSED' }),
      )
    })

    test('fault 84: the refusal shows no user info', () => {
      expect(() =>
        sameOriginUrl('https://me:mine@feed.test/', 'https://user:pw@evil.test/file'),
      ).toThrow(
        expect.objectContaining({
          context: { from: 'https://feed.test/', to: 'https://evil.test/file' },
        }),
      )
    })

    test('relative and absolute links within the origin are followed', () => {
      expect(sameOriginUrl(from, 'https://FEED.test:443/other?a=1').href).toBe(
        'https://feed.test/other?a=1',
      )
      expect(sameOriginUrl(from, '/file?continuation_token=x').href).toBe(
        'https://feed.test/file?continuation_token=x',
      )
      expect(sameOriginUrl(from, '?limit=30').href).toBe(
        'https://feed.test/buy/feed/v1/file?limit=30',
      )
    })
  })
})
