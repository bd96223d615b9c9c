// Every error row of the documents and of the notes, provoked over a socket: through the clients, and by the same request in plain HTTP.
// Requests are spoilt between the clients and the socket, so that the clients' own checks need not be in the way.

import { afterAll, describe, expect, test } from 'vitest'
import { createEmulator, type Emulator, type EmulatorOptions } from '../../src/emulator'
import { FeedError } from '../../src/errors'
import { type DocumentedError, documentedErrors } from '../../src/service/documented-errors'
import { createFeedService, type FeedService } from '../../src/service/feed-service'
import { fetchTransport } from '../../src/service/fetch-transport'
import type { HttpRequest, HttpTransport } from '../../src/service/http-transport'
import type { OperationName } from '../../src/service/operations'
import { defineProfile } from '../../src/service/profile'
import { UndiciTransport } from '../../src/service/undici-transport'
import { FAST } from './emulated'

/** What tells two services of this family apart; the rest is the same suite. */
interface Shop {
  readonly marketplaceHeader: string
  readonly marketplacePrefix: string
  readonly paths: Partial<Record<OperationName, string>>
}

const DOCUMENTED: Shop = { marketplaceHeader: 'X-MKT-C-MARKETPLACE-ID', marketplacePrefix: 'MKT_', paths: {} }
const ANOTHER: Shop = {
  marketplaceHeader: 'X-Shop-Market',
  marketplacePrefix: 'SHOP_',
  paths: {
    getFeedType: '/v9/kinds/{feed_type_id}',
    getFiles: '/v9/files',
    downloadFile: '/v9/files/{file_id}/download',
    getItemFeed: '/v9/articles',
    getItemSnapshotFeed: '/v9/changes',
  },
}

/** A request as it is changed before it is sent. */
interface Draft {
  readonly url: URL
  readonly headers: Map<string, string>
  body: string | undefined
}

interface Provocation {
  readonly spoil?: (draft: Draft) => void
  readonly emulator?: Partial<EmulatorOptions>
}

// Ways of spoiling a request.
const query = (name: string, value: string | undefined): Provocation => ({
  spoil: ({ url }) => (value === undefined ? url.searchParams.delete(name) : url.searchParams.set(name, value)),
})
const header = (name: string, value: string | undefined): Provocation => ({
  spoil: ({ headers }) => void (value === undefined ? headers.delete(name.toLowerCase()) : headers.set(name.toLowerCase(), value)),
})
const field = (name: string, value: unknown, inside?: 'payload'): Provocation => ({
  spoil: draft => {
    const body = JSON.parse(draft.body ?? '{}') as Record<string, Record<string, unknown>>
    const place = inside ? body[inside]! : body
    place[name] = value as never
    draft.body = JSON.stringify(body)
  },
})
const lastSegment = (name: string): Provocation => ({
  spoil: ({ url }) => void (url.pathname = url.pathname.replace(/[^/]+(\/download)?$/, `${name}$1`)),
})
const fault = (text: string): Provocation => header('x-feedmill-fault', text)
const both = (one: Provocation, other: Provocation): Provocation => ({
  spoil: draft => {
    one.spoil?.(draft)
    other.spoil?.(draft)
  },
  emulator: { ...one.emulator, ...other.emulator },
})
const onlyFor = (constraints: NonNullable<NonNullable<EmulatorOptions['access']>['constraints']>): Provocation => ({
  emulator: { access: { constraints } },
})

const daily = (feedQuery: Provocation) => both(query('feed_scope', 'NEWLY_LISTED'), feedQuery)
const range = (value: string | undefined) => header('range', value)
const tomorrow = '20990101'

