import { expect, test } from 'vitest'
import { readServiceError } from '../../../src/codec/range/service-error'

const described = { errorId: 13006, category: 'APPLICATION', message: 'wait' }

test('both forms are read', () => {
  expect(readServiceError(JSON.stringify({ ...described, domain: 'API_FEED' }))).toEqual(described)
  expect(readServiceError(JSON.stringify({ errors: [described, { errorId: 1 }] }))).toEqual(described)
})

test('what is no description gives none', () => {
  for (const text of [
    '',
    '<html>',
    '{"errorId":',
    'null',
    '3',
    '[]',
    '{"errors":[]}',
    '{"errors":[null]}',
    '{"errors":["x"]}',
    '{"errorId":"13006","message":5}',
  ])
    expect([text, readServiceError(text)]).toEqual([text, {}])
})

test('long texts are cut', () => {
  const { message, category } = readServiceError(JSON.stringify({ message: 'm'.repeat(999), category: 'c'.repeat(999) }))
  expect([message?.length, category?.length]).toEqual([200, 40])
})
