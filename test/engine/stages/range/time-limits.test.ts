import { expect, test } from 'vitest'
import { timeLimit } from '../../../../src/engine/stages/range/time-limits'

const { signal } = new AbortController()
const url = 'http://feed.test/file?token=t'
const printableUrl = 'http://feed.test/file?token=…'

test.each([
  ['token', 'token', 'no token came in 7 ms'],
  ['turn', 'queue', 'no turn for the request came in 7 ms'],
  ['response', 'headers', 'no response came in 7 ms'],
  ['nextBytes', 'body', 'no further bytes came in 7 ms'],
  ['wholeBody', 'body', 'no whole body came in 7 ms'],
] as const)('the wait for a %s ends with HTTP_TIMEOUT of the phase %s', (wait, phase, message) => {
  const limits = timeLimit(wait, { url, signal, limitMs: 7 })
  expect(limits).toMatchObject({ signal, limitMs: 7 })
  const error = limits.onLimit()
  expect(error).toMatchObject({ code: 'HTTP_TIMEOUT', message, retryable: true })
  expect(error).toHaveProperty('context', { url: printableUrl, phase, limitMs: 7 })
})

test('a limit of a range says where the range starts', () => {
  expect(timeLimit('response', { url, signal, limitMs: 7, byteOffset: 3 }).onLimit()).toMatchObject(
    {
      context: { byteOffset: 3 },
    },
  )
})
