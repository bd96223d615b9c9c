import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Hono } from 'hono'
import { describe, expect, test } from 'vitest'
import { ChunkReassembler } from '../../../src/engine/stages/chunk-reassembler'
import { RangeFetcher } from '../../../src/engine/stages/range/range-fetcher'
import { type FetchLike, fetchTransport } from '../../../src/service/http/fetch-transport'
import { sampleFile } from '../../engine/stages/scripted-transport'

const file = sampleFile(5000)
const url = 'http://feed.test/file'
const send = (fetchLike: FetchLike, headers = {}, signal = new AbortController().signal) =>
  fetchTransport(fetchLike).send({ url, headers, signal })

function feedServer(): Hono {
  const app = new Hono()
  app.get('/file', context => {
    const [, first, last] = /^bytes=(\d+)-(\d+)$/.exec(context.req.header('range') ?? '') ?? []
    const end = Math.min(Number(last) + 1, file.length)
    return context.body(file.slice(Number(first), end), 206, {
      'Content-range': `${first}-${end - 1}/${file.length}`,
      ETag: '"one"',
    })
  })
  app.get('/moved', context => context.redirect('/file', 307))
  app.get('/away', context => context.redirect('http://evil.test/file'))
  return app
}

async function download(path: string): Promise<Uint8Array> {
  const fetcher = new RangeFetcher({
    url: `http://feed.test${path}`,
    transport: fetchTransport(feedServer().fetch),
    chunkBytes: 700,
    redirectOrigins: [],
  })
  const ordered = new ChunkReassembler()
  fetcher.on('error', error => ordered.destroy(error))
  const parts: Uint8Array[] = []
  for await (const part of fetcher.pipe(ordered)) parts.push(part)
  return Uint8Array.from(Buffer.concat(parts))
}

describe('a server in the same process', () => {
  test('serves a download', async () => {
    expect(await download('/file')).toEqual(file)
  })

  test('fault 84: follows redirects within the origin, and other redirects are refused', async () => {
    expect(await download('/moved')).toEqual(file)
    await expect(download('/away')).rejects.toMatchObject({
      code: 'HTTP_ORIGIN_REFUSED',
      context: { to: 'http://evil.test/file' },
    })
  })
})

test('the request carries its headers and signal, and does not follow redirects', async () => {
  const abort = new AbortController()
  const seen: Request[] = []
  const response = await send(
    async request => {
      seen.push(request)
      return new Response('abc', {
        headers: [
          ['x-a', '1'],
          ['x-a', '2'],
        ],
      })
    },
    { Range: 'bytes=0-2', 'Accept-Encoding': 'identity', Authorization: 'Bearer t' },
    abort.signal,
  )
  const [request] = seen as [Request]
  expect(Object.fromEntries(request.headers)).toEqual({
    range: 'bytes=0-2',
    'accept-encoding': 'identity',
    authorization: 'Bearer t',
  })
  expect(request.redirect).toBe('manual')
  expect([response.status, response.header('x-a'), response.header('x-b')]).toEqual([
    200,
    '1, 2',
    undefined,
  ])
  abort.abort()
  expect(request.signal.aborted).toBe(true)
})

test('a POST carries its body, and a redirect is its response', async () => {
  const seen: string[] = []
  const transport = fetchTransport(async request => {
    seen.push(
      `${request.method} ${request.url} ${request.headers.get('content-type')} ${await request.text()}`,
    )
    return new Response('', { status: 307, headers: { location: '/elsewhere' } })
  })
  const { signal } = new AbortController()
  const response = await transport.send({
    url,
    method: 'POST',
    headers: { 'Content-Type': 'text/x' },
    body: 'é',
    signal,
  })
  expect(response.status).toBe(307)
  expect(seen).toEqual([`POST ${url} text/x é`])
})

test('an encoded body is refused and discarded', async () => {
  let cancelled = false
  const body = new ReadableStream({
    cancel() {
      cancelled = true
    },
  })
  const encoded = send(() => new Response(body, { headers: { 'content-encoding': 'gzip' } }))
  await expect(encoded).rejects.toMatchObject({
    code: 'HTTP_CONTENT_ENCODING',
    context: { url, contentEncoding: 'gzip' },
  })
  expect(cancelled).toBe(true)
})

test.each(['', ' ', 'identity', 'Identity'])('the content coding %j is none', async name => {
  const response = await send(() => new Response('a', { headers: { 'content-encoding': name } }))
  expect(response.status).toBe(200)
  response.discard()
})

test('failures of the request and of the body are typed', async () => {
  const refused = send(() => Promise.reject(new TypeError('fetch failed')))
  await expect(refused).rejects.toMatchObject({ code: 'HTTP_TRANSPORT', retryable: true })
  const body = new ReadableStream({
    pull: controller => controller.error(new TypeError('terminated')),
  })
  const response = await send(() => new Response(body))
  const reading = (async () => {
    for await (const _ of response.body);
  })()
  await expect(reading).rejects.toMatchObject({ code: 'HTTP_TRANSPORT' })
})

test('discard cancels the body, before, during and after the reading', async () => {
  let cancelled = 0
  const endless = () =>
    new Response(
      new ReadableStream({
        pull: controller => controller.enqueue(Uint8Array.of(1)),
        cancel: () => void cancelled++,
      }),
    )
  ;(await send(endless)).discard()
  const response = await send(endless)
  for await (const _ of response.body) break
  response.discard()
  response.discard()
  expect(cancelled).toBe(2)
  const empty = await send(() => new Response(null, { status: 204 }))
  for await (const _ of empty.body) expect.unreachable()
  empty.discard()
})

test('fault 86: CR or LF in a header is refused before anything is sent', async () => {
  const sending = send(() => expect.unreachable(), { Authorization: 'a\r\nX-Evil: b' })
  await expect(sending).rejects.toMatchObject({
    code: 'HTTP_HEADER_INVALID',
    context: { header: 'Authorization' },
  })
})

describe('the platform’s fetch', () => {
  test('downloads from a real server, where the policy follows the redirects and fetch does not', async () => {
    const seen: string[] = []
    const server = createServer((request, response) => {
      seen.push(`${request.url} ${request.headers['accept-encoding']}`)
      if (request.url === '/moved') return response.writeHead(302, { location: '/file' }).end()
      if (request.url === '/away')
        return response.writeHead(302, { location: 'http://127.0.0.1:1/' }).end()
      return response.end(file)
    })
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    try {
      const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
      const fetchOver = (path: string) =>
        new RangeFetcher({
          url: origin + path,
          transport: fetchTransport(fetch),
          retry: { patienceMs: 0 },
          redirectOrigins: [],
        })
      const pieces = await fetchOver('/moved').collect()
      expect(Uint8Array.from(Buffer.concat(pieces.map(piece => piece.bytes)))).toEqual(file)
      // Node's fetch adds its own `identity` to a request with a range.
      expect(seen).toEqual(['/moved identity, identity', '/file identity, identity'])
      await expect(fetchOver('/away').collect()).rejects.toMatchObject({
        code: 'HTTP_ORIGIN_REFUSED',
      })
    } finally {
      server.closeAllConnections()
      server.close()
    }
  })
})
