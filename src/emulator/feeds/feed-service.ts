// The four feed operations (item-feeds.md, section 3). Each finds the file of a request and the
// requested part of it, in steps: checks, clock (calendar.ts), file and range (file-responder.ts).
// The token has been checked before. Each feed has a table of checks, and the first failing row
// gives the error. The checks look at the headers first, then at the query and at Range. Later
// steps check whether the file exists and whether the range fits.

import type { FeedName } from '../../engine/index'
import {
  documentedFamily,
  type ErrorDetails,
  type ErrorFamily,
  type ErrorId,
  errorIds,
} from '../http/error-family'
import {
  type Check,
  fileResponse,
  headerParameter,
  type Parameter,
  queryParameter,
  type Route,
  refusalOf,
  requestParts,
} from '../http/route'
import type { ServiceContext } from '../service-context'
import {
  bootstrapSpan,
  type Calendar,
  daySpan,
  hourSpan,
  priorityDaySpan,
  servedDays,
} from './calendar'
import { readRange } from './requested-range'

type FeedErrorId = ErrorId<'feeds'>

const PARTS = [
  'marketplace',
  'category_id',
  'feed_scope',
  'date',
  'snapshot_date',
  'Range',
] as const

type FeedRequest = ReturnType<typeof requestParts<(typeof PARTS)[number]>>

type FeedCheck = Check<FeedErrorId, FeedRequest, ServiceContext>

const absent = (code: FeedErrorId, part: keyof FeedRequest): FeedCheck => [
  code,
  request => !request[part],
]

const SHARED: readonly FeedCheck[] = [
  absent(13013, 'marketplace'),
  [
    13012,
    ({ marketplace }, { profile }) => !isMarketplaceId(marketplace!, profile.marketplacePrefix),
  ],
  [13014, ({ marketplace }, { world }) => !world.options.marketplaces.includes(marketplace!)],
  [13023, ({ marketplace }, { access }) => !access.allowsMarketplace(marketplace!)],
  absent(13010, 'category_id'),
  [13004, ({ category_id }) => !/^\d+$/.test(category_id!)],
  [
    13022,
    ({ category_id }, { world, access }) =>
      !world.options.categories.includes(category_id!) || access.isRealEstate(category_id!),
  ],
  [
    13024,
    ({ marketplace, category_id }, { access }) =>
      !access.allowsCategory(marketplace!, category_id!),
  ],
]

/** The values of `feed_scope`: the daily file, and the bootstrap file. */
const FEED_SCOPES: readonly string[] = ['NEWLY_LISTED', 'ALL_ACTIVE']

const SCOPE: readonly FeedCheck[] = [
  absent(13009, 'feed_scope'),
  [13003, ({ feed_scope }) => !FEED_SCOPES.includes(feed_scope!)],
  [13011, ({ feed_scope, date }) => feed_scope === 'NEWLY_LISTED' && !date],
]

/**
 * A Range header must be valid, even where it is not required. In the form of RFC 9110 it is
 * neither required nor checked.
 */
const RANGE_FORM: readonly FeedCheck[] = ([13016, 13018, 13019] as const).map(code => [
  code,
  ({ Range }, { headerForm }) =>
    headerForm !== 'rfc9110' && Range !== null && readRange(Range) === code,
])

const RANGE_REQUIRED: readonly FeedCheck[] = [
  [13015, ({ Range }, { headerForm }) => headerForm !== 'rfc9110' && !Range],
  ...RANGE_FORM,
]

const required = { required: true }
const DAY = 'A day of UTC-7, yyyyMMdd'
const SCOPE_AND_DATE: readonly Parameter[] = [
  queryParameter(
    'feed_scope',
    'NEWLY_LISTED: the daily file. ALL_ACTIVE: the bootstrap file.',
    required,
  ),
  queryParameter('date', `${DAY}; for NEWLY_LISTED.`),
]

const OPERATIONS = {
  item: {
    operationId: 'getItemFeed',
    summary: 'Item feed: all active items, or those listed on one day',
    parameters: SCOPE_AND_DATE,
    rangeRequired: true,
    checks: [...SHARED, ...SCOPE, ...RANGE_REQUIRED],
  },
  item_group: {
    operationId: 'getItemGroupFeed',
    summary: 'Item group feed: the groups of the items of an item file',
    parameters: SCOPE_AND_DATE,
    rangeRequired: false,
    checks: [...SHARED, ...SCOPE, ...RANGE_FORM],
  },
  item_snapshot: {
    operationId: 'getItemSnapshotFeed',
    summary: 'Item snapshot feed: the items that changed in one hour',
    parameters: [
      queryParameter('snapshot_date', 'The hour, UTC, yyyy-MM-ddThh:00:00.000Z.', required),
    ],
    rangeRequired: true,
    checks: [...SHARED, absent(13020, 'snapshot_date'), ...RANGE_REQUIRED],
  },
  item_priority: {
    operationId: 'getItemPriorityFeed',
    summary: 'Item priority feed: changes in the status of priority items on one day',
    parameters: [queryParameter('date', `${DAY}.`, required)],
    rangeRequired: true,
    checks: [...SHARED, absent(13011, 'date'), ...RANGE_REQUIRED],
  },
} as const satisfies Readonly<Record<FeedName, object>>

