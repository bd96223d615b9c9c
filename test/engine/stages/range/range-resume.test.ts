// A download that continues an earlier one: from the exact byte, and only of the same file.

import { expect, test } from 'vitest'
import { createEmulator, type EmulatorOptions } from '../../../../src/emulator'
import { FeedError } from '../../../../src/engine/errors'
import type { RangeInfo } from '../../../../src/engine/stages/range/range-settings'
import { createFeedService } from '../../../../src/service/feed-service'
import { fetchTransport } from '../../../../src/service/http/fetch-transport'
import { defineProfile } from '../../../../src/service/profile'
import { FAST } from '../../../service/emulated'

const world = { seed: 7, items: 60 }

/** The bytes of a bootstrap file and its information. */
async function shop(options: Partial<EmulatorOptions> = {}) {
  const emulator = createEmulator({ world, ...options })
  const { tokenPath, scopeBase, clientId, clientSecret } = emulator
  const profile = defineProfile({
    baseUrl: 'https://a.test',
    tokenUrl: `https://a.test${tokenPath}`,
    scopeBase,
  })
  const requests: string[] = []
  const transport = fetchTransport(request => {
    if (request.method === 'GET') requests.push(request.headers.get('range') ?? '')
    return emulator.fetch(request)
  })
  const ranges = { ...FAST.ranges, chunkBytes: 3_000, windowBytes: 9_000 }
  const { feeds } = createFeedService(
    profile,
    { clientId, clientSecret },
    { transport, checks: 'forms', ...FAST, ranges },
  )
  const file = feeds.getItemFeed({ marketplace: 'MKT_US', categoryId: '220', scope: 'ALL_ACTIVE' })
  const read = async (resume?: { offset: number; identity: object }) => {
    let info: RangeInfo | undefined
    const parts: Uint8Array[] = []
    const onInfo = (told: RangeInfo) => {
      info = told
    }
    for await (const part of file.compressed({ onInfo, ...(resume && { resume }) }).batches()) {
      expect(info).toBeDefined()
      parts.push(part)
    }
    return { bytes: Buffer.concat(parts), info: info! }
  }
  return { emulator, requests, read }
}

test('a resumed download requests the bytes from the exact offset', async () => {
  const { emulator, requests, read } = await shop()
  const { bytes, info } = await read()
  expect(info).toMatchObject({ totalBytes: bytes.length, empty: false })
  for (const offset of [1, 2_999, 3_000, bytes.length - 1]) {
    requests.length = 0
    expect((await read({ offset, identity: info })).bytes.equals(bytes.subarray(offset))).toBe(true)
    expect(requests[0]!.startsWith(`bytes=${offset}-`)).toBe(true)
  }
  await emulator.close()
})

test('fault 22: an interruption after a resume continues from the newest offset', async () => {
  const { emulator, read } = await shop()
  const { bytes, info } = await read()
  await emulator.close()
  const broken = await shop({
    faults: { rules: [{ route: '/buy/*', fault: 'short;after=700;times=5' }] },
  })
  expect(
    (await broken.read({ offset: 1_000, identity: info })).bytes.equals(bytes.subarray(1_000)),
  ).toBe(true)
  expect(broken.requests.map(range => range.split('-')[0])).toContain('bytes=1700')
  await broken.emulator.close()
})

test.each([
  ['total', { totalBytes: 12_345 }],
  ['last-modified', { lastModified: 'Sun, 01 Mar 2020 00:00:00 GMT' }],
])('fault 6: another %s now is refused at the start and later', async (what, identity) => {
  const { emulator, read } = await shop()
  const error = await read({ offset: 1_000, identity }).catch(failure => failure)
  expect([FeedError.is(error) && error.code, error.context.what]).toEqual([
    'RANGE_FILE_REPLACED',
    what,
  ])
  await emulator.close()
})

test('fault 1: the bytes that the caller has are skipped in a whole body', async () => {
  const { emulator, read } = await shop()
  const { bytes, info } = await read()
  const { tokenPath, scopeBase, clientId, clientSecret } = emulator
  const profile = defineProfile({
    baseUrl: 'https://a.test',
    tokenUrl: `https://a.test${tokenPath}`,
    scopeBase,
  })
  const transport = fetchTransport(async request => {
    if (request.method !== 'GET') return emulator.fetch(request)
    return new Response(Uint8Array.from(bytes), {
      headers: {
        date: 'Fri, 01 Jan 2100 00:00:00 GMT',
        'last-modified': info.lastModified!,
        'content-length': String(bytes.length),
      },
    })
  })
  const { feeds } = createFeedService(
    profile,
    { clientId, clientSecret },
    { transport, checks: 'forms', ...FAST },
  )
  const file = feeds.getItemFeed({ marketplace: 'MKT_US', categoryId: '220', scope: 'ALL_ACTIVE' })
  const parts: Uint8Array[] = []
  for await (const part of file.compressed({ resume: { offset: 5_000, identity: info } }).batches())
    parts.push(part)
  expect(Buffer.concat(parts).equals(bytes.subarray(5_000))).toBe(true)
  await emulator.close()
})