/** By code, for the four feeds; where one feed needs another request, it stands under `operation code`. */
const feedsOf = ({ marketplaceHeader, marketplacePrefix }: Shop): Record<string, Provocation> => ({
  13000: { spoil: ({ url }) => url.searchParams.append('category_id', '220') },
  13003: query('feed_scope', 'WEEKLY'),
  13004: query('category_id', 'abc'),
  13005: daily(query('date', tomorrow)),
  'getItemPriorityFeed 13005': query('date', tomorrow),
  13006: fault('500'),
  13007: { emulator: { bootstrapAt: new Date('2026-12-01T00:00:00Z') } },
  'getItemSnapshotFeed 13007': query('snapshot_date', '2026-03-04T01:00:00.000Z'),
  'getItemPriorityFeed 13007': query('date', '20260303'),
  13009: query('feed_scope', undefined),
  13010: query('category_id', undefined),
  13011: daily(query('date', undefined)),
  'getItemPriorityFeed 13011': query('date', undefined),
  13012: header(marketplaceHeader, 'US'),
  13013: header(marketplaceHeader, undefined),
  13014: header(marketplaceHeader, `${marketplacePrefix}ZZ`),
  13015: range(undefined),
  'getItemGroupFeed 13015': { ...range(undefined), emulator: { maxRangeBytes: 10 } },
  13016: range('items=0-5'),
  13017: range('bytes=900000000-900000005'),
  13018: range('bytes=x-5'),
  13019: range('bytes=0-x'),
  13020: query('snapshot_date', undefined),
  13021: query('snapshot_date', '2026-03-01T05:30:00'),
  13022: query('category_id', '10542'),
  13023: onlyFor([{ marketplaceId: `${marketplacePrefix}DE` }]),
  13024: onlyFor([{ marketplaceId: `${marketplacePrefix}US`, categoryIds: ['999'] }]),
})

const catalogOf = ({ marketplaceHeader, marketplacePrefix }: Shop): Record<string, Provocation> => ({
  13006: fault('500'),
  13014: header(marketplaceHeader, undefined),
  13015: { ...range(undefined), emulator: { catalog: { maxWholeBytes: 10 } } },
  13016: range('0-5'),
  13017: range('bytes=900000000-900000005'),
  14000: lastSegment('NO_FEED'),
  14001: query('limit', '5'),
  14002: query('continuation_token', 'garbage'),
  14004: lastSegment('0123456789abcdef'),
  14005: query('category_ids', Array(21).fill('220').join(',')),
  14006: query('look_back', '0'),
  14007: onlyFor([{ marketplaceId: `${marketplacePrefix}US`, categoryIds: ['999'] }]),
  14008: query('feed_type_id', 'NO_FEED'),
  14009: onlyFor([{ marketplaceId: `${marketplacePrefix}DE` }]),
  14010: query('marketplace_ids', 'US'),
  14011: both(query('feed_type_id', 'CURATED_ITEM_FEED'), {
    emulator: { catalog: { feedTypes: [{ feedTypeId: 'CURATED_ITEM_FEED', description: '', feed: 'item', permitted: false }] } },
  }),
})

const KEYS: Record<string, Provocation> = {
  210000: fault('500'),
  210002: lastSegment('none'),
  '401 210005': header('Authorization', 'Bearer none'),
  '403 210005': {},
  '400 210005': { ...header('Authorization', 'Bearer none'), emulator: { keyTokenErrorStatus: 400 } },
}

const AS_CONFLICT: Provocation = { emulator: { notifications: { conflictStatus: 409 } } }

const NOTIFICATIONS: Record<string, Provocation> = {
  195000: fault('500'),
  195003: field('payload', undefined),
  195006: field('status', 'ON'),
  195007: field('destinationId', 'none'),
  195008: field('schemaVersion', '9.9', 'payload'),
  195009: field('format', 'XML', 'payload'),
  195010: field('deliveryProtocol', 'FTP', 'payload'),
  195011: field('topicId', 'ITEM_AVAILABILITY'),
  195012: {},
  195015: {},
  195027: field('topicId', 'NOTHING'),
  '409 195003': both(field('payload', undefined), AS_CONFLICT),
  '409 195015': AS_CONFLICT,
}

