import { expect, test } from 'vitest'
import { FeedError } from '../../../src/engine/errors'
import { readWholeBody } from '../../../src/service/http/whole-body'

const limits = (limitMs = 1000) => ({
  signal: new AbortController().signal,
  limitMs,
  onLimit: () => new FeedError('HTTP_TIMEOUT', 'slow', { url: 'u', phase: 'body', limitMs }),
})
const tooLong = () =>
  new FeedError('RESPONSE_INVALID', 'long', {
    operation: 'o',
    url: 'u',
    path: '',
    reason: 'long',
  })

function response(parts: (seen: { discarded: number }) => AsyncGenerator<Uint8Array, void, void>) {
  const seen = { discarded: 0 }
  return {
    seen,
    response: {
      status: 200,
      header: () => undefined,
      body: parts(seen),
      discard: () => void seen.discarded++,
    },
  }
}

const bytesOf = (text: string) =>
  response(async function* () {
    for (const byte of Buffer.from(text)) yield Uint8Array.of(byte)
  })

test('a text of exactly the size limit is read, however it is cut into parts', async () => {
  const whole = bytesOf('größe €')
  expect(await readWholeBody(whole.response, 11, limits(), tooLong)).toBe('größe €')
  const long = bytesOf('größe €')
  await expect(readWholeBody(long.response, 10, limits(), tooLong)).rejects.toMatchObject({
    code: 'RESPONSE_INVALID',
  })
  expect(whole.seen.discarded).toBeGreaterThan(0)
  expect(long.seen.discarded).toBeGreaterThan(0)
})

test('one time limit holds for all parts of a slow body', async () => {
  const { response: dripping, seen } = response(async function* (seen) {
    while (seen.discarded === 0) {
      await new Promise(resolve => setTimeout(resolve, 2))
      yield Uint8Array.of(32)
    }
  })
  await expect(readWholeBody(dripping, 1 << 20, limits(20), tooLong)).rejects.toMatchObject({
    code: 'HTTP_TIMEOUT',
  })
  expect(seen.discarded).toBeGreaterThan(0)
})
