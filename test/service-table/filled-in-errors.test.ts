// The values that the service fills into its messages (feed-file-catalog.md, section 6;
// item-feeds.md, section 5): the allowed length, valid days and valid values, in the text and as a
// parameter, and the part of the request at fault. The test reads them over HTTP.

import { afterAll, describe, expect, test } from 'vitest'
import { token } from '../emulator/emulator-client'
import { ANOTHER, DOCUMENTED, type Shop, type Stand, Stands } from './shops'

const stands = new Stands()
afterAll(() => stands.close())

interface Filled {
  readonly errorId: number
  readonly input: string
  /** The required text, in addition to the parameters. */
  readonly says: readonly string[]
  /** The value of the input, where the request has one, and the filled-in values. */
  readonly parameters: Readonly<Record<string, string>>
}

interface Case {
  readonly path: string
  readonly headers?: Readonly<Record<string, string | null>>
  readonly expected: Filled
}

/**
 * The world is 72 hours from 2026-03-01T00:00Z, and its clock stands at 2026-03-04T01:00Z: in UTC-7
 * it is the 3rd, past 09:00.
 */
const DAILY = { earliest_date: '20260216', latest_date: '20260301' }
const PRIORITY = { earliest_date: '20260217', latest_date: '20260301' }
const SCOPES = { valid_values: 'NEWLY_LISTED, ALL_ACTIVE' }

function cases({ profile, emulator, shop }: Stand, fileId: string): Readonly<Record<string, Case>> {
  const {
    getItemFeed,
    getItemGroupFeed,
    getItemSnapshotFeed,
    getItemPriorityFeed,
    getFiles,
    getFeedTypes,
    downloadFile,
  } = emulator.paths
  const header = profile.marketplaceHeader
  const prefix = profile.marketplacePrefix
  const marketplaces = { valid_values: `${prefix}US, ${prefix}DE` }
  const item = `${getItemFeed}?feed_scope=ALL_ACTIVE&category_id=220`
  const download = downloadFile.replace('{file_id}', fileId)
  const { least, most, categories } = {
    least: '20',
    most: '100',
    categories: '20',
    ...(shop === ANOTHER && { least: '10', most: '50', categories: '5' }),
  }
  const daily = (path: string, date: string) =>
    `${path}?feed_scope=NEWLY_LISTED&category_id=220${date}`
  const one = (
    path: string,
    errorId: number,
    input: string,
    parameters: Readonly<Record<string, string>>,
    headers: Case['headers'] = {},
    says: readonly string[] = [],
  ): Case => ({ path, headers, expected: { errorId, input, parameters, says } })
  return {
    'another feed_scope': one(
      `${getItemFeed}?feed_scope=ALL&category_id=220`,
      13003,
      'feed_scope',
      { feed_scope: 'ALL', ...SCOPES },
    ),
    'no feed_scope': one(`${getItemGroupFeed}?category_id=220`, 13009, 'feed_scope', SCOPES),
    'a day without a file': one(
      daily(getItemFeed, '&date=20260201'),
      13005,
      'date',
      { date: '20260201', ...DAILY },
      {},
      ['yyyyMMdd'],
    ),
    'a day without a file of groups': one(daily(getItemGroupFeed, '&date=x'), 13005, 'date', {
      date: 'x',
      ...DAILY,
    }),
    'a day without changes of campaigns': one(
      `${getItemPriorityFeed}?category_id=220&date=20260216`,
      13005,
      'date',
      {
        date: '20260216',
        ...PRIORITY,
      },
    ),
    'no day': one(daily(getItemFeed, ''), 13011, 'date', DAILY, {}, ['yyyyMMdd']),
    'a day that is still being made': one(daily(getItemFeed, '&date=20260302'), 13007, 'date', {
      date: '20260302',
    }),
    'an hour that is still being made': one(
      `${getItemSnapshotFeed}?category_id=220&snapshot_date=2026-03-04T00:00:00.000Z`,
      13007,
      'snapshot_date',
      { snapshot_date: '2026-03-04T00:00:00.000Z' },
    ),
    'another form of hour': one(
      `${getItemSnapshotFeed}?category_id=220&snapshot_date=x`,
      13021,
      'snapshot_date',
      { snapshot_date: 'x' },
      {},
      ['yyyy-MM-ddTHH:mm:ss'],
    ),
    'no marketplace': one(item, 13013, header, marketplaces, { [header]: null }),
    'another form of marketplace': one(
      item,
      13012,
      header,
      { [header]: 'US', ...marketplaces },
      { [header]: 'US' },
    ),
    'a marketplace that is not there': one(
      item,
      13014,
      header,
      { [header]: `${prefix}ZZ`, ...marketplaces },
      { [header]: `${prefix}ZZ` },
    ),
    'no marketplace for a list': one(getFiles, 13014, header, marketplaces, { [header]: null }),
    'no Range': one(item, 13015, 'Range', { max_length: '100000' }, { range: null }),
    'a Range that is too long': one(
      item,
      13017,
      'Range',
      { Range: 'bytes=0-100001', max_length: '100000' },
      { range: 'bytes=0-100001' },
    ),
    'a file that needs a Range': one(
      download,
      13015,
      'Range',
      { max_length: '10' },
      { range: null },
    ),
    'a Range of a file that is too long': one(
      download,
      13017,
      'Range',
      { Range: 'bytes=0-100001', max_length: '100000' },
      { range: 'bytes=0-100001' },
    ),
    'a limit that is too small': one(`${getFiles}?limit=1`, 14001, 'limit', {
      limit: '1',
      least,
      most,
    }),
    'too many categories': one(
      `${getFiles}?category_ids=${'1,'.repeat(30)}`,
      14005,
      'category_ids',
      {
        category_ids: '1,'.repeat(30),
        most: categories,
      },
    ),
    'a look-back of nothing': one(
      `${getFiles}?${profile.lookBackParameter}=0`,
      14006,
      profile.lookBackParameter,
      {
        [profile.lookBackParameter]: '0',
      },
    ),
    'another form of marketplaces': one(
      `${getFeedTypes}?marketplace_ids=US`,
      14010,
      'marketplace_ids',
      {
        marketplace_ids: 'US',
        most: shop === ANOTHER ? '3' : '10',
        ...marketplaces,
      },
    ),
  }
}