function provocationOf({ operation, status, errorId }: DocumentedError, shop: Shop): Provocation | undefined {
  const table = tableOf(operation, shop)
  return table[`${operation} ${errorId}`] ?? table[`${status} ${errorId}`] ?? table[errorId]
}

function tableOf(operation: OperationName, shop: Shop): Record<string, Provocation> {
  if (operation === 'getSigningKey') return KEYS
  if (operation === 'createSubscription') return NOTIFICATIONS
  return operation.endsWith('Feed') ? feedsOf(shop) : catalogOf(shop)
}

interface Stand {
  readonly shop: Shop
  readonly emulator: Emulator
  readonly url: string
  readonly fileId: string
}

const stands = new Map<string, Promise<Stand>>()
const transport = new UndiciTransport()

/** One listening emulator for each set of options. */
function standWith(shop: Shop, options: Partial<EmulatorOptions>): Promise<Stand> {
  const key = JSON.stringify([shop, options])
  const stand = stands.get(key) ?? openStand(shop, options)
  stands.set(key, stand)
  return stand
}

async function openStand(shop: Shop, options: Partial<EmulatorOptions>): Promise<Stand> {
  const marketplaces = ['US', 'DE'].map(code => shop.marketplacePrefix + code)
  const common = { world: { seed: 7, items: 60, churn: 20, hours: 72, marketplaces }, ...shop }
  const emulator = createEmulator({ ...common, ...options })
  const { url } = await emulator.listen()
  // Identifiers of files do not depend on who may read them.
  const open = createEmulator(common)
  const reader = serviceOf(
    { shop, emulator: open, url: 'https://open.test' },
    fetchTransport(request => open.fetch(request)),
  )
  const [file] = await reader.catalog.getFiles({ marketplace: marketplaces[0]! }).toArray()
  await open.close()
  return { shop, emulator, url, fileId: file!.fileId }
}

afterAll(async () => {
  for (const stand of stands.values()) await (await stand).emulator.close()
  await transport.close()
})

function serviceOf({ shop, emulator, url }: Omit<Stand, 'fileId'>, over: HttpTransport, scopes = {}): FeedService {
  const { clientId, clientSecret, scopeBase, tokenPath } = emulator
  const profile = defineProfile({ ...shop, baseUrl: url, tokenUrl: url + tokenPath, scopeBase, scopes })
  const once = { ...FAST, attempts: 1, ranges: { ...FAST.ranges, attempts: 1 } }
  return createFeedService(profile, { clientId, clientSecret }, { transport: over, checks: 'none', ...once })
}

const marketplaceOf = ({ shop }: Stand) => `${shop.marketplacePrefix}US`
const categoryOf = (stand: Stand) => ({ marketplace: marketplaceOf(stand), categoryId: '220' })

