// Tests that the download stages over a service with faults give the exact bytes of the file, or a
// typed error.

import { gunzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  createEmulator,
  createWorld,
  type Emulator,
  type FaultOptions,
} from '../../../src/emulator'
import { FAULT_KINDS, PASSING_FAULTS } from '../../../src/emulator/faults/fault'
import {
  ChunkReassembler,
  FeedError,
  fetchTransport,
  Gunzip,
  NodeTransport,
  pipeline,
  RangeFetcher,
  type RangeTransport,
} from '../../../src/index'
import { bodyOf, client, token } from '../emulator-client'

const PATH = '/item?feed_scope=ALL_ACTIVE&category_id=220'
const world = createWorld({ seed: 7, items: 1_200 })
const seeds = (count: number) => Array.from({ length: count }, (_, seed) => seed)
let rows: Buffer

beforeAll(async () => {
  const { emulator, get } = await client({ world })
  rows = gunzipSync(await bodyOf(await get(PATH, { range: 'bytes=0-90000000' })))
  await emulator.close()
})

async function download(emulator: Emulator, origin: string, transport: RangeTransport) {
  const authorization = `Bearer ${await token(emulator)}`
  const fetcher = () =>
    new RangeFetcher({
      url: `${origin}${emulator.feedBasePath}${PATH}`,
      transport,
      headers: () => ({ authorization, 'X-MKT-C-MARKETPLACE-ID': 'MKT_US' }),
      chunkBytes: 7_001,
      retry: { patienceMs: 20_000, backoffBaseMs: 0, backoffCapMs: 1 },
      headersTimeoutMs: 1_000,
      idleMs: 60,
    })
  const chunks = await pipeline(fetcher)
    .to(() => new ChunkReassembler())
    .to(() => new Gunzip())
    .toArray()
  return Buffer.concat(chunks)
}

async function attempt(
  faults: FaultOptions,
): Promise<{ outcome: 'exact' | 'wrong' | string; injected: number }> {
  const emulator = createEmulator({ world, faults })
  try {
    const bytes = await download(emulator, 'http://emulator', fetchTransport(emulator.fetch))
    return { outcome: bytes.equals(rows) ? 'exact' : 'wrong', injected: emulator.faults.log.length }
  } catch (error) {
    const outcome = FeedError.is(error) ? error.code : `untyped: ${error}`
    return { outcome, injected: emulator.faults.log.length }
  } finally {
    await emulator.close()
  }
}

describe('downloads over a faulty service', () => {
  test('the bytes are exact with every passing fault at 20%, for many seeds', async () => {
    const met = await Promise.all(seeds(24).map(seed => attempt({ rate: 0.2, seed })))
    expect(met.map(({ outcome }) => outcome)).toEqual(seeds(24).map(() => 'exact'))
    expect(met.every(({ injected }) => injected > 0)).toBe(true)
  })

  const rowOf: Readonly<Record<string, string>> = {
    stall: 'fault 31',
    reset: 'fault 21',
    short: 'fault 16',
    extra: 'fault 19',
    401: 'fault 30',
    429: 'fault 28',
    500: 'fault 29',
    503: 'fault 28',
    latency: 'late answers',
  }
  test.each(PASSING_FAULTS.map(kind => [rowOf[kind]!, kind] as const))(
    '%s: with %s at 40% the bytes are exact',
    async (_, kind) => {
      const met = await Promise.all(
        seeds(3).map(seed => attempt({ rate: 0.4, seed, kinds: [kind] })),
      )
      expect(met.map(({ outcome }) => outcome)).toEqual(['exact', 'exact', 'exact'])
      expect(met.every(({ injected }) => injected > 1)).toBe(true)
    },
  )

  test('with every fault the bytes are exact or the error is typed', async () => {
    const met = await Promise.all(
      seeds(24).map(seed => attempt({ rate: 0.06, seed, kinds: FAULT_KINDS })),
    )
    const outcomes = met.map(({ outcome }) => outcome)
    expect(
      outcomes.filter(outcome => outcome === 'wrong' || outcome.startsWith('untyped')),
    ).toEqual([])
    expect(new Set(outcomes).size).toBeGreaterThan(2)
    expect(outcomes).toContain('exact')
  })

  const fatal: [row: number, fault: string, code: string][] = [
    [39, 'bit-flip;after=3000', 'GZIP_'],
    [38, 'truncated;bytes=5', 'GZIP_TRUNCATED'],
    [38, 'truncated;bytes=3000', 'GZIP_TRUNCATED'],
    [34, 'html', 'HTTP_CONTENT_TYPE'],
    [3, 'range-wrong', 'RANGE_START_MISMATCH'],
    [8, 'range-repeated', 'RANGE_HEADER_MISSING'],
    [6, 'replaced;skip=10;times=9', 'RANGE_FILE_REPLACED'],
  ]
  test.each(fatal)('fault %i: %s gives its own code', async (_, fault, code) => {
    const { outcome, injected } = await attempt({ rules: [{ route: '/buy/*', fault }] })
    expect(outcome).toMatch(new RegExp(`^${code}`))
    expect(injected).toBeGreaterThan(0)
  })

  test('fault 11: a file that is replaced during a download is read again from its start', async () => {
    expect(await attempt({ rules: [{ route: '/buy/*', fault: 'replaced;skip=10' }] })).toEqual({
      outcome: 'exact',
      injected: 1,
    })
  })

  describe.each([['NodeTransport', new NodeTransport()]] as const)(
    'on a socket, by %s',
    (_, transport) => {
      afterAll(() => transport.close())

      test('the bytes are exact with every passing fault at 20%', async () => {
        const outcomes = await Promise.all(
          seeds(8).map(async seed => {
            const emulator = createEmulator({ world, faults: { rate: 0.2, seed } })
            const { url } = await emulator.listen()
            const bytes = await download(emulator, url, transport)
            const injected = emulator.faults.log.length
            await emulator.close()
            return [bytes.equals(rows), injected > 0]
          }),
        )
        expect(outcomes).toEqual(seeds(8).map(() => [true, true]))
      })
    },
  )
})
