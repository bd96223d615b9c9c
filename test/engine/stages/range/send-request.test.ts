import { describe, expect, test, vi } from 'vitest'
import type {
  RangeRequest,
  RangeResponse,
} from '../../../../src/engine/stages/range/range-transport'
import {
  MOST_SENDS,
  sendInTime,
  sendRenewing,
  timeLimit,
} from '../../../../src/engine/stages/range/send-request'

describe('send request', () => {
  const url = 'http://feed.test/file'

  function responseOf(status: number): RangeResponse & { readonly discard: () => void } {
    return {
      status,
      header: () => undefined,
      body: { async *[Symbol.asyncIterator]() {} },
      discard: vi.fn(),
    }
  }

  function requestOf(signal = new AbortController().signal): RangeRequest {
    return { url, headers: {}, signal }
  }

  test('a request past its limit is aborted, and a response that comes late is discarded', async () => {
    const request = requestOf()
    const limits = timeLimit('response', { url, signal: request.signal, limitMs: 5 })
    let answer = (_: RangeResponse) => {}
    let sent: RangeRequest | undefined
    const send = (given: RangeRequest) => {
      sent = given
      return new Promise<RangeResponse>(resolve => {
        answer = resolve
      })
    }
    await expect(sendInTime({ send }, request, limits)).rejects.toMatchObject({
      code: 'HTTP_TIMEOUT',
      message: 'no response came in 5 ms',
      context: { url, phase: 'headers', limitMs: 5 },
    })
    expect(sent!.signal.aborted).toBe(true)
    const late = responseOf(200)
    answer(late)
    await vi.waitFor(() => expect(late.discard).toHaveBeenCalledOnce())
  })

  test("the caller's abort ends the request, and a transport that throws rejects", async () => {
    const abort = new AbortController()
    const limits = timeLimit('response', { url, signal: abort.signal, limitMs: 60_000 })
    const sending = sendInTime({ send: () => new Promise(() => {}) }, requestOf(), limits)
    abort.abort(new RangeError('enough'))
    await expect(sending).rejects.toThrow('enough')
    const send = () => {
      throw new RangeError('thrown at once')
    }
    const others = timeLimit('response', { url, signal: requestOf().signal, limitMs: 60_000 })
    await expect(sendInTime({ send }, requestOf(), others)).rejects.toThrow('thrown at once')
  })

  test('a 401 is discarded and the request sent once more, never a third time', async () => {
    const responses = [responseOf(401), responseOf(401)]
    const reasons: string[] = []
    const response = await sendRenewing(async reason => {
      reasons.push(reason)
      return responses[reasons.length - 1]!
    })
    expect(reasons).toEqual(['first', 'unauthorized'])
    expect(reasons).toHaveLength(MOST_SENDS)
    expect(response).toBe(responses[1])
    expect(responses[0]!.discard).toHaveBeenCalledOnce()
    expect(responses[1]!.discard).not.toHaveBeenCalled()
  })

  test('any other status is the answer', async () => {
    for (const status of [200, 403, 500]) {
      const send = vi.fn(async () => responseOf(status))
      expect((await sendRenewing(send)).status).toBe(status)
      expect(send).toHaveBeenCalledOnce()
    }
  })
})

describe('time limits', () => {
  const { signal } = new AbortController()
  const url = 'http://feed.test/file?token=t'
  const printableUrl = 'http://feed.test/file?token=…'

  test.each([
    ['token', 'token', 'no token came in 7 ms'],
    ['turn', 'queue', 'no turn for the request came in 7 ms'],
    ['response', 'headers', 'no response came in 7 ms'],
    ['nextBytes', 'body', 'no further bytes came in 7 ms'],
    ['wholeBody', 'body', 'no whole body came in 7 ms'],
  ] as const)(
    'the wait for a %s ends with HTTP_TIMEOUT of the phase %s',
    (wait, phase, message) => {
      const limits = timeLimit(wait, { url, signal, limitMs: 7 })
      expect(limits).toMatchObject({ signal, limitMs: 7 })
      const error = limits.onLimit()
      expect(error).toMatchObject({ code: 'HTTP_TIMEOUT', message, retryable: true })
      expect(error).toHaveProperty('context', { url: printableUrl, phase, limitMs: 7 })
    },
  )

  test('a limit of a range says where the range starts', () => {
    expect(
      timeLimit('response', { url, signal, limitMs: 7, byteOffset: 3 }).onLimit(),
    ).toMatchObject({
      context: { byteOffset: 3 },
    })
  })
})
