import { expect, test } from 'vitest'
import { readServiceError } from '../../../../src/engine/codec/range/service-error'

const described = {
  errorId: 13006,
  category: 'APPLICATION',
  domain: 'API_FEED',
  subdomain: 'feed',
  message: 'wait',
  longMessage: 'wait and retry',
  parameters: [{ name: 'a', value: 'b' }, { name: 'c' }],
}

test('both forms of the error body are read', () => {
  expect(readServiceError(JSON.stringify({ ...described }))).toEqual(described)
  expect(readServiceError(JSON.stringify({ errors: [described, { errorId: 1 }] }))).toEqual(
    described,
  )
})

test('a body that is no description gives an empty description', () => {
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
  const { message, category } = readServiceError(
    JSON.stringify({ message: 'm'.repeat(999), category: 'c'.repeat(999) }),
  )
  expect([message?.length, category?.length]).toEqual([200, 40])
})

test('the subdomain and the references to parts of the request are read: texts are cut, lists are capped, other types are left out', () => {
  const many = Array.from({ length: 50 }, (_, n) => `p${n}`)
  const body = JSON.stringify({
    errorId: 13012,
    subdomain: 's'.repeat(100),
    inputRefIds: ['~.marketplace', 7, 'x'.repeat(500)],
    outputRefIds: many,
  })
  const { subdomain, inputRefIds, outputRefIds } = readServiceError(body)
  expect([
    subdomain?.length,
    inputRefIds?.length,
    inputRefIds?.[0],
    inputRefIds?.[1]?.length,
  ]).toEqual([40, 2, '~.marketplace', 80])
  expect(outputRefIds).toEqual(many.slice(0, 20))
  expect(readServiceError('{"errorId":1,"inputRefIds":"a","outputRefIds":[]}')).toEqual({
    errorId: 1,
  })
})
