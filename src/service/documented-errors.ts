// The table of all documented errors: the operation, the status, and whether a repeat may help.
// `source` is the section that states the error; the rows `implied` follow from other rows.

import type { OperationName } from './operations'

export interface DocumentedError {
  /** The operation that answers with the error. */
  readonly operation: OperationName
  /** The HTTP status of the answer. */
  readonly status: number
  /** The service's own code. */
  readonly errorId: number
  /** The kind of the failure: of the request, of the business rules, or of the service. */
  readonly category: 'REQUEST' | 'BUSINESS' | 'APPLICATION'
  /** The interface that reports the error. */
  readonly domain: 'API_FEED' | 'API_KEYS' | 'API_NOTIFICATION'
  /** When the service gives the error, in short words. */
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
  row(DOWNLOAD, 400, 13014, 'the marketplace header is absent or has no valid value'),
  row(DOWNLOAD, 400, 13015, 'the file is too large for a request without a Range'),
  row(DOWNLOAD, 400, 13016, 'the Range does not have the form bytes=<start>-<end>'),
  row(DOWNLOAD, 403, 14007, 'the OAuth scopes or access rules exclude the file'),
  row(DOWNLOAD, 403, 14009, 'the application may not read the feed type on this marketplace'),
  row(DOWNLOAD, 404, 14004, 'the marketplace has no such file, or it is older than the look-back'),
  row(DOWNLOAD, 416, 13017, 'the Range is too long, has wrong positions or does not fit the file'),
  application(DOWNLOAD, 500, 13006, 'an internal system failed'),
]

const FEED_ERRORS: readonly Row[] = [
  row(FEEDS, 400, 13000, 'the request has invalid data'),
  row(ITEM_AND_GROUP, 400, 13003, 'feed_scope is not valid'),
  row(FEEDS, 400, 13004, 'category_id is not valid'),
  row(DATED, 400, 13005, 'date is no past day with a file, or is not written as yyyyMMdd'),
  row(ALL_BUT_PRIORITY, 400, 13007, 'the file does not exist, or is still being made'),
  row(PRIORITY, 404, 13007, 'the file does not exist, or is still being made'),
  row(ITEM_AND_GROUP, 400, 13009, 'feed_scope is absent'),
  row(FEEDS, 400, 13010, 'category_id is absent'),
  row(DATED, 400, 13011, 'date is absent'),
  row(FEEDS, 400, 13012, 'the marketplace header does not hold a marketplace identifier'),
  row(FEEDS, 400, 13013, 'the marketplace header is absent'),
  row(FEEDS, 400, 13014, 'the marketplace has no such feeds'),
  row(FEEDS, 400, 13015, 'the Range header is absent'),
  row(FEEDS, 400, 13016, 'the Range header has a wrong form'),
  row(ALL_BUT_PRIORITY, 400, 13017, 'the Range begins or ends at a wrong position'),
  row(PRIORITY, 416, 13017, 'the Range begins or ends at a wrong position'),
  row(FEEDS, 400, 13018, 'the start of the Range is not valid'),
  row(FEEDS, 400, 13019, 'the end of the Range is not valid'),
  row(SNAPSHOT, 400, 13020, 'snapshot_date is absent'),
  row(
    SNAPSHOT,
    400,
    13021,
    "snapshot_date is not valid; the service's message calls the form yyyy-MM-ddTHH:mm:ss",
  ),
  row(FEEDS, 400, 13022, 'the feeds do not support this category'),
  business(FEEDS, 403, 13023, 'the application may not read the marketplace'),
  business(FEEDS, 403, 13024, 'the application may not read the category'),
  application(FEEDS, 500, 13006, 'an internal system failed; the same request may succeed later'),
]

const KEY_AND_SUBSCRIPTION_ERRORS: readonly Row[] = [
  application(KEY, 500, 210000, 'an internal system failed'),
  row(KEY, 404, 210002, 'no signing key has this identifier'),
  row(KEY, 401, 210005, 'the token has no valid client identifier of an application'),
  row(KEY, 403, 210005, 'the token has no valid client identifier of an application'),
  application(SUBSCRIBE, 500, 195000, 'an internal system failed'),
  row(SUBSCRIBE, 400, 195003, 'a configuration that notifications need is absent'),
  row(SUBSCRIBE, 400, 195006, 'the status is absent or is no status'),
  row(SUBSCRIBE, 400, 195007, 'the destination identifier is absent or names no destination'),
  row(SUBSCRIBE, 400, 195008, 'the schema version is absent or not valid'),
  row(SUBSCRIBE, 400, 195009, 'the topic does not support the format'),
  row(SUBSCRIBE, 400, 195010, 'the protocol is absent or not valid'),
  row(SUBSCRIBE, 403, 195011, 'the application may not subscribe to the topic'),
  row(SUBSCRIBE, 409, 195012, 'the application has this subscription already'),
  row(SUBSCRIBE, 400, 195015, 'a subscription needs an enabled destination'),
  row(SUBSCRIBE, 400, 195027, 'the topic identifier is absent or names no topic'),
]

const FURTHER_ERRORS: readonly Row[] = [
  row(['getFeedType'], 404, 14000, 'there is no such feed type'),
  row(LISTS, 400, 14001, 'limit is not valid'),
  row(LISTS, 400, 14002, 'continuation_token is not valid'),
  row(['getFiles'], 400, 14005, 'category_ids has more than 20 identifiers'),
  row(['getFiles'], 400, 14006, 'the look-back is not valid'),
  row(['getFiles'], 400, 14008, 'the feed type is not valid'),
  row(['getFeedTypes'], 400, 14010, 'marketplace_ids is not valid'),
  row(['getFeedType', 'getFiles'], 403, 14011, 'the application may not read the feed type'),
]

const OTHER_STATUSES: readonly Row[] = [
  row(KEY, 400, 210005, 'the token has no valid client identifier of an application'),
  row(SUBSCRIBE, 409, 195003, 'a configuration that notifications need is absent'),
  row(SUBSCRIBE, 409, 195015, 'a subscription needs an enabled destination'),
]

/**
 * Codes of the other operations of the catalog. The page states codes only for downloadFile; the
 * others have the same code for the same condition.
 */
const IMPLIED_ERRORS: readonly Row[] = [
  row(
    ['getFiles', 'getFile'],
    400,
    13014,
    'the marketplace header is absent or has no valid value',
  ),
  row(['getFiles'], 403, 14009, 'the application may not read the feed type on this marketplace'),
  row(
    ['getFile'],
    404,
    14004,
    'the marketplace has no such file, or it is older than the look-back',
  ),
  application(
    ['getAccess', 'getFeedTypes', 'getFeedType', 'getFiles', 'getFile'],
    500,
    13006,
    'an internal system failed',
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