const names = [
  'another feed_scope',
  'no feed_scope',
  'a day without a file',
  'a day without a file of groups',
  'a day without changes of campaigns',
  'no day',
  'a day that is still being made',
  'an hour that is still being made',
  'another form of hour',
  'no marketplace',
  'another form of marketplace',
  'a marketplace that is not there',
  'no marketplace for a list',
  'no Range',
  'a Range that is too long',
  'a file that needs a Range',
  'a Range of a file that is too long',
  'a limit that is too small',
  'too many categories',
  'a look-back of nothing',
  'another form of marketplaces',
]

interface ErrorBody {
  readonly message: string
  readonly inputRefIds: readonly string[]
  readonly parameters: readonly { readonly name: string; readonly value: string }[]
}

async function standOf(shop: Shop) {
  const stand = await stands.with(shop, { maxRangeBytes: 100_000, catalog: { maxWholeBytes: 10 } })
  const { emulator, profile, marketplace } = stand
  const scopes = [...new Set(Object.values(profile.scopes))].map(
    scope => `${profile.scopeBase}/${scope}`,
  )
  const authorization = `Bearer ${await token(emulator, 'http://emulator', emulator.fetch, scopes.join(' '))}`
  const send = (path: string, headers: Case['headers'] = {}, init: RequestInit = {}) => {
    const all: Record<string, string | null> = {
      authorization,
      [profile.marketplaceHeader]: marketplace,
      range: 'bytes=0-9',
      ...headers,
    }
    const present = Object.entries(all).filter(
      (entry): entry is [string, string] => entry[1] !== null,
    )
    return fetch(new URL(path, profile.baseUrl), { ...init, headers: Object.fromEntries(present) })
  }
  const errorOf = async (response: Response) => {
    const body = (await response.json()) as { errors?: ErrorBody[] } & ErrorBody
    return body.errors?.[0] ?? body
  }
  return { stand, send, errorOf }
}

