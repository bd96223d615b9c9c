import { afterEach, describe, expect, test, vi } from 'vitest'
import { GZIP_SIGNATURE } from '../../../../src/engine/codec/range/file-identity'
import { FeedError } from '../../../../src/engine/errors'
import {
  BodyRules,
  readBody,
  readErrorText,
  receiveBody,
} from '../../../../src/engine/stages/range/body-rules'
import { rangeSettings } from '../../../../src/engine/stages/range/range-settings'
import type { RangeResponse } from '../../../../src/engine/stages/range/range-transport'

const url = 'http://feed.test/file'
const settings = rangeSettings({
  url,
  transport: { send: () => Promise.reject(new TypeError('unused')) },
  idleMs: 7,
  signature: GZIP_SIGNATURE,
})
const rules = new BodyRules(settings, new AbortController().signal)
const response = { header: () => 'application/octet-stream' } as unknown as RangeResponse

test('fault 34: the signature is checked at its offsets', () => {
  rules.checkSignature(0, Uint8Array.of(0x1f), response)
  rules.checkSignature(1, Uint8Array.of(0x8b, 1), response)
  rules.checkSignature(2, Uint8Array.of(0), response)
  expect(() => rules.checkSignature(0, new TextEncoder().encode('<html>'), response)).toThrow(
    expect.objectContaining({
      code: 'HTTP_CONTENT_TYPE',
      context: { url, contentType: 'application/octet-stream', excerpt: '<html>', byteOffset: 0 },
    }),
  )
})

test('failures that may pass are returned, and others thrown', () => {
  expect(rules.passing(new TypeError('reset'), 5)).toMatchObject({
    code: 'HTTP_TRANSPORT',
    context: { url, byteOffset: 5 },
  })
  const fatal = new FeedError('HTTP_CONTENT_LENGTH', 'bad', { url, received: '' })
  expect(() => rules.passing(fatal, 5)).toThrow(fatal)
  const abort = new AbortController()
  abort.abort()
  expect(() => new BodyRules(settings, abort.signal).passing(new TypeError('reset'), 5)).toThrow(
    FeedError,
  )
})

test('limits and lengths are in the errors', () => {
  expect(rules.idleLimit(3, 1).onLimit()).toMatchObject({
    code: 'HTTP_TIMEOUT',
    context: { url, phase: 'body', limitMs: 7, byteOffset: 3 },
  })
  expect(rules.shortBody(3)).toMatchObject({
    code: 'HTTP_TRANSPORT',
    retryable: true,
    context: { byteOffset: 3 },
  })
  expect(rules.tooLong(3, 9)).toMatchObject({
    code: 'RANGE_BODY_TOO_LONG',
    retryable: false,
    context: { byteOffset: 3, expectedBytes: 9 },
  })
})

const late = new Error('late')
const limits = (signal = new AbortController().signal) => ({
  signal,
  limitMs: 100,
  onLimit: () => late,
})
const bytes = (text: string) => new TextEncoder().encode(text)

function responseOf(
  ...steps: (Uint8Array | Error | 'stall')[]
): RangeResponse & { discarded: number } {
  return {
    status: 200,
    discarded: 0,
    header: () => undefined,
    body: (async function* () {
      for (const step of steps) {
        if (step instanceof Error) throw step
        if (step === 'stall') await new Promise(() => {})
        else yield step
      }
    })(),
    discard() {
      this.discarded++
    },
  }
}

async function partsOf(response: RangeResponse): Promise<string[]> {
  const parts: string[] = []
  for await (const part of readBody(response, limits())) parts.push(new TextDecoder().decode(part))
  return parts
}

afterEach(() => vi.useRealTimers())

/** The same response from a transport that pushes its parts. */
function pushing(
  ...steps: (Uint8Array | Error | 'stall')[]
): RangeResponse & { discarded: number } {
  const response = responseOf(...steps)
  return Object.assign(response, {
    async receive(onPart: (part: Uint8Array) => void) {
      for await (const part of response.body) onPart(part)
    },
  })
}

