// The twelve operations of the service: their addresses and the scopes of their tokens
// (feed-file-catalog.md, section 2.1; item-feeds.md, section 3.1;
// signing-keys-and-subscriptions.md, section 2.1). Paths and scopes that those pages leave out come
// from service-notes.md, section 3.1. A profile can replace each of them.

/** The field of the profile with the base address of a path. */
export type Base = 'baseUrl' | 'keysBaseUrl' | 'notificationsBaseUrl'

export interface OperationSpec {
  readonly method: 'GET' | 'POST'
  readonly base: Base
  /** The path after the base address. `{name}` stands for one segment. */
  readonly path: string
  /** The scope after `{scope_base}/`. */
  readonly scope: string
}

const CATALOG = '/buy/feed/v1'
const FEEDS = '/buy/feed/v1_beta'
const FEED_SCOPE = 'buy.item.feed'
const API_SCOPE = 'api_scope'

const read = (path: string): OperationSpec => ({
  method: 'GET',
  base: 'baseUrl',
  path,
  scope: FEED_SCOPE,
})

export const OPERATIONS = {
  getAccess: read(`${CATALOG}/access`),
  getFeedTypes: read(`${CATALOG}/feed_type`),
  getFeedType: read(`${CATALOG}/feed_type/{feed_type_id}`),
  getFiles: read(`${CATALOG}/file`),
  getFile: read(`${CATALOG}/file/{file_id}`),
  downloadFile: read(`${CATALOG}/file/{file_id}/download`),
  getItemFeed: read(`${FEEDS}/item`),
  getItemGroupFeed: read(`${FEEDS}/item_group`),
  getItemSnapshotFeed: read(`${FEEDS}/item_snapshot`),
  getItemPriorityFeed: read(`${FEEDS}/item_priority`),
  getSigningKey: {
    method: 'GET',
    base: 'keysBaseUrl',
    path: '/signing_key/{signing_key_id}',
    scope: API_SCOPE,
  },
  createSubscription: {
    method: 'POST',
    base: 'notificationsBaseUrl',
    path: '/subscription',
    scope: API_SCOPE,
  },
} as const satisfies Record<string, OperationSpec>

export type OperationName = keyof typeof OPERATIONS

/**
 * The scope for a subscription that belongs to a user, after `{scope_base}/`
 * (signing-keys-and-subscriptions.md, section 5).
 */
export const USER_SUBSCRIPTION_SCOPE = 'api_scope/commerce.notification.subscription'