describe.each([
  ['the documented service', DOCUMENTED],
  ['another service of its family', ANOTHER],
] as const)('%s', (_, shop) => {
  test('there is a case for each name', async () => {
    const { stand } = await standOf(shop)
    expect(Object.keys(cases(stand, ''))).toEqual(names)
  })

  test.each(names)('%s', async name => {
    const { stand, send, errorOf } = await standOf(shop)
    const files = (await (await send(stand.emulator.paths.getFiles)).json()) as {
      fileMetadata: { fileId: string; size: number }[]
    }
    const { path, headers, expected } = cases(stand, files.fileMetadata[0]!.fileId)[name]!
    const error = await errorOf(await send(path, headers))
    expect(error).toMatchObject({ errorId: expected.errorId, inputRefIds: [expected.input] })
    expect(
      Object.fromEntries(error.parameters.map(({ name: what, value }) => [what, value])),
    ).toEqual(expected.parameters)
    const { [expected.input]: received, ...filledIn } = expected.parameters
    for (const text of [...Object.values(filledIn), ...expected.says])
      expect(error.message).toContain(text)
  })

  test('a slow category states its days', async () => {
    const stand = await stands.with(shop, { slowCategories: ['220'] })
    const scope = `${stand.profile.scopeBase}/${stand.profile.scopes.getItemFeed}`
    const bearer = await token(stand.emulator, 'http://emulator', stand.emulator.fetch, scope)
    const url = `http://emulator${stand.emulator.paths.getItemFeed}?feed_scope=NEWLY_LISTED&category_id=220`
    const headers = {
      authorization: `Bearer ${bearer}`,
      [stand.profile.marketplaceHeader]: stand.marketplace,
    }
    expect(await (await stand.emulator.fetch(url, { headers })).text()).toContain(
      '20260215 to 20260228',
    )
  })

  test('a forced error has no placeholder left, and the length of a range as a number', async () => {
    const { stand, send, errorOf } = await standOf(shop)
    const path = `${stand.emulator.paths.getItemFeed}?feed_scope=ALL_ACTIVE&category_id=220`
    const messageOf = async (code: number) =>
      (await errorOf(await send(path, { 'x-feedmill-fault': `error;code=${code}` }))).message
    expect(await messageOf(13005)).not.toMatch(/[{}]/)
    expect(await messageOf(13015)).toMatch(/at most \d+ bytes/)
  })
})

const FEEDS = [
  'getItemFeed',
  'getItemGroupFeed',
  'getItemSnapshotFeed',
  'getItemPriorityFeed',
] as const
const CATALOG = ['getAccess', 'getFeedTypes', 'getFeedType', 'getFiles', 'getFile'] as const
const NOTIFICATIONS = [
  'getSubscription',
  'enableSubscription',
  'getTopics',
  'getTopic',
  'getDestinations',
  'getDestination',
] as const

