import { afterEach, expect, test, vi } from 'vitest'
import type { RangeResponse } from '../../src/stages/range-transport'
import { readBody, readBodyText } from '../../src/stages/response-body'

const late = new Error('late')
const limits = (signal = new AbortController().signal) => ({ signal, limitMs: 100, onLimit: () => late })
const bytes = (text: string) => new TextEncoder().encode(text)

function responseOf(...steps: (Uint8Array | Error | 'stall')[]): RangeResponse & { discarded: number } {
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

test('fault 31: the limit runs while a part is waited for, not while nobody asks', async () => {
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
  expect(await readBodyText(response, 3, limits())).toBe('abc')
  expect(response.discarded).toBe(1)
  expect(await readBodyText(responseOf(bytes('ab'), bytes('c')), 100, limits())).toBe('abc')
})

test('a text that fails or stalls is what came of it; an abort is an abort', async () => {
  expect(await readBodyText(responseOf(bytes('ab'), late), 100, limits())).toBe('ab')
  vi.useFakeTimers()
  const stalled = readBodyText(responseOf(bytes('ab'), 'stall'), 100, limits())
  await vi.advanceTimersByTimeAsync(100)
  expect(await stalled).toBe('ab')
  const abort = new AbortController()
  const aborted = expect(readBodyText(responseOf('stall'), 100, limits(abort.signal))).rejects.toBe(late)
  abort.abort(late)
  await aborted
})
