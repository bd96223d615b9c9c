import { describe, expect, test } from 'vitest'
import { inProcessFetch } from '../../../src/emulator/http/in-process-fetch'

const echo = inProcessFetch(
  async request =>
    new Response(`${request.method} ${request.url} ${await request.text()}`, {
      status: 202,
      headers: { 'x-a': 'b' },
    }),
)

/** A body that gives one chunk and then nothing, and records that it was cancelled. */
function stalled() {
  const state = { cancelled: false }
  const body = new ReadableStream<Uint8Array>({
    start: controller => controller.enqueue(Buffer.from('first')),
    cancel: () => {
      state.cancelled = true
    },
  })
  return { state, fetch: inProcessFetch(async () => new Response(body)) }
}

describe('in-process fetch', () => {
  test('accepts the arguments of fetch', async () => {
    const asked = [
      await echo('http://x/a', { method: 'POST', body: 'hi' }),
      await echo(new URL('http://x/a'), { method: 'POST', body: 'hi' }),
      await echo(new Request('http://x/a', { method: 'POST', body: 'hi' })),
    ]
    for (const response of asked) {
      expect([response.status, response.headers.get('x-a'), await response.text()]).toEqual([
        202,
        'b',
        'POST http://x/a hi',
      ])
    }
  })

  test('keeps an absent body absent', async () => {
    const fetch = inProcessFetch(async () => new Response(null, { status: 204 }))
    expect((await fetch('http://x/')).body).toBeNull()
  })

  test('fails with the reason of an abort before the request or during its answer', async () => {
    const reason = new Error('enough')
    await expect(echo('http://x/', { signal: AbortSignal.abort(reason) })).rejects.toBe(reason)
    const controller = new AbortController()
    const pending = inProcessFetch(() => new Promise(() => {}))('http://x/', {
      signal: controller.signal,
    })
    controller.abort(reason)
    await expect(pending).rejects.toBe(reason)
  })

  test('ends the read and cancels the source on an abort inside a body', async () => {
    const { state, fetch } = stalled()
    const controller = new AbortController()
    const reader = (await fetch('http://x/', { signal: controller.signal })).body!.getReader()
    expect(Buffer.from((await reader.read()).value!).toString()).toBe('first')
    const next = reader.read()
    controller.abort()
    await expect(next).rejects.toThrow()
    expect(state.cancelled).toBe(true)
  })

  test('takes nothing from the source of a body that nobody reads', async () => {
    let pulls = 0
    const source = () =>
      new ReadableStream<Uint8Array>({ pull: () => void pulls++ }, { highWaterMark: 0 })
    const response = await inProcessFetch(async () => new Response(source()))('http://x/')
    await new Promise(resolve => setImmediate(resolve))
    expect(pulls).toBe(0)
    await response.body!.cancel()
  })

  test('cancels the source with its body', async () => {
    const { state, fetch } = stalled()
    await (await fetch('http://x/')).body!.cancel()
    expect(state.cancelled).toBe(true)
  })
})
