// The routes of the four feeds (item-feeds.md, section 3). Which error rows each feed can meet is a
// column of item-feeds.md, section 5.

import type { OperationName, ServiceProfile } from '../../service/index'
import type { Parameter, Route } from '../http/route'
import { fileResponse, headerParameter, queryParameter } from '../openapi/describe'
import type { ServicePaths } from '../service-paths'
import type { FeedName } from './feed-file'
import type { FeedService } from './feed-service'
import type { HeaderForm } from './requested-range'
import type { ServiceErrorId } from './service-errors'

export interface FeedRouteParts {
  readonly feeds: FeedService
  readonly paths: ServicePaths
  readonly profile: ServiceProfile
  readonly headerForm: HeaderForm
}

interface FeedOperation {
  readonly operationId: OperationName
  readonly summary: string
  readonly parameters: readonly Parameter[]
  readonly rangeRequired: boolean
  /** The error rows besides those that all four feeds share. */
  readonly errors: readonly ServiceErrorId[]
}

const required = { required: true }
const FEED_SCOPE = queryParameter(
  'feed_scope',
  'NEWLY_LISTED: the daily file. ALL_ACTIVE: the bootstrap file.',
  required,
)
const DAY = 'A day of UTC-7, yyyyMMdd'

const SHARED_ERRORS: readonly ServiceErrorId[] = [
  13000, 13004, 13006, 13007, 13010, 13012, 13013, 13014, 13015, 13016, 13017, 13018, 13019, 13022,
  13023, 13024,
]

const OPERATIONS: Readonly<Record<FeedName, FeedOperation>> = {
  item: {
    operationId: 'getItemFeed',
    summary: 'Item feed: all active items, or those listed on one day',
    parameters: [FEED_SCOPE, queryParameter('date', `${DAY}; for NEWLY_LISTED.`)],
    rangeRequired: true,
    errors: [13003, 13005, 13009, 13011],
  },
  item_group: {
    operationId: 'getItemGroupFeed',
    summary: 'Item group feed: the groups of the items of an item file',
    parameters: [FEED_SCOPE, queryParameter('date', `${DAY}; for NEWLY_LISTED.`)],
    rangeRequired: false,
    errors: [13003, 13005, 13009, 13011],
  },
  item_snapshot: {
    operationId: 'getItemSnapshotFeed',
    summary: 'Item snapshot feed: the items that changed in one hour',
    parameters: [
      queryParameter('snapshot_date', 'The hour, UTC, yyyy-MM-ddThh:00:00.000Z.', required),
    ],
    rangeRequired: true,
    errors: [13020, 13021],
  },
  item_priority: {
    operationId: 'getItemPriorityFeed',
    summary: 'Item priority feed: changes in the status of priority items on one day',
    parameters: [queryParameter('date', `${DAY}.`, required)],
    rangeRequired: true,
    errors: [13005, 13011],
  },
}

const TSV = 'text/tab-separated-values'

export function feedRoutes(parts: FeedRouteParts): readonly Route[] {
  const { feeds, paths, profile } = parts
  return (Object.keys(OPERATIONS) as FeedName[]).map(feed => {
    const { operationId, summary, parameters, rangeRequired, errors } = OPERATIONS[feed]
    return {
      method: 'get',
      path: paths[operationId],
      operationId,
      tag: 'feeds',
      summary,
      admissions: [{ grant: 'application', scope: profile.scopes[operationId] }],
      parameters: [
        headerParameter(profile.marketplaceHeader, 'Marketplace identifier.', true),
        headerParameter(
          'Range',
          'bytes=<start>-<end>',
          rangeRequired && parts.headerForm !== 'rfc9110',
        ),
        queryParameter('category_id', 'Top-level category.', required),
        ...parameters,
      ],
      responses: {
        200: fileResponse('The whole file.', TSV),
        204: { description: 'The file has no items.' },
        206: fileResponse('The asked part of the file.', TSV, true),
      },
      errors: {
        family: feeds.errors(feed),
        ids: [...SHARED_ERRORS, ...errors].sort((a, b) => a - b),
        internal: 13006,
      },
      answer: ({ request }) => feeds.answer(feed, request),
    }
  })
}
