import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Fault } from '../../../src/emulator/faults/fault'
import {
  bitFlipped,
  delayed,
  lengthened,
  shortened,
  spoiltResponse,
  struckAt,
} from '../../../src/emulator/faults/spoilt-response'

const strikes = { stall: async () => {}, reset: async () => {} }
const spoil = (response: Response, fault: Fault) => spoiltResponse(response, fault, strikes)
const part = (contentRange?: string) =>
  new Response('0123456789', {
    status: 206,
    headers: {
      'content-length': '10',
      ...(contentRange === undefined ? {} : { 'content-range': contentRange }),
    },
  })

test.each([
  new Response(null, { status: 204 }),
  new Response('{}', { status: 400 }),
  new Response(null),
])('a fault leaves an answer without content unchanged', response => {
  expect(spoil(response, { kind: 'short' })).toBeUndefined()
})

test('a missing Content-range stays missing', () => {
  for (const kind of ['range-wrong', 'range-missing', 'range-repeated'] as const)
    expect(spoil(part(), { kind })).toBeUndefined()
})

test.each(['10-19/100', 'bytes 10-19/100'])('%s keeps its form', async contentRange => {
  const wrong = spoil(part(contentRange), { kind: 'range-wrong', bytes: 3 })!
  expect(wrong.headers.get('content-range')).toBe(contentRange.replace('10-19', '13-22'))
  expect(await wrong.text()).toBe('3456789')
  expect(spoil(part(contentRange), { kind: 'range-repeated' })!.headers.get('content-range')).toBe(
    `${contentRange}, ${contentRange}`,
  )
})

test('a body with another length loses its length header, and other bodies keep it', () => {
  const told = (fault: Fault) => spoil(part('0-9/10'), fault)!.headers.get('content-length')
  expect([
    told({ kind: 'short' }),
    told({ kind: 'extra' }),
    told({ kind: 'reset', after: 3 }),
    told({ kind: 'bit-flip' }),
  ]).toEqual([null, null, '10', '10'])
})

describe('spoilt bodies', () => {
  const body = Uint8Array.from({ length: 50 }, (_, i) => i)
  const cuts = fc.array(fc.integer({ min: 0, max: 20 }), { minLength: 1, maxLength: 12 })

  async function* chunked(sizes: readonly number[]): AsyncGenerator<Uint8Array, void, void> {
    let at = 0
    for (const size of sizes) yield body.slice(at, (at += size))
    yield body.slice(at)
  }

  async function collect(chunks: AsyncIterable<Uint8Array>): Promise<number[]> {
    const all: number[] = []
    for await (const chunk of chunks) all.push(...chunk)
    return all
  }

  const bytes = [...body]

  test('each fault has the same effect however the body is cut', () =>
    fc.assert(
      fc.asyncProperty(cuts, fc.nat(60), async (sizes, n) => {
        expect(await collect(shortened(chunked(sizes), n))).toEqual(bytes.slice(0, n))
        expect(await collect(delayed(chunked(sizes), n))).toEqual(bytes.slice(n))
        const extended = await collect(lengthened(chunked(sizes), n))
        expect([extended.length, extended.slice(0, 50)]).toEqual([50 + n, bytes])
        const flipped = await collect(bitFlipped(chunked(sizes), n, 3))
        expect(flipped.map((byte, i) => byte ^ bytes[i]!)).toEqual(
          bytes.map((_, i) => (i === n ? 8 : 0)),
        )
      }),
    ))

  test('a strike comes once, after its exact number of bytes or at the end', () =>
    fc.assert(
      fc.asyncProperty(cuts, fc.nat(60), async (sizes, n) => {
        let [seen, struckAfter, strikes] = [0, -1, 0]
        const strike = async () => {
          struckAfter = seen
          strikes++
        }
        for await (const chunk of struckAt(chunked(sizes), n, strike)) seen += chunk.length
        expect([seen, struckAfter, strikes]).toEqual([50, Math.min(n, 50), 1])
      }),
    ))

  test('a strike that throws ends the body after the earlier bytes', async () => {
    const failure = new Error('struck')
    const read: number[] = []
    const reading = (async () => {
      for await (const chunk of struckAt(chunked([7, 9]), 10, () => Promise.reject(failure)))
        read.push(...chunk)
    })()
    await expect(reading).rejects.toBe(failure)
    expect(read).toEqual(bytes.slice(0, 10))
  })
})
