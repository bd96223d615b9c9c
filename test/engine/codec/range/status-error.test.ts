import { expect, test } from 'vitest'
import { statusError } from '../../../../src/engine/codec/range/status-error'

const facts = { url: 'https://a.test/', status: 400 }

test('the context has the description and the request', () => {
  const cause = new Error('x')
  const error = statusError(
    { ...facts, operation: 'getFile', byteOffset: 5 },
    { errorId: 14004, category: 'REQUEST' },
    cause,
  )
  expect(error).toMatchObject({
    code: 'HTTP_STATUS',
    message: 'getFile: status 400, error 14004',
    retryable: false,
    cause,
  })
  expect(error.context).toEqual({
    ...facts,
    operation: 'getFile',
    byteOffset: 5,
    errorId: 14004,
    category: 'REQUEST',
  })
  expect(statusError(facts, {})).toMatchObject({ message: 'status 400', context: facts })
})

test('fault 27: some statuses and error codes are retryable', () => {
  for (const status of [408, 429, 500, 502, 503, 504])
    expect(statusError({ ...facts, status }, {}).retryable).toBe(true)
  for (const status of [400, 401, 403, 404, 409, 416, 501])
    expect(statusError({ ...facts, status }, {}).retryable).toBe(false)
  for (const errorId of [13006, 13007]) expect(statusError(facts, { errorId }).retryable).toBe(true)
  expect(statusError({ ...facts, status: 404 }, { errorId: 14004 }).retryable).toBe(false)
})
