import { gunzipSync, gzipSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { gzipped } from '../../../src/emulator/feeds/feed-file'
import { FileCache } from '../../../src/emulator/feeds/file-cache'
import type { FeedFile } from '../../../src/emulator/feeds/file-format'
import {
  asksForGzip,
  FileResponder,
  ORIGINAL,
  setVariant,
  variantModified,
  variantOf,
  variantPrefix,
} from '../../../src/emulator/feeds/file-responder'
import type { HeaderForm } from '../../../src/emulator/feeds/requested-range'
import { createWorld } from '../../../src/emulator/world/world'

const world = createWorld({ seed: 7, items: 40 })
const file: FeedFile = {
  feed: 'item',
  content: 'bootstrap',
  marketplaceId: 'MKT_US',
  categoryId: '220',
  from: world.start,
  to: world.start,
}

function responder(headerForm: HeaderForm = 'documented', memoryFileBytes = 1_000_000) {
  const cache = new FileCache({ memoryFileBytes })
  const files = new FileResponder({ world, format: {}, cache, headerForm, maxRangeBytes: 10_000 })
  const send = (
    headers: Record<string, string> = {},
    prepare = (_: Request) => {},
    maxWholeBytes = 10_000,
  ) => {
    const request = new Request('http://x/', { headers })
    prepare(request)
    const refuse = (code: number, contentRange: string) =>
      Response.json({ code, contentRange }, { status: 400 })
    return files.respond(file, request, { mediaType: 'application/x-test', maxWholeBytes, refuse })
  }
  return { cache, files, send }
}

const bytesOf = async (response: Response) => Buffer.from(await response.arrayBuffer())

describe.each([
  ['memory', 1_000_000],
  ['disk', 10],
])('file responder over files in %s', (_, memoryFileBytes) => {
  test('a response has the whole file and its size', async () => {
    const { cache, files, send } = responder('documented', memoryFileBytes)
    const response = await send()
    const bytes = await bytesOf(response)
    expect([response.status, response.headers.get('content-type'), bytes.length]).toEqual([
      200,
      'application/x-test',
      await files.totalBytes(file),
    ])
    expect(gunzipSync(bytes).toString()).toMatch(/^itemId\ttitle\t/)
    await cache.close()
  })

  test('every part of every variant equals the slice of its whole', async () => {
    const { cache, send } = responder('documented', memoryFileBytes)
    for (const variant of [
      { generation: 0, cutBytes: 0 },
      { generation: 2, cutBytes: 0 },
      { generation: 1, cutBytes: 30 },
    ]) {
      const prepare = (request: Request) => setVariant(request, variant)
      const whole = await bytesOf(await send({}, prepare))
      for (const start of [0, 1, 19, 20, 21, 39, 40, 41, whole.length - 1]) {
        for (const end of [start, start + 1, 20, 40, 41, whole.length - 1].filter(
          at => at >= start && at < whole.length,
        )) {
          const part = await bytesOf(await send({ range: `bytes=${start}-${end}` }, prepare))
          expect(part.equals(whole.subarray(start, end + 1))).toBe(true)
        }
      }
    }
    await cache.close()
  })
})

test('the operation words a refusal, and knows the total for a 416', async () => {
  const { cache, files, send } = responder()
  const total = await files.totalBytes(file)
  expect(await (await send({ range: 'bytes=x-1' })).json()).toEqual({
    code: 13018,
    contentRange: `*/${total}`,
  })
  expect(await (await send({}, undefined, 10)).json()).toMatchObject({ code: 13015 })
  await cache.close()
})

test('a file that is cut to nothing keeps one byte', async () => {
  const { cache, send } = responder()
  const response = await send({}, request =>
    setVariant(request, { generation: 0, cutBytes: 1_000_000 }),
  )
  expect((await bytesOf(response)).length).toBe(1)
  await cache.close()
})

test('the form of RFC 9110 names its unit, and says that the answer depends on Accept-Encoding', async () => {
  const { cache, send } = responder('rfc9110')
  const { headers } = await send({ range: 'bytes=-5' })
  expect([headers.get('accept-ranges'), headers.get('vary')]).toEqual(['bytes', 'accept-encoding'])
  expect(headers.get('content-range')).toMatch(/^bytes \d+-\d+\/\d+$/)
  await cache.close()
})

test('a body that nobody reads uses nothing of the cache', async () => {
  const { cache, send } = responder()
  const response = await send()
  await cache.close()
  await expect(response.arrayBuffer()).rejects.toMatchObject({ code: 'STAGE_DESTROYED' })
})

describe('file variants', () => {
  test('a request gets the original unless another variant was set for it', () => {
    const request = new Request('http://x/')
    expect(variantOf(request)).toBe(ORIGINAL)
    setVariant(request, { generation: 2, cutBytes: 0 })
    expect(variantOf(request).generation).toBe(2)
    expect(variantOf(new Request('http://x/'))).toBe(ORIGINAL)
  })

  test('the original has no prefix, and each later generation inflates to the same content from other bytes', () => {
    const file = gzipSync('rows')
    expect(variantPrefix(ORIGINAL)).toHaveLength(0)
    for (const generation of [1, 2, 5]) {
      const prefix = variantPrefix({ generation, cutBytes: 0 })
      expect(prefix.length).toBe(20 * generation)
      expect(gunzipSync(Buffer.concat([prefix, file])).toString()).toBe('rows')
    }
  })

  test('each generation has another Last-Modified', () => {
    const modified = new Date('2026-03-01T00:00:00Z')
    const dates = [0, 1, 2].map(generation =>
      variantModified({ generation, cutBytes: 0 }, modified).toUTCString(),
    )
    expect(new Set(dates).size).toBe(3)
  })
})

describe('content coding', () => {
  test.each([
    ['gzip', true],
    ['gzip, deflate, br', true],
    ['deflate, GZIP;q=0.5', true],
    ['x-gzip', true],
    [null, false],
    ['', false],
    ['identity', false],
    ['*', false],
    ['gzip;q=0', false],
    ['gzip; q=0.000', false],
    ['gzippy', false],
  ])('Accept-Encoding %s asks for gzip: %s', (header, asks) => {
    expect(asksForGzip(header)).toBe(asks)
  })

  test('compressed bytes inflate to the input', async () => {
    const chunks: Uint8Array[] = []
    for await (const chunk of gzipped([Buffer.from('one '), Buffer.from('two')])) chunks.push(chunk)
    expect(gunzipSync(Buffer.concat(chunks)).toString()).toBe('one two')
  })
})
