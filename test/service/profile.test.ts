import { describe, expect, test } from 'vitest'
import { defineProfile, operationUrl, type ProfileOptions } from '../../src/service/profile'

const REQUIRED = {
  baseUrl: 'https://api.test',
  tokenUrl: 'https://id.test/token',
  scopeBase: 'https://api.test/oauth',
}
const profileOf = (options: Partial<ProfileOptions> = {}) =>
  defineProfile({ ...REQUIRED, ...options })
const mistake = (option: string) =>
  expect.objectContaining({ code: 'OPTION_INVALID', context: expect.objectContaining({ option }) })

test('defaults are those of service-notes.md, sections 2 and 3', () => {
  expect(profileOf()).toMatchObject({
    keysBaseUrl: 'https://api.test/developer/key_management/v1',
    notificationsBaseUrl: 'https://api.test/commerce/notification/v1',
    marketplaceHeader: 'X-MKT-C-MARKETPLACE-ID',
    marketplacePrefix: 'MKT_',
    lookBackParameter: 'look_back',
    maxRangeBytes: 100_000_000,
    limits: {
      pageSizeLeast: 20,
      pageSizeMost: 100,
      categoryIds: 20,
      marketplaceIds: 10,
      dailyDays: 17,
      snapshotDays: 7,
      priorityDays: 14,
    },
  })
  expect(profileOf({ sandbox: true }).maxRangeBytes).toBe(10_000_000)
})

test('an operation has its address', () => {
  const profile = profileOf({ baseUrl: 'https://api.test/' })
  const paths: [Parameters<typeof operationUrl>[1], string][] = [
    ['getAccess', '/buy/feed/v1/access'],
    ['getFeedTypes', '/buy/feed/v1/feed_type'],
    ['getFeedType', '/buy/feed/v1/feed_type/T%201'],
    ['getFiles', '/buy/feed/v1/file'],
    ['getFile', '/buy/feed/v1/file/f%3F1'],
    ['downloadFile', '/buy/feed/v1/file/f%3F1/download'],
    ['getItemFeed', '/buy/feed/v1_beta/item'],
    ['getItemGroupFeed', '/buy/feed/v1_beta/item_group'],
    ['getItemSnapshotFeed', '/buy/feed/v1_beta/item_snapshot'],
    ['getItemPriorityFeed', '/buy/feed/v1_beta/item_priority'],
    ['getSigningKey', '/developer/key_management/v1/signing_key/k'],
    ['createSubscription', '/commerce/notification/v1/subscription'],
  ]
  const identifiers = { feed_type_id: 'T 1', file_id: 'f?1', signing_key_id: 'k' }
  for (const [operation, path] of paths)
    expect(operationUrl(profile, operation, identifiers)).toBe(`https://api.test${path}`)
  expect(paths.map(([operation]) => operation).sort()).toEqual(Object.keys(profile.paths).sort())
  expect(operationUrl(profile, 'getFiles', {}, new URLSearchParams({ a: 'b c' }))).toBe(
    'https://api.test/buy/feed/v1/file?a=b+c',
  )
})

test('scopes are the documented ones, or those of the profile', () => {
  const profile = profileOf({ scopeBase: 'https://api.test/oauth/', scopes: { getFiles: 'files' } })
  expect(profile.scopeBase).toBe('https://api.test/oauth')
  expect(profile.scopes).toMatchObject({
    getItemFeed: 'buy.item.feed',
    getSigningKey: 'api_scope',
    createSubscription: 'api_scope',
    getFiles: 'files',
  })
})

describe('plain http', () => {
  test.each(['http://localhost:8080', 'http://127.0.0.1', 'http://[::1]:1', 'http://a.localhost'])(
    '%s is this machine',
    baseUrl => {
      expect(profileOf({ baseUrl, tokenUrl: `${baseUrl}/token` }).baseUrl).toBe(baseUrl)
    },
  )

  test.each([
    'http://api.test',
    'http://127.0.0.1.evil.test',
    'http://localhost.evil.test',
    'http://10.0.0.1',
  ])('%s is another machine, and is refused unless it is allowed', address => {
    for (const option of ['baseUrl', 'tokenUrl', 'keysBaseUrl', 'notificationsBaseUrl']) {
      expect(() => profileOf({ [option]: address })).toThrow(mistake(option))
      expect(profileOf({ [option]: address, allowHttp: true })).toMatchObject({ [option]: address })
    }
  })

  test('other texts are no addresses', () => {
    for (const baseUrl of ['ftp://api.test', 'api.test', '', 'https://user:pw@api.test']) {
      expect(() => profileOf({ baseUrl })).toThrow(
        expect.objectContaining({ code: 'OPTION_INVALID' }),
      )
    }
  })
})

test('a base address has no query and no fragment', () => {
  for (const option of ['baseUrl', 'keysBaseUrl', 'notificationsBaseUrl']) {
    for (const rest of ['?a=1', '?', '#a'])
      expect(() => profileOf({ [option]: `https://api.test/${rest}` })).toThrow(mistake(option))
  }
  expect(() => profileOf({ tokenUrl: 'https://id.test/token#a' })).toThrow(mistake('tokenUrl'))
  expect(profileOf({ tokenUrl: 'https://id.test/token?tenant=a' }).tokenUrl).toBe(
    'https://id.test/token?tenant=a',
  )
})

test('a path has the variables of its default', () => {
  const paths = { getFile: '/v2/files/{file_id}', getFiles: '/v2/files' }
  expect(profileOf({ paths }).paths).toMatchObject(paths)
  for (const getFile of [
    '/v2/files',
    '/v2/files/{id}',
    '/v2/{file_id}/{file_id}',
    'v2/files/{file_id}',
    '',
  ]) {
    expect(() => profileOf({ paths: { getFile } })).toThrow(mistake('paths.getFile'))
  }
  expect(() => profileOf({ paths: { getFiles: '/v2/files/{file_id}' } })).toThrow(
    mistake('paths.getFiles'),
  )
})

test('limits are whole numbers', () => {
  for (const snapshotDays of [0, -1, 1.5, Number.NaN]) {
    expect(() => profileOf({ limits: { snapshotDays } })).toThrow(mistake('limits.snapshotDays'))
  }
})

test('fault 86: an identifier stays one segment of the path', () => {
  for (const file_id of ['..', '.', '', '/a', 'a/b', '\\', 'a\nb']) {
    const refused = expect.objectContaining({
      code: 'HTTP_IDENTIFIER_INVALID',
      context: expect.objectContaining({ parameter: 'file_id' }),
    })
    expect(() => operationUrl(profileOf(), 'getFile', { file_id })).toThrow(refused)
  }
})

test('a long address is read in one pass', () => {
  const path = `${'/'.repeat(1e6)}a`
  expect(profileOf({ baseUrl: `https://api.test${path}/` }).baseUrl).toBe(`https://api.test${path}`)
})