describe.each([
  ['pulled', responseOf],
  ['pushed', pushing],
] as const)('a body that is received, %s', (_, made) => {
  test('gives the parts, without empty ones, until one is enough', async () => {
    for (const enough of ['b', 'c', undefined]) {
      const response = made(bytes('a'), bytes(''), bytes('b'), bytes('c'))
      const parts: string[] = []
      await receiveBody(
        response,
        limits(),
        part => parts.push(new TextDecoder().decode(part)) > 0 && parts.at(-1) !== enough,
      )
      expect(parts).toEqual(enough === 'b' ? ['a', 'b'] : ['a', 'b', 'c'])
      expect(response.discarded).toBeGreaterThan(0)
    }
  })

  test('fails as the body does, as its reader does, and as the signal says', async () => {
    const failing = made(bytes('a'), late)
    await expect(receiveBody(failing, limits(), () => true)).rejects.toBe(late)
    const refused = made(bytes('a'), 'stall')
    const refusal = () => {
      throw late
    }
    await expect(receiveBody(refused, limits(), refusal)).rejects.toBe(late)
    const abort = new AbortController()
    const aborted = made('stall')
    const receiving = expect(receiveBody(aborted, limits(abort.signal), () => true)).rejects.toBe(
      late,
    )
    abort.abort(late)
    await receiving
    await expect(receiveBody(made(bytes('a')), limits(abort.signal), () => true)).rejects.toBe(late)
    expect([failing, refused, aborted].map(({ discarded }) => discarded > 0)).toEqual([
      true,
      true,
      true,
    ])
  })

  test('fault 31: the limit runs anew with each part, and no timer outlives the reading', async () => {
    vi.useFakeTimers()
    let proceed = () => {}
    const response = made('stall')
    const turns = (async function* () {
      for (let n = 0; n < 3; n++) {
        await new Promise<void>(resolve => {
          proceed = resolve
        })
        yield bytes('a')
      }
      await new Promise(() => {})
    })()
    const slow = Object.assign(response, { body: turns })
    let parts = 0
    const stalled = expect(receiveBody(slow, limits(), () => ++parts > 0)).rejects.toBe(late)
    for (let n = 0; n < 3; n++) {
      await vi.advanceTimersByTimeAsync(90)
      proceed()
    }
    await vi.advanceTimersByTimeAsync(99)
    expect(parts).toBe(3)
    await vi.advanceTimersByTimeAsync(1)
    await stalled
    expect(vi.getTimerCount()).toBe(0)
  })
})

test('gives the parts, without empty ones, and discards what is left', async () => {
  const response = responseOf(bytes('a'), bytes(''), bytes('b'))
  expect(await partsOf(response)).toEqual(['a', 'b'])
  expect(response.discarded).toBe(1)
})

test('fails as the body does, and discards', async () => {
  const response = responseOf(bytes('a'), late)
  await expect(partsOf(response)).rejects.toBe(late)
  expect(response.discarded).toBe(1)
})

test('fault 31: the limit holds while a part is awaited, not while the reader is paused', async () => {
  vi.useFakeTimers()
  const reading = readBody(responseOf(bytes('a'), bytes('b'), 'stall'), limits())
  expect((await reading.next()).done).toBe(false)
  expect(vi.getTimerCount()).toBe(0)
  await vi.advanceTimersByTimeAsync(1000)
  expect((await reading.next()).done).toBe(false)
  const stalled = expect(reading.next()).rejects.toBe(late)
  await vi.advanceTimersByTimeAsync(100)
  await stalled
})

test('a text is cut at its limit, inside a character too, and discarded', async () => {
  const response = responseOf(bytes('ab'), bytes('cdé'), 'stall')
  expect(await readErrorText(response, limits(), 3)).toBe('abc')
  expect(response.discarded).toBeGreaterThan(0)
  expect(await readErrorText(responseOf(bytes('ab'), bytes('c')), limits(), 100)).toBe('abc')
})

test('a text that fails or stalls is returned as far as it came, and an abort rejects', async () => {
  expect(await readErrorText(responseOf(bytes('ab'), late), limits(), 100)).toBe('ab')
  vi.useFakeTimers()
  const stalled = readErrorText(responseOf(bytes('ab'), 'stall'), limits(), 100)
  await vi.advanceTimersByTimeAsync(100)
  expect(await stalled).toBe('ab')
  const abort = new AbortController()
  const aborted = expect(
    readErrorText(responseOf('stall'), limits(abort.signal), 100),
  ).rejects.toBe(late)
  abort.abort(late)
  await aborted
})
