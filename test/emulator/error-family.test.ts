import { expect, test } from 'vitest'
import { ErrorFamily, type ErrorFamilyOptions, requestError } from '../../src/emulator/error-family'

const family = (options: Partial<ErrorFamilyOptions> = {}) => {
  const rows = { 7: requestError(400, 'Wrong.', 'limit'), 8: requestError(404, 'Gone.') }
  return new ErrorFamily(rows, { domain: 'API_FEED', subdomain: 'feed', wrapped: false, ...options })
}

test('the documented Error, with every field', async () => {
  const response = family().response(7, { received: 'x'.repeat(200), headers: { 'x-more': '1' } })
  expect([response.status, response.headers.get('x-more')]).toEqual([400, '1'])
  expect(await response.json()).toEqual({
    category: 'REQUEST',
    domain: 'API_FEED',
    errorId: 7,
    subdomain: 'feed',
    message: 'Wrong.',
    longMessage: 'Wrong.',
    inputRefIds: ['limit'],
    outputRefIds: [],
    parameters: [{ name: 'limit', value: 'x'.repeat(80) }],
  })
})

test('a row without an input names and repeats nothing', () => {
  expect(family().body(8, 'x')).toMatchObject({ inputRefIds: [], parameters: [] })
  expect(family().body(7, null)).toMatchObject({ inputRefIds: ['limit'], parameters: [] })
})

test('wrapped, and by another status', async () => {
  const other = family({ wrapped: true, statuses: { 8: 409 } })
  expect([other.status(7), other.status(8)]).toEqual([400, 409])
  expect(await other.response(8).json()).toMatchObject({ errors: [{ errorId: 8 }] })
})
