import { expect, test } from 'vitest'
import { readServiceError } from '../../../src/codec/range/service-error'

const described = {
  errorId: 13006,
  category: 'APPLICATION',
  domain: 'API_FEED',
  message: 'wait',
  longMessage: 'wait and retry',
  parameters: [{ name: 'a', value: 'b' }, { name: 'c' }],
}

test('both forms are read', () => {
  expect(readServiceError(JSON.stringify({ ...described, subdomain: 'feed' }))).toEqual(described)
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
    '{"errorId":1.5,"parameters":{},"domain":null}',
  ])
    expect([text, readServiceError(text)]).toEqual([text, {}])
})

test('parameters of the wrong kind are left out, and there are at most 20', () => {
  const parameters = [null, 5, 'x', { value: 'no name' }, { name: 'a', value: 7 }]
  expect(readServiceError(JSON.stringify({ parameters }))).toEqual({ parameters: [{ name: 'a' }] })
  const many = Array.from({ length: 50 }, (_, n) => ({ name: `p${n}`, value: 'v'.repeat(999) }))
  const read = readServiceError(JSON.stringify({ parameters: many })).parameters
  expect([read?.length, read?.[0]?.value?.length]).toEqual([20, 200])
})

test('long texts are cut', () => {
  const { message, category } = readServiceError(JSON.stringify({ message: 'm'.repeat(999), category: 'c'.repeat(999) }))
  expect([message?.length, category?.length]).toEqual([200, 40])
})
