import { expect, test } from 'vitest'
import { readRefusal } from '../../../../src/engine/codec/range/refusal'

const nowMs = Date.parse('Sun, 06 Nov 1994 08:49:37 GMT')

function refused(status: number, headers: Record<string, string>, text?: string) {
  const header = (name: string) => headers[name]
  return text === undefined ? { status, header } : { status, header, text }
}

test('a refusal has the facts of the body, the challenge and Retry-After', () => {
  const text = JSON.stringify({ errorId: 13006, message: 'internal problem' })
  const challenge = 'Bearer error="invalid_token", error_description="expired"'
  const headers = { 'www-authenticate': challenge, 'retry-after': '7' }
  const where = { url: 'http://feed.test/', operation: 'getFiles' }
  const { error, description, retryAfterMs } = readRefusal(
    refused(500, headers, text),
    where,
    nowMs,
  )
  expect(error).toMatchObject({
    code: 'HTTP_STATUS',
    retryable: true,
    context: {
      url: 'http://feed.test/',
      status: 500,
      operation: 'getFiles',
      errorId: 13006,
      challenge: { error: 'invalid_token', description: 'expired' },
    },
  })
  expect(description).toEqual({ errorId: 13006, message: 'internal problem' })
  expect(retryAfterMs).toBe(7000)
})

test('a refusal without a body or headers has only its status', () => {
  const where = { url: 'http://feed.test/', byteOffset: 3 }
  const { error, description, retryAfterMs } = readRefusal(refused(404, {}), where, nowMs)
  expect(error.context).toEqual({ url: 'http://feed.test/', status: 404, byteOffset: 3 })
  expect(error.retryable).toBe(false)
  expect(description).toEqual({})
  expect(retryAfterMs).toBeUndefined()
})