const CALLS: Record<OperationName, (service: FeedService, stand: Stand, row: DocumentedError) => Promise<unknown>> = {
  getAccess: ({ catalog }) => catalog.getAccess(),
  getFeedTypes: ({ catalog }) => catalog.getFeedTypes().toArray(),
  getFeedType: ({ catalog }) => catalog.getFeedType({ feedTypeId: 'CURATED_ITEM_FEED' }),
  getFiles: ({ catalog }, stand) => catalog.getFiles({ marketplace: marketplaceOf(stand) }).toArray(),
  getFile: ({ catalog }, stand) => catalog.getFile({ marketplace: marketplaceOf(stand), fileId: stand.fileId }),
  downloadFile: ({ catalog }, stand) =>
    catalog
      .downloadFile({ marketplace: marketplaceOf(stand), fileId: stand.fileId })
      .rows()
      .toArray(),
  getItemFeed: ({ feeds }, stand) =>
    feeds
      .getItemFeed({ ...categoryOf(stand), scope: 'ALL_ACTIVE' })
      .rows()
      .toArray(),
  getItemGroupFeed: ({ feeds }, stand) =>
    feeds
      .getItemGroupFeed({ ...categoryOf(stand), scope: 'ALL_ACTIVE' })
      .rows()
      .toArray(),
  getItemSnapshotFeed: ({ feeds }, stand) =>
    feeds
      .getItemSnapshotFeed({ ...categoryOf(stand), snapshotDate: '2026-03-01T05:00:00.000Z' })
      .rows()
      .toArray(),
  getItemPriorityFeed: ({ feeds }, stand) =>
    feeds
      .getItemPriorityFeed({ ...categoryOf(stand), date: '20260301' })
      .rows()
      .toArray(),
  getSigningKey: ({ keys }, { emulator }) => keys.getSigningKey({ signingKeyId: emulator.signingKeyIds[0]! }),
  async createSubscription({ notifications }, { emulator }, { errorId }) {
    const wanted = errorId === 195015 ? 'DISABLED' : 'ENABLED'
    const subscription = {
      topicId: errorId === 195012 ? 'MARKETPLACE_ACCOUNT_DELETION' : 'AUTHORIZATION_REVOCATION',
      status: 'ENABLED',
      destinationId: emulator.destinations.find(({ status }) => status === wanted)!.destinationId,
      payload: { deliveryProtocol: 'HTTPS', format: 'JSON', schemaVersion: '1.0' },
    }
    if (errorId === 195012) await notifications.createSubscription(subscription)
    return notifications.createSubscription(subscription)
  },
}

const rows = documentedErrors.map(row => [row.operation, row.status, row.errorId, row.source, row] as const)

describe.each([
  ['the documented profile', DOCUMENTED],
  ['another profile', ANOTHER],
] as const)('%s', (_, shop) => {
  test('every row has its provocation', () => {
    expect(documentedErrors.filter(row => provocationOf(row, shop) === undefined)).toEqual([])
    expect(rows.length).toBeGreaterThan(100)
  })

  test.each(rows)('%s %i %i (%s)', async (operation, status, errorId, _, row) => {
    const { spoil, emulator: options = {} } = provocationOf(row, shop)!
    const stand = await standWith(shop, options)
    let last: HttpRequest | undefined
    const spoiling: HttpTransport = {
      send: request => {
        if (request.url.endsWith(stand.emulator.tokenPath)) return transport.send(request)
        last = spoilt(request, spoil)
        return transport.send(last)
      },
    }
    // A token for something else than the operation.
    const scopes = operation === 'getSigningKey' && status === 403 ? { getSigningKey: 'buy.item.feed' } : {}
    const service = serviceOf(stand, spoiling, scopes)

    const error: unknown = await CALLS[operation](service, stand, row).catch(thrown => thrown)
    const { category, domain, retryable } = row
    expect(FeedError.is(error) ? error : String(error)).toMatchObject({
      code: 'HTTP_STATUS',
      retryable,
      context: { operation, status, errorId, category, domain },
    })

    const { url, method = 'GET', headers, body } = last!
    const plain = await fetch(url, { method, headers, ...(body === undefined ? {} : { body }) })
    const answer = (await plain.json()) as { errorId?: number; errors?: { errorId: number }[] }
    expect([plain.status, answer.errorId ?? answer.errors?.[0]?.errorId]).toEqual([status, errorId])
  })
})

function spoilt(request: HttpRequest, spoil: Provocation['spoil']): HttpRequest {
  const headers = Object.entries(request.headers).map(([name, value]): [string, string] => [name.toLowerCase(), value])
  const draft: Draft = { url: new URL(request.url), headers: new Map(headers), body: request.body }
  spoil?.(draft)
  const { body } = draft
  return { ...request, url: draft.url.href, headers: Object.fromEntries(draft.headers), ...(body === undefined ? {} : { body }) }
}
