// The table of all documented errors: the operation, the status, and whether a repeat may help.
// `source` is the section that states the error; the rows `implied` follow from other rows.

import type { OperationName } from './operations'

export interface DocumentedError {
  readonly operation: OperationName
  readonly status: number
  readonly errorId: number
  readonly category: 'REQUEST' | 'BUSINESS' | 'APPLICATION'
  readonly domain: 'API_FEED' | 'API_KEYS' | 'API_NOTIFICATION'
  readonly condition: string
  /** True where the same request may succeed later. */
  readonly retryable: boolean
  /**
   * The page and section of the row. `implied` marks a code that is stated for downloadFile and
   * that another operation of the catalog gives for the same condition (feed-file-catalog.md,
   * section 6).
   */
  readonly source:
    | 'feed-file-catalog.md, section 6'
    | 'item-feeds.md, section 5'
    | 'signing-keys-and-subscriptions.md, section 7'
    | 'service-notes.md, section 4.1'
    | 'service-notes.md, section 4.2'
    | 'implied'
}

type Row = Omit<DocumentedError, 'operation' | 'domain' | 'retryable' | 'source'> & {
  readonly operations: readonly OperationName[]
}

const row = (
  operations: readonly OperationName[],
  status: number,
  errorId: number,
  condition: string,
): Row => ({
  operations,
  status,
  errorId,
  category: 'REQUEST',
  condition,
})
const business = (...parts: Parameters<typeof row>): Row => ({
  ...row(...parts),
  category: 'BUSINESS',
})
const application = (...parts: Parameters<typeof row>): Row => ({
  ...row(...parts),
  category: 'APPLICATION',
})

const DOWNLOAD = ['downloadFile'] as const
const ITEM_AND_GROUP = ['getItemFeed', 'getItemGroupFeed'] as const
const SNAPSHOT = ['getItemSnapshotFeed'] as const
const PRIORITY = ['getItemPriorityFeed'] as const
const DATED = [...ITEM_AND_GROUP, ...PRIORITY] as const
const ALL_BUT_PRIORITY = [...ITEM_AND_GROUP, ...SNAPSHOT] as const
const FEEDS = [...ALL_BUT_PRIORITY, ...PRIORITY] as const
const LISTS = ['getFiles', 'getFeedTypes'] as const
const KEY = ['getSigningKey'] as const
const SUBSCRIBE = ['createSubscription'] as const

const CATALOG_ERRORS: readonly Row[] = [
  row(DOWNLOAD, 400, 13014, 'Marketplace header invalid or missing'),
  row(DOWNLOAD, 400, 13015, 'Range header absent for a file larger than the allowed length'),
  row(DOWNLOAD, 400, 13016, 'Range header format invalid'),
  row(DOWNLOAD, 403, 14007, 'Insufficient permission to download the file'),
  row(DOWNLOAD, 403, 14009, 'Insufficient permission for the feed type on the marketplace'),
  row(DOWNLOAD, 404, 14004, 'File identifier does not exist for the marketplace, or has expired'),
  row(DOWNLOAD, 416, 13017, 'Range invalid: positions, length, or inconsistent with the file size'),
  application(DOWNLOAD, 500, 13006, 'Internal system problem'),
]

const FEED_ERRORS: readonly Row[] = [
  row(FEEDS, 400, 13000, 'Request contains invalid data'),
  row(ITEM_AND_GROUP, 400, 13003, 'feed_scope invalid'),
  row(FEEDS, 400, 13004, 'category_id invalid'),
  row(DATED, 400, 13005, 'date invalid: wrong format or no file for that date'),
  row(ALL_BUT_PRIORITY, 400, 13007, 'Feed file cannot be found; perhaps still being generated'),
  row(PRIORITY, 404, 13007, 'Feed file cannot be found; perhaps still being generated'),
  row(ITEM_AND_GROUP, 400, 13009, 'feed_scope missing'),
  row(FEEDS, 400, 13010, 'category_id missing'),
  row(DATED, 400, 13011, 'date missing'),
  row(FEEDS, 400, 13012, 'Marketplace identifier invalid'),
  row(FEEDS, 400, 13013, 'Marketplace header missing'),
  row(FEEDS, 400, 13014, 'Marketplace not supported'),
  row(FEEDS, 400, 13015, 'Range header missing'),
  row(FEEDS, 400, 13016, 'Range header format invalid'),
  row(ALL_BUT_PRIORITY, 400, 13017, 'Range header invalid'),
  row(PRIORITY, 416, 13017, 'Range header invalid'),
  row(FEEDS, 400, 13018, 'Start position of Range invalid'),
  row(FEEDS, 400, 13019, 'End position of Range invalid'),
  row(SNAPSHOT, 400, 13020, 'snapshot_date missing'),
  row(SNAPSHOT, 400, 13021, 'snapshot_date invalid'),
  row(FEEDS, 400, 13022, 'category_id not supported'),
  business(FEEDS, 403, 13023, 'No permission for the marketplace'),
  business(FEEDS, 403, 13024, 'No permission for the category'),
  application(FEEDS, 500, 13006, 'Internal system problem; wait and retry'),
]

