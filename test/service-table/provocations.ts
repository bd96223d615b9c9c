// The provocation of each documented error: the options of the emulator, the call of the clients,
// and the changes to a request that the clients would not send. It is one piece, because it is one
// table. every-documented-error.test.ts checks that its rows are complete.

import type { EmulatorOptions } from '../../src/emulator'
import type { AccessConstraint } from '../../src/emulator/access-rules'
import type { OperationName } from '../../src/service/operations'
import type { ServiceProfile } from '../../src/service/profile'
import { type Asked, destinationId } from './calls'
import type { Stand } from './shops'

/**
 * A request on its way from the clients to the socket. Header names are lower case; null removes.
 */
export interface Spoilt {
  readonly headers?: Readonly<Record<string, string | null>>
  /** Parameters that are added to the query. */
  readonly query?: Readonly<Record<string, string>>
}

export interface Provocation {
  readonly operations: readonly OperationName[]
  readonly errorId: number
  /** The status, where an operation has the code with several statuses. */
  readonly status?: number
  /** A description of the provocation. */
  readonly how: string
  readonly emulator?: Partial<EmulatorOptions>
  readonly ask?: Partial<Asked> | ((good: Asked, stand: Stand) => Partial<Asked>)
  readonly spoil?: Spoilt
  /** Scopes of the token, in place of those of the operation. */
  readonly scopes?: Partial<ServiceProfile['scopes']>
  /** True where the same request is sent once before. */
  readonly twice?: boolean
}

type Ask = NonNullable<Provocation['ask']>

const ITEM_AND_GROUP = ['getItemFeed', 'getItemGroupFeed'] as const
const SNAPSHOT = ['getItemSnapshotFeed'] as const
const PRIORITY = ['getItemPriorityFeed'] as const
const DATED = [...ITEM_AND_GROUP, ...PRIORITY] as const
const FEEDS = [...DATED, ...SNAPSHOT] as const
const NEED_RANGE = ['getItemFeed', ...SNAPSHOT, ...PRIORITY] as const
const DOWNLOAD = ['downloadFile'] as const
const DOWNLOADS = [...FEEDS, ...DOWNLOAD] as const
const LISTS = ['getFiles', 'getFeedTypes'] as const
const KEY = ['getSigningKey'] as const
const SUBSCRIBE = ['createSubscription'] as const

