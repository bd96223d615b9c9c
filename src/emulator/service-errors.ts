// The error table of document 2 as data, and the JSON bodies made from it. Statuses differ by feed in two rows.

import { type ErrorRow, errorObject, requestError } from './error-family'
import type { FeedName } from './feed-file'

export type ServiceErrorId =
  | 13000
  | 13003
  | 13004
  | 13005
  | 13006
  | 13007
  | 13009
  | 13010
  | 13011
  | 13012
  | 13013
  | 13014
  | 13015
  | 13016
  | 13017
  | 13018
  | 13019
  | 13020
  | 13021
  | 13022
  | 13023
  | 13024

export interface ServiceErrorRow extends ErrorRow {
  /** Statuses of single feeds that differ. */
  readonly statusOf?: Partial<Record<FeedName, number>>
}

const request = (message: string, input?: string, statusOf?: ServiceErrorRow['statusOf']): ServiceErrorRow => ({
  ...requestError(400, message, input),
  ...(statusOf === undefined ? {} : { statusOf }),
})

export const SERVICE_ERRORS: Readonly<Record<ServiceErrorId, ServiceErrorRow>> = {
  13000: request('The request contains invalid data.'),
  13003: request('The feed_scope is invalid. Valid values: NEWLY_LISTED, ALL_ACTIVE.', 'feed_scope'),
  13004: request('The category_id is invalid.', 'category_id'),
  13005: request('The date is invalid or there is no file for it. Use a day in the past in the format yyyyMMdd.', 'date'),
  13006: { status: 500, category: 'APPLICATION', message: 'There was a problem with an internal system. Wait and try again.' },
  13007: request('The feed file cannot be found. It may still be being generated.', undefined, { item_priority: 404 }),
  13009: request('The feed_scope is missing.', 'feed_scope'),
  13010: request('The category_id is missing.', 'category_id'),
  13011: request('The date is missing.', 'date'),
  13012: request('The marketplace identifier is invalid.', 'marketplace'),
  13013: request('The marketplace header is missing.', 'marketplace'),
  13014: request('The marketplace is not supported.', 'marketplace'),
  13015: request('The Range header is missing.', 'Range'),
  13016: request('The format of the Range header is invalid. Use bytes=<start>-<end>.', 'Range'),
  13017: request('The Range header is invalid: wrong start or end position.', 'Range', { item_priority: 416 }),
  13018: request('The start position of the Range header is invalid.', 'Range'),
  13019: request('The end position of the Range header is invalid.', 'Range'),
  13020: request('The snapshot_date is missing.', 'snapshot_date'),
  13021: request('The snapshot_date is invalid. Use the format yyyy-MM-ddTHH:mm:ss.', 'snapshot_date'),
  13022: request('The category_id is not supported.', 'category_id'),
  13023: { status: 403, category: 'BUSINESS', message: 'You do not have permission for this marketplace.', input: 'marketplace' },
  13024: { status: 403, category: 'BUSINESS', message: 'You do not have permission for this category.', input: 'category_id' },
}

export function errorStatus(id: ServiceErrorId, feed: FeedName): number {
  return SERVICE_ERRORS[id].statusOf?.[feed] ?? SERVICE_ERRORS[id].status
}

/** The documented Error object. `received` is the value of the row's input, where there is one. */
export function errorBody(id: ServiceErrorId, received?: string | null): Record<string, unknown> {
  return errorObject(id, SERVICE_ERRORS[id], 'API_FEED', 'feed', received)
}