const KEY_AND_SUBSCRIPTION_ERRORS: readonly Row[] = [
  application(KEY, 500, 210000, 'Internal system problem'),
  row(KEY, 404, 210002, 'Signing key with the given identifier does not exist'),
  row(KEY, 401, 210005, 'Token lacks a valid application client identifier'),
  row(KEY, 403, 210005, 'Token lacks a valid application client identifier'),
  application(SUBSCRIBE, 500, 195000, 'Internal system problem'),
  row(SUBSCRIBE, 400, 195003, 'Notification configuration required is missing'),
  row(SUBSCRIBE, 400, 195006, 'Subscription status invalid or missing'),
  row(SUBSCRIBE, 400, 195007, 'Destination identifier invalid or missing'),
  row(SUBSCRIBE, 400, 195008, 'Schema version invalid or missing'),
  row(SUBSCRIBE, 400, 195009, 'Format not supported for the topic'),
  row(SUBSCRIBE, 400, 195010, 'Protocol invalid or missing'),
  row(SUBSCRIBE, 403, 195011, 'Not authorized for the topic'),
  row(SUBSCRIBE, 409, 195012, 'Subscription already exists'),
  row(SUBSCRIBE, 400, 195015, 'Cannot enable: destination is not enabled'),
  row(SUBSCRIBE, 400, 195027, 'Topic identifier invalid or missing'),
]

const FURTHER_ERRORS: readonly Row[] = [
  row(['getFeedType'], 404, 14000, 'Feed type unknown'),
  row(LISTS, 400, 14001, 'limit invalid'),
  row(LISTS, 400, 14002, 'continuation_token invalid'),
  row(['getFiles'], 400, 14005, 'More than 20 categories'),
  row(['getFiles'], 400, 14006, 'Look-back invalid'),
  row(['getFiles'], 400, 14008, 'Feed type invalid'),
  row(['getFeedTypes'], 400, 14010, 'marketplace_ids invalid'),
  row(['getFeedType', 'getFiles'], 403, 14011, 'Feed type not permitted'),
]

const OTHER_STATUSES: readonly Row[] = [
  row(KEY, 400, 210005, 'Token lacks a valid application client identifier'),
  row(SUBSCRIBE, 409, 195003, 'Notification configuration required is missing'),
  row(SUBSCRIBE, 409, 195015, 'Cannot enable: destination is not enabled'),
]

/**
 * Codes of the other operations of the catalog. The page states codes only for downloadFile; the
 * others have the same code for the same condition.
 */
const IMPLIED_ERRORS: readonly Row[] = [
  row(['getFiles', 'getFile'], 400, 13014, 'Marketplace header invalid or missing'),
  row(['getFiles'], 403, 14009, 'Insufficient permission for the feed type on the marketplace'),
  row(
    ['getFile'],
    404,
    14004,
    'File identifier does not exist for the marketplace, or has expired',
  ),
  application(
    ['getAccess', 'getFeedTypes', 'getFeedType', 'getFiles', 'getFile'],
    500,
    13006,
    'Internal system problem',
  ),
]

/** True for a file that is still being generated, and for failures inside the service. */
function mayPass({ errorId, category }: Row): boolean {
  return errorId === 13007 || category === 'APPLICATION'
}

function domainOf(errorId: number): DocumentedError['domain'] {
  if (errorId >= 210_000) return 'API_KEYS'
  return errorId >= 195_000 ? 'API_NOTIFICATION' : 'API_FEED'
}

function rowsOf(rows: readonly Row[], source: DocumentedError['source']): DocumentedError[] {
  return rows.flatMap(({ operations, ...rest }) =>
    operations.map(operation => ({
      operation,
      ...rest,
      domain: domainOf(rest.errorId),
      retryable: mayPass({ operations, ...rest }),
      source,
    })),
  )
}

/** The documented errors, one row for each operation, status and code. */
export const documentedErrors: readonly DocumentedError[] = Object.freeze([
  ...rowsOf(CATALOG_ERRORS, 'feed-file-catalog.md, section 6'),
  ...rowsOf(FEED_ERRORS, 'item-feeds.md, section 5'),
  ...rowsOf(KEY_AND_SUBSCRIPTION_ERRORS, 'signing-keys-and-subscriptions.md, section 7'),
  ...rowsOf(FURTHER_ERRORS, 'service-notes.md, section 4.1'),
  ...rowsOf(OTHER_STATUSES, 'service-notes.md, section 4.2'),
  ...rowsOf(IMPLIED_ERRORS, 'implied'),
])

/**
 * Returns the documented error of an answer; undefined where no page documents it.
 *
 * @example
 * ```ts
 * import { documentedError } from 'feedmill/service'
 *
 * const error = documentedError('getItemFeed', 400, 13014)
 * console.log(error?.status, error?.category, error?.retryable)
 * // => 400 REQUEST false
 * ```
 */
export function documentedError(
  operation: string,
  status: number,
  errorId: number,
): DocumentedError | undefined {
  return documentedErrors.find(
    error => error.operation === operation && error.status === status && error.errorId === errorId,
  )
}
