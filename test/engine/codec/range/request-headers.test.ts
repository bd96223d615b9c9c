import { expect, test } from 'vitest'
import { sendableHeaders } from '../../../../src/engine/codec/range/request-headers'

test('fault 86: CR, LF, NUL and other forbidden characters are refused without showing the value', () => {
  for (const value of [
    'a\r\nX: secret',
    'a\nsecret',
    'a\rsecret',
    'secret\0',
    'secret\u2028',
    'sécret€',
  ])
    expect(() => sendableHeaders({ Accept: '*/*', Authorization: value })).toThrow(
      expect.objectContaining({
        code: 'HTTP_HEADER_INVALID',
        context: { header: 'Authorization' },
        message: expect.not.stringContaining('secret'),
      }),
    )
})

test('fault 86: a header name that is no token is refused', () => {
  for (const name of ['', 'a b', 'a:b', 'a\r\nb', 'é'])
    expect(() => sendableHeaders({ [name]: 'x' })).toThrow(
      expect.objectContaining({ code: 'HTTP_HEADER_INVALID' }),
    )
})

test('valid headers are returned unchanged', () => {
  const headers = {
    Authorization: 'Bearer a.b-c',
    'X-MKT-C-MARKETPLACE-ID': 'MKT_US',
    Note: 'tab\tand é',
  }
  expect(sendableHeaders(headers)).toBe(headers)
})
