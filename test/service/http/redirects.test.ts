import { once } from 'node:events'
import { createServer, type RequestListener, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { ChunkReassembler } from '../../../src/engine/stages/chunk-reassembler'
import type { RangeResponse } from '../../../src/engine/stages/range/range-transport'
import { NodeTransport, pipeline, RangeFetcher, type RangeFetcherOptions } from '../../../src/index'
import type { HttpRequest } from '../../../src/service/http/http-transport'
import { followRedirects, type Hop } from '../../../src/service/http/redirects'
import { sampleFile } from '../../engine/stages/scripted-transport'

/** The addresses of the names of these tests; any other name is looked up. */
const NAMES: Record<string, readonly string[]> = {
  'feed.test': ['93.184.216.34'],
  'cdn.test': ['2606:2800:220:1::1', '93.184.216.35'],
  'inner.test': ['10.1.2.3'],
  'other-inner.test': ['192.168.3.4'],
  'both.test': ['93.184.216.34', '127.0.0.1'],
  'rebound.test': ['93.184.216.34'],
}

vi.mock('node:dns/promises', async original => {
  const real = await original<typeof import('node:dns/promises')>()
  const lookup = async (host: string, options: { all: true }) =>
    NAMES[host]?.map(address => ({ address, family: address.includes(':') ? 6 : 4 })) ??
    (host.endsWith('.test') ? Promise.reject(new Error('ENOTFOUND')) : real.lookup(host, options))
  return { ...real, lookup }
})

const asking = (url: string, more: Partial<HttpRequest> = {}): HttpRequest => ({
  url,
  headers: {
    Range: 'bytes=0-9',
    'Accept-Encoding': 'identity',
    Authorization: 'Bearer t',
    'X-Key': 'k',
  },
  signal: new AbortController().signal,
  ...more,
})

const hop = (
  status: number,
  location: string | undefined,
  onDiscard = () => {},
): RangeResponse => ({
  status,
  header: name => (name === 'location' ? location : undefined),
  body: (async function* () {})(),
  discard: onDiscard,
})

describe('redirects', () => {
  test('are followed within the origin, each response discarded', async () => {
    const sent: string[] = []
    let discarded = 0
    const response = await followRedirects(asking('https://feed.test/0'), async ({ url }) => {
      sent.push(url.href)
      const status = [301, 302, 303, 307, 308, 200][sent.length - 1] ?? 500
      return hop(status, `/${sent.length}`, () => discarded++)
    })
    expect(response.status).toBe(200)
    expect(sent).toEqual([0, 1, 2, 3, 4, 5].map(at => `https://feed.test/${at}`))
    expect(discarded).toBe(5)
  })

  test('fault 84: end with an error after a loop', async () => {
    let sent = 0
    const looping = followRedirects(asking('https://feed.test/a'), async () =>
      hop(302, ++sent % 2 ? '/b' : '/a'),
    )
    await expect(looping).rejects.toMatchObject({
      code: 'HTTP_REDIRECT_LOOP',
      context: { url: 'https://feed.test/a', hops: 5 },
    })
    expect(sent).toBe(6)
  })

  test('fault 84: to a refused target send nothing', async () => {
    const sent: string[] = []
    const refused = followRedirects(asking('https://feed.test/a'), async ({ url }) => {
      sent.push(url.href)
      return hop(302, 'https://evil.test/b')
    })
    await expect(refused).rejects.toMatchObject({ code: 'HTTP_ORIGIN_REFUSED' })
    expect(sent).toEqual(['https://feed.test/a'])
  })

  test('of a POST are its response, and it is sent once', async () => {
    let sent = 0
    const response = await followRedirects(
      { ...asking('https://feed.test/a'), method: 'POST' },
      async () => {
        sent++
        return hop(307, '/b')
      },
    )
    expect([response.status, sent]).toEqual([307, 1])
  })

  test('without a target are the response', async () => {
    expect(
      (await followRedirects(asking('https://feed.test/a'), async () => hop(302, undefined)))
        .status,
    ).toBe(302)
    expect(
      (await followRedirects(asking('https://feed.test/a'), async () => hop(304, '/b'))).status,
    ).toBe(304)
  })
})

describe('fault 141: a redirect of a file to another origin', () => {
  /** Follows `links` one after the other, and returns what was sent. */
  async function follow(
    from: string,
    links: readonly string[],
    redirectOrigins: HttpRequest['redirectOrigins'] = 'public',
  ): Promise<{ hops: Hop[]; response?: RangeResponse; code?: string; message?: string }> {
    const hops: Hop[] = []
    try {
      const response = await followRedirects(asking(from, { redirectOrigins }), async sent => {
        hops.push(sent)
        const link = links[hops.length - 1]
        return hop(link === undefined ? 206 : 302, link)
      })
      return { hops, response }
    } catch (error) {
      return {
        hops,
        ...(error as { code: string; message: string }),
        message: (error as Error).message,
      }
    }
  }

  test('goes without the headers of the caller, also back to the first origin', async () => {
    const { hops, response } = await follow('https://feed.test/a', [
      '/b',
      'https://cdn.test/c?X-Signature=s3cret',
      'd',
      'https://feed.test/e',
    ])
    expect(hops.map(({ url }) => url.href)).toEqual([
      'https://feed.test/a',
      'https://feed.test/b',
      'https://cdn.test/c?X-Signature=s3cret',
      'https://cdn.test/d',
      'https://feed.test/e',
    ])
    const own = { Range: 'bytes=0-9', 'Accept-Encoding': 'identity' }
    expect(hops.map(({ headers }) => headers)).toEqual([
      asking('').headers,
      asking('').headers,
      own,
      own,
      own,
    ])
    expect(response?.url).toBe('https://feed.test/e')
  })

  test('is not followed from https to http, not even where it is named', async () => {
    for (const origins of ['public', ['http://cdn.test']] as const) {
      const { code, hops } = await follow('https://feed.test/a', ['http://cdn.test/b'], origins)
      expect([code, hops.length]).toEqual(['HTTP_ORIGIN_REFUSED', 1])
    }
    expect((await follow('http://feed.test/a', ['https://feed.test/a'])).code).toBeUndefined()
    expect((await follow('http://feed.test/a', ['http://cdn.test/a'])).code).toBeUndefined()
  })

  test.each([
    '127.0.0.1',
    '127.8.8.8:8080',
    'localhost',
    '2130706433',
    '0x7f.1',
    '0.0.0.0',
    '10.0.0.1',
    '172.31.255.255',
    '192.168.0.1',
    '169.254.169.254',
    '100.64.0.1',
    '[::1]',
    '[::]',
    '[fd00::1]',
    '[fe80::1]',
    '[::ffff:127.0.0.1]',
    '[::ffff:a9fe:a9fe]',
    '[64:ff9b::a00:1]',
    'inner.test',
    'both.test',
  ])('is not followed from a public address to %s, unless it is named', async host => {
    const link = `https://${host}/latest/meta-data`
    const refused = await follow('https://feed.test/a', [link])
    expect([refused.code, refused.hops.length]).toEqual(['HTTP_ORIGIN_REFUSED', 1])
    expect(refused.message).toContain('redirectOrigins')
    // Nor by a way over a second public origin.
    expect((await follow('https://feed.test/a', ['https://cdn.test/b', link])).code).toBe(
      'HTTP_ORIGIN_REFUSED',
    )
    expect((await follow('https://unknown.test/a', [link])).code).toBe('HTTP_ORIGIN_REFUSED')
    const named = await follow('https://feed.test/a', [link], [new URL(link).origin])
    expect(named.hops[1]?.url.href).toBe(new URL(link).href)
    // A network of one's own may use its own addresses.
    expect((await follow('https://other-inner.test/a', [link])).code).toBeUndefined()
  })

  test.each([
    '172.32.0.1',
    '100.128.0.1',
    '8.8.8.8',
    '[2606:4700::1111]',
    'cdn.test',
    'unknown.test',
  ])('is followed to %s', async host => {
    expect((await follow('https://feed.test/a', [`https://${host}/b`])).hops.length).toBe(2)
  })

  test.each([
    'ftp://cdn.test/a',
    'file:///etc/passwd',
    'data:text/plain,a',
    'https://user:pw@cdn.test/a',
    'blob:https://cdn.test/a',
    'https://[',
  ])('is not followed to %s', async link => {
    for (const origins of ['public', ['https://cdn.test']] as const) {
      const { code, hops } = await follow('https://feed.test/a', [link], origins)
      expect([code, hops.length]).toEqual(['HTTP_ORIGIN_REFUSED', 1])
    }
  })

  test('is followed to named origins only, where some are named', async () => {
    const named = ['https://cdn.test'] as const
    expect((await follow('https://feed.test/a', ['https://cdn.test/b'], named)).hops.length).toBe(2)
    for (const link of [
      'https://cdn.test:8443/b',
      'https://else.test/b',
      'https://cdn.test.evil.test/b',
    ])
      expect((await follow('https://feed.test/a', [link], named)).code).toBe('HTTP_ORIGIN_REFUSED')
    expect((await follow('https://feed.test/a', ['https://cdn.test/b'], [])).code).toBe(
      'HTTP_ORIGIN_REFUSED',
    )
    for (const given of ['any', ['https://cdn.test/'], ['cdn.test'], [1], {}])
      expect(() => new RangeFetcher({ ...fetching, redirectOrigins: given as never })).toThrow(
        /redirectOrigins/,
      )
  })
})

const fetching = { url: 'https://feed.test/a', transport: { send: () => Promise.reject() } }
const servers: Server[] = []
afterEach(() => {
  for (const server of servers.splice(0)) server.close().closeAllConnections()
})

async function served(listener: RequestListener): Promise<string> {
  const server = createServer(listener)
  servers.push(server)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

describe('a download behind redirects', () => {
  const file = sampleFile(1000)
  const bytesOf: (etag: string, bytes?: Uint8Array) => RequestListener =
    (etag, bytes = file) =>
    ({ headers }, response) => {
      const [, first, last] = /^bytes=(\d+)-(\d+)$/.exec(headers.range ?? '') ?? []
      const end = Math.min(Number(last) + 1, bytes.length)
      if (headers.range === undefined)
        return void response.writeHead(200, { ETag: etag }).end(bytes)
      const range = { 'Content-Range': `bytes ${first}-${end - 1}/${bytes.length}`, ETag: etag }
      response.writeHead(206, range).end(bytes.subarray(Number(first), end))
    }
  async function download(url: string, more: Partial<RangeFetcherOptions> = {}): Promise<Buffer> {
    const transport = new NodeTransport()
    const options = {
      url,
      transport,
      chunkBytes: 300,
      headers: { 'X-Key': 'k3y-of-mine' },
      ...more,
    }
    try {
      const fetched = pipeline(new RangeFetcher(options)).to(new ChunkReassembler())
      return Buffer.concat(await fetched.toArray())
    } finally {
      await transport.close()
    }
  }

  test('asks the first address again for each range, and no other origin gets its headers', async () => {
    const seen: (string | undefined)[] = []
    const cdn = await served((request, response) => {
      seen.push(`cdn ${request.url} ${request.headers['x-key']}`)
      bytesOf('"one"')(request, response)
    })
    let count = 0
    const first = await served(({ headers }, response) => {
      seen.push(`first ${headers['x-key']}`)
      response.writeHead(302, { location: `${cdn}/${count++}?sig=s` }).end()
    })
    expect(await download(first, { concurrency: 1 })).toEqual(Buffer.from(file))
    expect(seen).toEqual(
      [0, 1, 2, 3].flatMap(at => ['first k3y-of-mine', `cdn /${at}?sig=s undefined`]),
    )
  })

  test('is of one file, whichever origin answers', async () => {
    const other = Uint8Array.from(file, byte => byte ^ 1)
    const cdns = [await served(bytesOf('"one"')), await served(bytesOf('"two"', other))]
    // The origins take turns; what is handed out is of the first one, so only its file may follow.
    for (const [turns, outcome] of [
      ['01', 'whole'],
      ['011', 'RANGE_FILE_REPLACED'],
    ] as const) {
      let count = 0
      const first = await served((_, response) => {
        response.writeHead(302, { location: cdns[Number(turns[count++ % turns.length])]! }).end()
      })
      const read = download(first, { concurrency: 1 }).then(
        bytes => (bytes.equals(file) ? 'whole' : 'mixed'),
        error => error.code,
      )
      expect([turns, await read]).toEqual([turns, outcome])
    }
  })

  test('names the origin that refuses, without the values of its address', async () => {
    const cdn = await served((request, response) => {
      response.writeHead(403).end(`<Error>no access by ${request.url}</Error>`)
    })
    const first = await served((_, response) => {
      response.writeHead(302, { location: `${cdn}/f?X-Amz-Signature=9f86d081884c7d65` }).end()
    })
    const refused = await download(first).catch(error => error)
    expect(refused).toMatchObject({
      code: 'HTTP_STATUS',
      context: { status: 403, url: `${cdn}/f?X-Amz-Signature=…` },
    })
    expect(JSON.stringify(refused) + refused.message).not.toContain('9f86d0')
  })

  test('connects to the address that was checked, even if the name has another one by now', async () => {
    let asked = 0
    const inner = await served((request, response) => {
      asked++
      bytesOf('"one"')(request, response)
    })
    const first = await served((_, response) => {
      response.writeHead(302, { location: inner.replace('127.0.0.1', 'rebound.test') }).end()
    })
    // The address of that name is of no server here. What the system says of the name does not count.
    NAMES['rebound.test'] = ['127.0.0.1']
    expect(await download(first)).toEqual(Buffer.from(file))
    expect(asked).toBeGreaterThan(0)
  })
})
