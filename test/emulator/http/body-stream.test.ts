import { expect, test } from 'vitest'
import { chunksOf, streamOf } from '../../../src/emulator/http/body-stream'

function counted(count: number) {
  const state = { made: 0, ended: false }
  const chunks = (async function* () {
    try {
      while (state.made < count) yield Uint8Array.of(state.made++)
    } finally {
      state.ended = true
    }
  })()
  return { state, chunks }
}

test('a body can be read back', async () => {
  const read: number[] = []
  for await (const chunk of chunksOf(streamOf(counted(4).chunks))) read.push(...chunk)
  expect(read).toEqual([0, 1, 2, 3])
})

test('no chunk is made before it is requested', async () => {
  const { state, chunks } = counted(4)
  const reader = streamOf(chunks).getReader()
  await new Promise(resolve => setImmediate(resolve))
  expect(state.made).toBe(0)
  await reader.read()
  expect(state.made).toBe(1)
})

test('a cancelled body ends its source after it freed what the source waits for', async () => {
  const { state, chunks } = counted(4)
  const order: string[] = []
  const stream = streamOf(chunks, () => order.push(state.ended ? 'after' : 'before'))
  const reader = stream.getReader()
  await reader.read()
  await reader.cancel()
  expect([order, state.ended]).toEqual([['before'], true])
})

test('a partial read of the chunks cancels the body', async () => {
  const { state, chunks } = counted(4)
  for await (const _ of chunksOf(streamOf(chunks))) break
  expect(state.ended).toBe(true)
})

test('a failing source makes the body fail', async () => {
  const failure = new Error('made to fail')
  const stream = streamOf(
    // biome-ignore lint/correctness/useYield: it fails before it could
    (async function* () {
      throw failure
    })(),
  )
  await expect(stream.getReader().read()).rejects.toBe(failure)
})
