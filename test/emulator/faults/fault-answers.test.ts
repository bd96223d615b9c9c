import { expect, test } from 'vitest'
import { FAULT_KINDS } from '../../../src/emulator/faults/fault'
import {
  cannedAnswer,
  failingRequest,
  unreadableFault,
} from '../../../src/emulator/faults/fault-answers'

const request = new Request('http://x/', {
  headers: { authorization: 'Bearer a.b', range: 'bytes=0-1' },
})

test('only these kinds of faults replace the answer', () => {
  const answers = FAULT_KINDS.flatMap(kind => cannedAnswer({ kind }, request)?.status ?? [])
  expect(answers).toEqual([200, 401, 404, 409, 416, 429, 503])
})

test('Retry-After may be any text, or absent', () => {
  const retryAfter = (text?: string) =>
    cannedAnswer(
      { kind: '503', ...(text === undefined ? {} : { 'retry-after': text }) },
      request,
    )!.headers.get('retry-after')
  expect([retryAfter('0'), retryAfter('soon'), retryAfter()]).toEqual(['0', 'soon', null])
})

test('a request that is meant to fail inside keeps its token', () => {
  const failing = failingRequest(request)
  expect([failing.headers.get('authorization'), failing.headers.get('x-feedmill-fault')]).toEqual([
    'Bearer a.b',
    'error;code=internal',
  ])
})

test('a fault that cannot be read is a mistake of the tester', async () => {
  expect(unreadableFault(new Error('x')).status).toBe(400)
})
