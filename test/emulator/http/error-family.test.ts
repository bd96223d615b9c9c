import { expect, test } from 'vitest'
import { ErrorFamily, type ErrorFamilyOptions } from '../../../src/emulator/http/error-family'

const requestError = (status: number, message: string, input?: string) => ({
  status,
  category: 'REQUEST' as const,
  message,
  ...(input === undefined ? {} : { input }),
})

const family = (options: Partial<ErrorFamilyOptions> = {}) => {
  const rows = { 7: requestError(400, 'Wrong.', 'limit'), 8: requestError(404, 'Gone.') }
  return new ErrorFamily(rows, {
    domain: 'API_FEED',
    subdomain: 'feed',
    wrapped: false,
    ...options,
  })
}

test('the documented Error has every field', async () => {
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

test('a row without an input names and repeats nothing', async () => {
  expect(await family().response(8, { received: 'x' }).json()).toMatchObject({
    inputRefIds: [],
    parameters: [],
  })
  expect(await family().response(7, { received: null }).json()).toMatchObject({
    inputRefIds: ['limit'],
    parameters: [],
  })
})

test('placeholders are filled in as parameters, and a text in a request is no placeholder', async () => {
  const rows = { 7: requestError(400, 'From {least} to {most}, not {the_other}.', 'limit') }
  const one = new ErrorFamily(rows, { domain: 'API_FEED', subdomain: 'feed', wrapped: false })
  const body = await one
    .response(7, { received: '{most}', values: { least: '20', most: '{least}' } })
    .json()
  expect(body).toMatchObject({
    message: 'From 20 to {least}, not the other.',
    longMessage: 'From 20 to {least}, not the other.',
    parameters: [
      { name: 'limit', value: '{most}' },
      { name: 'least', value: '20' },
      { name: 'most', value: '{least}' },
    ],
  })
})

test('an input has the name of the profile, unless the answer gives another', async () => {
  const named = family({ inputNames: { limit: 'X-Limit' } })
  expect(await named.response(7, { received: '1' }).json()).toMatchObject({
    inputRefIds: ['X-Limit'],
    parameters: [{ name: 'X-Limit', value: '1' }],
  })
  expect(await named.response(7, { input: 'other' }).json()).toMatchObject({
    inputRefIds: ['other'],
  })
})

test('an error may have no code', async () => {
  const response = family({ wrapped: true }).codeless(413, 'Too long.', { input: 'body' })
  expect([response.status, await response.json()]).toEqual([
    413,
    {
      errors: [
        {
          category: 'REQUEST',
          domain: 'API_FEED',
          subdomain: 'feed',
          message: 'Too long.',
          longMessage: 'Too long.',
          inputRefIds: ['body'],
          outputRefIds: [],
          parameters: [],
        },
      ],
    },
  ])
  expect(await family().codeless(500, 'x').json()).toMatchObject({ category: 'APPLICATION' })
})

test('an error may be wrapped, and have another status', async () => {
  const other = family({ wrapped: true, statuses: { 8: 409 } })
  expect([other.status(7), other.status(8)]).toEqual([400, 409])
  expect(await other.response(8).json()).toMatchObject({ errors: [{ errorId: 8 }] })
})