const TSV = 'text/tab-separated-values'

export function feedRoutes(options: ServiceContext): readonly Route[] {
  return (Object.keys(OPERATIONS) as FeedName[]).map(feed => feedRoute(feed, options))
}

function feedRoute(feed: FeedName, service: ServiceContext): Route {
  const { paths, profile, headerForm, wrapErrors } = service
  const { operationId, summary, parameters, rangeRequired } = OPERATIONS[feed]
  const inputNames = { marketplace: profile.marketplaceHeader }
  const family = documentedFamily('feeds', [operationId], {
    wrapped: wrapErrors,
    statuses: headerForm === 'rfc9110' ? { 13017: 416 } : {},
    inputNames,
    forcedValues: { max_length: String(profile.maxRangeBytes) },
  })
  const answer = answerOf(feed, service, family)
  return {
    method: 'get',
    path: paths[operationId],
    operationId,
    tag: 'feeds',
    summary,
    admissions: [{ grant: 'application', scope: profile.scopes[operationId] }],
    parameters: [
      headerParameter(profile.marketplaceHeader, 'Marketplace identifier.', true),
      headerParameter('Range', 'bytes=<start>-<end>', rangeRequired && headerForm !== 'rfc9110'),
      queryParameter('category_id', 'Top-level category.', required),
      ...parameters,
    ],
    responses: {
      200: fileResponse('The whole file.', TSV),
      204: { description: 'The file has no items.' },
      206: fileResponse('The asked part of the file.', TSV, true),
    },
    errors: { family, ids: errorIds(operationId), internal: 13006 },
    answer: ({ request }) => answer(request, requestParts(request, PARTS, inputNames)),
  }
}

/** Returns the function that answers the requests for one of the four feeds. */
function answerOf(feed: FeedName, service: ServiceContext, errors: ErrorFamily<FeedErrorId>) {
  const { world, profile, files } = service
  const refuse = (id: FeedErrorId, asked: FeedRequest, headers: Record<string, string> = {}) => {
    const input = id === 13007 ? timeInput(feed, asked) : errors.rows[id].input
    const details: ErrorDetails = {
      received: input === undefined ? null : asked[input as keyof FeedRequest],
      values: validValues(id, asked),
      headers,
    }
    return errors.response(id, id === 13007 ? { ...details, input } : details)
  }
  /** The values of the placeholders in the message. */
  const validValues = (id: FeedErrorId, asked: FeedRequest): Record<string, string> => {
    switch (id) {
      case 13003:
      case 13009:
        return { valid_values: FEED_SCOPES.join(', ') }
      case 13005:
      case 13011: {
        if (feed === 'item_snapshot') return {}
        const { earliest, latest } = servedDays(feed, calendarOf(service, asked))
        return { earliest_date: earliest, latest_date: latest }
      }
      case 13012:
      case 13013:
      case 13014:
        return { valid_values: world.options.marketplaces.join(', ') }
      case 13015:
      case 13017:
        return { max_length: String(profile.maxRangeBytes) }
      default:
        return {}
    }
  }
  return (request: Request, asked: FeedRequest): Response | Promise<Response> => {
    const span =
      refusalOf(OPERATIONS[feed].checks, asked, service) ??
      spanOf(feed, asked, calendarOf(service, asked))
    if (typeof span === 'number') return refuse(span, asked)
    const place = { marketplaceId: asked.marketplace!, categoryId: asked.category_id! }
    return files.respond({ feed, ...place, ...span }, request, {
      mediaType: TSV,
      // The size of the largest range is also that of the largest file that needs no Range
      // (item-feeds.md, section 6).
      maxWholeBytes: profile.maxRangeBytes,
      refuse: (code, contentRange) =>
        refuse(code, asked, errors.status(code) === 416 ? { 'content-range': contentRange } : {}),
    })
  }
}

function calendarOf(
  { now, bootstrap, slowCategories }: ServiceContext,
  { category_id }: FeedRequest,
): Calendar {
  return { now: now(), bootstrap, latencyDays: slowCategories.includes(category_id ?? '') ? 3 : 2 }
}

/** A missing file belongs to a time, unless it is the bootstrap file. */
function timeInput(feed: FeedName, { feed_scope }: FeedRequest) {
  if (feed === 'item_snapshot') return 'snapshot_date'
  return feed !== 'item_priority' && feed_scope === 'ALL_ACTIVE' ? undefined : 'date'
}

function spanOf(feed: FeedName, asked: FeedRequest, calendar: Calendar) {
  if (feed === 'item_snapshot') return hourSpan(calendar, asked.snapshot_date!)
  if (feed === 'item_priority') return priorityDaySpan(calendar, asked.date!)
  return asked.feed_scope === 'ALL_ACTIVE'
    ? bootstrapSpan(calendar)
    : daySpan(calendar, asked.date!)
}

function isMarketplaceId(value: string, prefix: string): boolean {
  return value.startsWith(prefix) && /^[A-Z]{2}$/.test(value.slice(prefix.length))
}