// The catalog and the feeds send every refusal as an Error object. For a token without permission
// they have no code except 14007 of downloadFile (feed-file-catalog.md, section 6).
describe('a token that opens nothing', () => {
  test.each([...FEEDS, ...CATALOG, ...NOTIFICATIONS])(
    '%s gets an Error object without a code, and the challenge of RFC 6750',
    async operation => {
      for (const shop of [DOCUMENTED, ANOTHER]) {
        const { stand, send } = await standOf(shop)
        const { emulator, profile } = stand
        const other =
          (FEEDS as readonly string[]).includes(operation) ||
          (CATALOG as readonly string[]).includes(operation)
        const scope = other ? profile.scopes.createSubscription : profile.scopes.getFiles
        const wrong = `Bearer ${await token(emulator, 'http://emulator', emulator.fetch, `${profile.scopeBase}/${scope}`)}`
        const init = { method: operation === 'enableSubscription' ? 'POST' : 'GET' }
        for (const [authorization, status, challenge] of [
          [null, 401, 'Bearer'],
          ['Bearer none', 401, 'Bearer error="invalid_token"'],
          [wrong, 403, 'Bearer error="insufficient_scope"'],
        ] as const) {
          const response = await send(emulator.paths[operation], { authorization }, init)
          expect([response.status, response.headers.get('www-authenticate')]).toEqual([
            status,
            challenge,
          ])
          const body = (await response.json()) as Record<string, unknown> & {
            errors?: Record<string, unknown>[]
          }
          const error = body.errors?.[0] ?? body
          expect(Object.keys(error)).toEqual([
            'category',
            'domain',
            'subdomain',
            'message',
            'longMessage',
            'inputRefIds',
            'outputRefIds',
            'parameters',
          ])
          expect(error).toMatchObject({
            category: 'REQUEST',
            inputRefIds: ['Authorization'],
            parameters: [],
          })
        }
      }
    },
  )

  test('the code of downloadFile names the token and not the file', async () => {
    const { stand, send, errorOf } = await standOf(DOCUMENTED)
    const { emulator, profile } = stand
    const wrong = await token(
      emulator,
      'http://emulator',
      emulator.fetch,
      `${profile.scopeBase}/${profile.scopes.createSubscription}`,
    )
    const response = await send(emulator.paths.downloadFile, { authorization: `Bearer ${wrong}` })
    expect(await errorOf(response)).toMatchObject({
      errorId: 14007,
      inputRefIds: ['Authorization'],
      parameters: [],
    })
  })

  test('the code names the file for a feed type that is not permitted on the marketplace', async () => {
    const stand = await stands.with(DOCUMENTED, {
      access: { constraints: [{ marketplaceId: 'MKT_DE' }] },
    })
    const bearer = await token(stand.emulator)
    const headers = { authorization: `Bearer ${bearer}`, 'X-MKT-C-MARKETPLACE-ID': 'MKT_US' }
    const { stand: open, send } = await standOf(DOCUMENTED)
    const files = (await (await send(open.emulator.paths.getFiles)).json()) as {
      fileMetadata: { fileId: string }[]
    }
    const { fileId } = files.fileMetadata[0]!
    const path = stand.emulator.paths.downloadFile.replace('{file_id}', fileId)
    const response = await stand.emulator.fetch(`http://emulator${path}`, { headers })
    expect(await response.json()).toMatchObject({
      errorId: 14009,
      inputRefIds: ['file_id'],
      parameters: [{ name: 'file_id', value: fileId }],
    })
  })
})

// An operation with query parameters refuses a repeated one. The feeds have a code for this
// (item-feeds.md, section 5), and the catalog has none.
describe('a query parameter that comes twice', () => {
  test.each([
    ...FEEDS.map(operation => [operation, 13000] as const),
    ...(['getFeedTypes', 'getFiles'] as const).map(operation => [operation, undefined] as const),
  ])('%s gets 400 with the code %s', async (operation, errorId) => {
    const { stand, send, errorOf } = await standOf(DOCUMENTED)
    for (const query of [
      'feed_scope=DAILY&feed_scope=DAILY',
      'limit=20&limit=50',
      'unknown=1&unknown=2',
    ]) {
      const response = await send(`${stand.emulator.paths[operation]}?${query}`)
      expect(response.status).toBe(400)
      const error = await errorOf(response)
      expect([(error as { errorId?: number }).errorId, error.inputRefIds]).toEqual([
        errorId,
        [query.split('=')[0]],
      ])
    }
  })

  test('an operation without query parameters reads no query', async () => {
    const { stand, send } = await standOf(DOCUMENTED)
    const path = stand.emulator.paths.getSigningKey.replace(
      '{signing_key_id}',
      stand.emulator.signingKeyIds[0]!,
    )
    expect((await send(`${path}?a=1&a=2`)).status).toBe(200)
  })
})