export function provocationsFor({
  marketplacePrefix,
  marketplaceHeader,
  scopes,
  limits,
}: ServiceProfile): readonly Provocation[] {
  const inMarketplace = (code: string): AccessConstraint => ({
    marketplaceId: marketplacePrefix + code,
  })
  const onlyFor = (...constraints: AccessConstraint[]) => ({ access: { constraints } })
  const marketplace = (code: string): Ask => ({ marketplace: marketplacePrefix + code })
  const otherScope = (operation: OperationName, scope: string) => ({
    scopes: { [operation]: scope },
  })
  const daily = (date: string | undefined): Ask => ({ scope: 'NEWLY_LISTED', date })
  const range = (value: string | null): Spoilt => ({ headers: { range: value } })
  const fault = (text: string): Spoilt => ({ headers: { 'x-feedmill-fault': text } })
  const subscription =
    (changes: Readonly<Record<string, unknown>>): Ask =>
    good => ({ subscription: { ...good.subscription, ...changes } as Asked['subscription'] })
  const payload =
    (changes: Readonly<Record<string, unknown>>): Ask =>
    good => ({
      subscription: { ...good.subscription, payload: { ...good.subscription.payload, ...changes } },
    })
  const atDisabled: Ask = ({ subscription: good }, stand) => ({
    subscription: { ...good, destinationId: destinationId(stand, 'DISABLED') },
  })
  const unpermitted = {
    feedTypeId: 'CURATED_ITEM_FEED',
    description: '',
    feed: 'item',
    permitted: false,
  } as const
  const many = (value: string, most: number) => Array<string>(most + 1).fill(value)

  return [
    // The query of the feeds.
    {
      errorId: 13000,
      operations: FEEDS,
      how: 'a parameter twice',
      spoil: { query: { category_id: '220' } },
    },
    {
      errorId: 13003,
      operations: ITEM_AND_GROUP,
      how: 'another feed_scope',
      ask: { scope: 'WEEKLY' },
    },
    { errorId: 13009, operations: ITEM_AND_GROUP, how: 'no feed_scope', ask: { scope: undefined } },
    { errorId: 13004, operations: FEEDS, how: 'no digits', ask: { categoryId: 'abc' } },
    { errorId: 13010, operations: FEEDS, how: 'no category', ask: { categoryId: undefined } },
    { errorId: 13022, operations: FEEDS, how: 'Real Estate', ask: { categoryId: '10542' } },
    {
      errorId: 13022,
      operations: FEEDS,
      how: 'a category that is not there',
      ask: { categoryId: '999999' },
    },
    { errorId: 13005, operations: DATED, how: 'another format', ask: daily('2026-03-01') },
    { errorId: 13005, operations: DATED, how: 'off the calendar', ask: daily('20260231') },
    { errorId: 13005, operations: DATED, how: 'in the future', ask: daily('20990101') },
    { errorId: 13005, operations: DATED, how: 'too long ago', ask: daily('20260201') },
    { errorId: 13011, operations: DATED, how: 'no date', ask: daily(undefined) },
    { errorId: 13020, operations: SNAPSHOT, how: 'no hour', ask: { snapshotDate: undefined } },
    {
      errorId: 13021,
      operations: SNAPSHOT,
      how: 'another format',
      ask: { snapshotDate: '2026-03-01T05:00:00' },
    },
    {
      errorId: 13021,
      operations: SNAPSHOT,
      how: 'not a whole hour',
      ask: { snapshotDate: '2026-03-01T05:30:00.000Z' },
    },

    // The files of the feeds, by the clock.
    {
      errorId: 13007,
      operations: DATED,
      how: 'a day that is still being generated',
      ask: daily('20260302'),
    },
    {
      errorId: 13007,
      operations: SNAPSHOT,
      how: 'an hour that is still being generated',
      ask: { snapshotDate: '2026-03-04T00:00:00.000Z' },
    },
    {
      errorId: 13007,
      operations: SNAPSHOT,
      how: 'an hour past seven days',
      ask: { snapshotDate: '2026-02-20T00:00:00.000Z' },
    },
    {
      errorId: 13007,
      operations: ITEM_AND_GROUP,
      how: 'no bootstrap file yet',
      emulator: { bootstrapAt: new Date('2026-12-01T00:00:00Z') },
    },
    {
      errorId: 13007,
      operations: DATED,
      how: 'the files of a large category, a day later',
      emulator: { slowCategories: ['220'] },
      ask: daily('20260301'),
    },

    // The marketplace.
    { errorId: 13012, operations: FEEDS, how: 'another form', ask: { marketplace: 'US' } },
    { errorId: 13012, operations: FEEDS, how: 'lower case', ask: marketplace('us') },
    { errorId: 13013, operations: FEEDS, how: 'no header', ask: { marketplace: undefined } },
    {
      errorId: 13013,
      operations: FEEDS,
      how: 'an empty header',
      spoil: { headers: { [marketplaceHeader.toLowerCase()]: '' } },
    },
    {
      errorId: 13014,
      operations: DOWNLOADS,
      how: 'a marketplace that is not there',
      ask: marketplace('ZZ'),
    },
    { errorId: 13014, operations: DOWNLOAD, how: 'no header', ask: { marketplace: undefined } },

    // Ranges.
    { errorId: 13015, operations: NEED_RANGE, how: 'no Range', spoil: range(null) },
    {
      errorId: 13015,
      operations: ['getItemGroupFeed'],
      how: 'no Range for a large file',
      emulator: { maxRangeBytes: 10 },
      spoil: range(null),
    },
    {
      errorId: 13015,
      operations: DOWNLOAD,
      how: 'no Range for a large file',
      emulator: { catalog: { maxWholeBytes: 10 } },
      spoil: range(null),
    },
    { errorId: 13016, operations: DOWNLOADS, how: 'another unit', spoil: range('items=0-5') },
    { errorId: 13016, operations: DOWNLOADS, how: 'no unit', spoil: range('0-5') },
    { errorId: 13016, operations: DOWNLOADS, how: 'two ranges', spoil: range('bytes=0-5,7-9') },
    {
      errorId: 13017,
      operations: DOWNLOADS,
      how: 'past the end of the file',
      spoil: range('bytes=900000000-900000005'),
    },
    {
      errorId: 13017,
      operations: DOWNLOADS,
      how: 'the end before the start',
      spoil: range('bytes=9-3'),
    },
    {
      errorId: 13017,
      operations: DOWNLOADS,
      how: 'longer than the maximum',
      emulator: { maxRangeBytes: 10 },
      spoil: range('bytes=0-20'),
    },
    {
      errorId: 13018,
      operations: FEEDS,
      how: 'a start that is no number',
      spoil: range('bytes=x-5'),
    },
    { errorId: 13018, operations: FEEDS, how: 'no start', spoil: range('bytes=-5') },
    {
      errorId: 13019,
      operations: FEEDS,
      how: 'an end that is no number',
      spoil: range('bytes=0-x'),
    },
    { errorId: 13019, operations: FEEDS, how: 'no end', spoil: range('bytes=0-') },

    // What the application may read.
    {
      errorId: 13023,
      operations: FEEDS,
      how: 'access to another marketplace',
      emulator: onlyFor(inMarketplace('DE')),
    },
    {
      errorId: 13024,
      operations: FEEDS,
      how: 'access to another category',
      emulator: onlyFor({ ...inMarketplace('US'), categoryIds: ['999'] }),
    },
    {
      errorId: 14007,
      operations: DOWNLOAD,
      how: 'access to another category',
      emulator: onlyFor({ ...inMarketplace('US'), categoryIds: ['999'] }),
    },
    {
      errorId: 14007,
      operations: DOWNLOAD,
      how: 'a token for something else',
      ...otherScope('downloadFile', scopes.createSubscription),
    },
    {
      errorId: 14009,
      operations: DOWNLOAD,
      how: 'access to another marketplace',
      emulator: onlyFor(inMarketplace('DE')),
    },

    // The catalog.
    {
      errorId: 14004,
      operations: DOWNLOAD,
      how: 'no such file',
      ask: { fileId: '0123456789abcdef' },
    },
    {
      errorId: 14004,
      operations: DOWNLOAD,
      how: 'a file of another marketplace',
      ask: marketplace('DE'),
    },
    {
      errorId: 14004,
      operations: DOWNLOAD,
      how: 'an expired file',
      emulator: { now: new Date('2026-06-01T00:00:00Z') },
    },
    {
      errorId: 14000,
      operations: ['getFeedType'],
      how: 'no such type',
      ask: { feedTypeId: 'NO_FEED' },
    },
    {
      errorId: 14008,
      operations: ['getFiles'],
      how: 'no such type',
      ask: { feedTypeId: 'NO_FEED' },
    },
    {
      errorId: 14011,
      operations: ['getFeedType', 'getFiles'],
      how: 'a type that is not permitted',
      emulator: { catalog: { feedTypes: [unpermitted] } },
    },
    { errorId: 14001, operations: LISTS, how: 'too few', ask: { limit: limits.pageSizeLeast - 1 } },
    { errorId: 14001, operations: LISTS, how: 'too many', ask: { limit: limits.pageSizeMost + 1 } },
    {
      errorId: 14002,
      operations: LISTS,
      how: 'a token of nobody',
      ask: { continuationToken: 'garbage' },
    },
    {
      errorId: 14005,
      operations: ['getFiles'],
      how: 'too many categories',
      ask: { categoryIds: many('220', limits.categoryIds) },
    },
    { errorId: 14006, operations: ['getFiles'], how: 'no minutes', ask: { lookBackMinutes: 0 } },
    {
      errorId: 14010,
      operations: ['getFeedTypes'],
      how: 'another form',
      ask: { marketplaceIds: ['US'] },
    },
    {
      errorId: 14010,
      operations: ['getFeedTypes'],
      how: 'too many',
      ask: { marketplaceIds: many(`${marketplacePrefix}US`, limits.marketplaceIds) },
    },

    // Signing keys.
    { errorId: 210002, operations: KEY, how: 'no such key', ask: { signingKeyId: 'none' } },
    {
      errorId: 210005,
      status: 401,
      operations: KEY,
      how: 'a token of nobody',
      spoil: { headers: { authorization: 'Bearer none' } },
    },
    {
      errorId: 210005,
      status: 401,
      operations: KEY,
      how: 'no token',
      spoil: { headers: { authorization: null } },
    },
    {
      errorId: 210005,
      status: 403,
      operations: KEY,
      how: 'a token for something else',
      ...otherScope('getSigningKey', scopes.downloadFile),
    },
    {
      errorId: 210005,
      status: 400,
      operations: KEY,
      how: 'a token of nobody, answered as seen elsewhere',
      emulator: { keyTokenErrorStatus: 400 },
      spoil: { headers: { authorization: 'Bearer none' } },
    },

    // Subscriptions.
    {
      errorId: 195003,
      status: 400,
      operations: SUBSCRIBE,
      how: 'no payload',
      ask: subscription({ payload: undefined }),
    },
    {
      errorId: 195003,
      status: 400,
      operations: SUBSCRIBE,
      how: 'not JSON',
      spoil: { headers: { 'content-type': 'text/plain' } },
    },
    {
      errorId: 195006,
      operations: SUBSCRIBE,
      how: 'another status',
      ask: subscription({ status: 'ON' }),
    },
    {
      errorId: 195006,
      operations: SUBSCRIBE,
      how: 'no status',
      ask: subscription({ status: undefined }),
    },
    {
      errorId: 195007,
      operations: SUBSCRIBE,
      how: 'no such destination',
      ask: subscription({ destinationId: 'none' }),
    },
    {
      errorId: 195007,
      operations: SUBSCRIBE,
      how: 'no destination',
      ask: subscription({ destinationId: undefined }),
    },
    {
      errorId: 195008,
      operations: SUBSCRIBE,
      how: 'another version',
      ask: payload({ schemaVersion: '9.9' }),
    },
    {
      errorId: 195008,
      operations: SUBSCRIBE,
      how: 'no version',
      ask: payload({ schemaVersion: undefined }),
    },
    {
      errorId: 195009,
      operations: SUBSCRIBE,
      how: 'another format',
      ask: payload({ format: 'XML' }),
    },
    {
      errorId: 195010,
      operations: SUBSCRIBE,
      how: 'another protocol',
      ask: payload({ deliveryProtocol: 'FTP' }),
    },
    {
      errorId: 195010,
      operations: SUBSCRIBE,
      how: 'no protocol',
      ask: payload({ deliveryProtocol: undefined }),
    },
    {
      errorId: 195011,
      operations: SUBSCRIBE,
      how: "a user's topic",
      ask: subscription({ topicId: 'ITEM_AVAILABILITY' }),
    },
    {
      errorId: 195011,
      operations: SUBSCRIBE,
      how: 'a token for something else',
      ...otherScope('createSubscription', scopes.downloadFile),
    },
    {
      errorId: 195012,
      operations: SUBSCRIBE,
      how: 'a second one',
      twice: true,
      ask: subscription({ topicId: 'MARKETPLACE_ACCOUNT_DELETION' }),
    },
    {
      errorId: 195015,
      status: 400,
      operations: SUBSCRIBE,
      how: 'a destination that is not enabled',
      ask: atDisabled,
    },
    {
      errorId: 195027,
      operations: SUBSCRIBE,
      how: 'no such topic',
      ask: subscription({ topicId: 'NOTHING' }),
    },
    {
      errorId: 195027,
      operations: SUBSCRIBE,
      how: 'no topic',
      ask: subscription({ topicId: undefined }),
    },
    {
      errorId: 195003,
      status: 409,
      operations: SUBSCRIBE,
      how: 'no payload, answered as seen elsewhere',
      emulator: { conflictStatus: 409 },
      ask: subscription({ payload: undefined }),
    },
    {
      errorId: 195015,
      status: 409,
      operations: SUBSCRIBE,
      how: 'a destination that is not enabled, answered as seen elsewhere',
      emulator: { conflictStatus: 409 },
      ask: atDisabled,
    },

    // Failures inside.
    { errorId: 13006, operations: DOWNLOADS, how: 'an internal problem', spoil: fault('500') },
    { errorId: 210000, operations: KEY, how: 'an internal problem', spoil: fault('500') },
    { errorId: 195000, operations: SUBSCRIBE, how: 'an internal problem', spoil: fault('500') },
  ]
}
