import { PassThrough, Writable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { expect, test } from 'vitest'
import { stdoutSink } from '../../src/cli/stdout-sink'
import { pipeline } from '../../src/index'

test('one object a line, in order, however many', async () => {
  const stream = new PassThrough({ highWaterMark: 16 })
  const read = text(stream)
  const objects = Array.from({ length: 5_000 }, (_, n) => ({ n, title: 'ü "quoted"' }))
  const items = Array.from({ length: 50 }, (_, n) => objects.slice(n * 100, n * 100 + 100))
  await pipeline(items).run(stdoutSink(stream))
  stream.end()
  expect(
    (await read)
      .trimEnd()
      .split('\n')
      .map(line => JSON.parse(line)),
  ).toEqual(objects)
})

test('a reader that has gone away is a typed error and ends nothing else', async () => {
  const gone = new Writable({ write: (_chunk, _encoding, done) => done(Object.assign(new Error('write EPIPE'), { code: 'EPIPE' })) })
  await expect(pipeline([[{ n: 1 }]]).run(stdoutSink(gone))).rejects.toMatchObject({ code: 'SINK_FAILED', cause: { code: 'EPIPE' } })
})

test('a pipeline that fails writes no more', async () => {
  const stream = new PassThrough()
  const read = text(stream)
  async function* failing() {
    yield [{ n: 1 }]
    await Promise.reject(new Error('broken'))
  }
  await expect(pipeline(failing()).run(stdoutSink(stream))).rejects.toMatchObject({ code: 'STAGE_FAILED' })
  stream.end()
  expect(await read).toBe('')
})
