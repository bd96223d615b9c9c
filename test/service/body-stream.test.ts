import { Readable } from 'node:stream'
import { expect, test } from 'vitest'
import { bodyOfStream } from '../../src/service/body-stream'

const url = 'http://feed.test/file'
const bytes = (text: string) => new TextEncoder().encode(text)
const streamOf = (...steps: (string | Error)[]) =>
  Readable.from(
    (function* () {
      for (const step of steps) {
        if (step instanceof Error) throw step
        yield Buffer.from(step)
      }
    })(),
  )

const ways: readonly [string, (stream: Readable) => Promise<Uint8Array>][] = [
  [
    'iterated',
    async stream => {
      const parts: Uint8Array[] = []
      for await (const part of bodyOfStream(stream, url).body) parts.push(part)
      return Buffer.concat(parts)
    },
  ],
  [
    'received',
    async stream => {
      const parts: Uint8Array[] = []
      await bodyOfStream(stream, url).receive(part => void parts.push(part))
      return Buffer.concat(parts)
    },
  ],
]

test.each(ways)('%s: all parts, or a typed failure', async (_, read) => {
  expect(Uint8Array.from(await read(streamOf('ab', 'c')))).toEqual(bytes('abc'))
  expect((await read(streamOf())).length).toBe(0)
  await expect(read(streamOf('ab', new Error('reset')))).rejects.toMatchObject({ code: 'HTTP_TRANSPORT', context: { url } })
})

test.each(ways)('%s: a stream that was destroyed before or is discarded meanwhile does not hang', async (_, read) => {
  const before = streamOf('ab')
  before.on('error', () => {}).destroy(new Error('reset'))
  await new Promise(resolve => setImmediate(resolve))
  await expect(read(before)).rejects.toMatchObject({ code: 'HTTP_TRANSPORT' })
  const stalled = new Readable({ read() {} })
  const reading = expect(read(stalled)).rejects.toMatchObject({ code: 'HTTP_TRANSPORT' })
  setImmediate(() => stalled.destroy())
  await reading
})
