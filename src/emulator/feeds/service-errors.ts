// The error table of item-feeds.md, section 5 as data, and the family of errors of each feed. Two
// rows have statuses that differ by feed. The service fills in the placeholders.

import type { ServiceProfile } from '../../service/index'
import { ErrorFamily, type ErrorRow, FEED_ERRORS, requestError } from '../http/error-family'
import type { FeedName } from './feed-file'
import type { HeaderForm } from './requested-range'

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
  /** Statuses that differ for single feeds. */
  readonly statusOf?: Partial<Record<FeedName, number>>
}

const request = (
  message: string,
  input?: string,
  statusOf?: ServiceErrorRow['statusOf'],
): ServiceErrorRow => ({
  ...requestError(400, message, input),
  ...(statusOf === undefined ? {} : { statusOf }),
})

export const SERVICE_ERRORS: Readonly<Record<ServiceErrorId, ServiceErrorRow>> = {
  13000: request('The request contains invalid data.'),
  13003: request('The feed_scope is invalid. Valid values: {valid_values}.', 'feed_scope'),
  13004: request('The category_id is invalid.', 'category_id'),
  13005: request(
    'The date is invalid or there is no file for it. Valid days: {earliest_date} to {latest_date}, in the format yyyyMMdd.',
    'date',
  ),
  13006: {
    status: 500,
    category: 'APPLICATION',
    message: 'There was a problem with an internal system. Wait and try again.',
  },
  13007: request('The feed file cannot be found. It may still be being generated.', undefined, {
    item_priority: 404,
  }),
  13009: request('The feed_scope is missing. Valid values: {valid_values}.', 'feed_scope'),
  13010: request('The category_id is missing.', 'category_id'),
  13011: request(
    'The date is missing. Valid days: {earliest_date} to {latest_date}, in the format yyyyMMdd.',
    'date',
  ),
  13012: request(
    'The marketplace identifier is invalid. Valid values: {valid_values}.',
    'marketplace',
  ),
  13013: request('The marketplace header is missing. Valid values: {valid_values}.', 'marketplace'),
  13014: request('The marketplace is not supported. Valid values: {valid_values}.', 'marketplace'),
  13015: request(
    'The Range header is missing. Use bytes=<start>-<end>, at most {max_length} bytes at a time.',
    'Range',
  ),
  13016: request('The format of the Range header is invalid. Use bytes=<start>-<end>.', 'Range'),
  13017: request(
    'The Range header is invalid: wrong start or end position. The maximum length is {max_length} bytes.',
    'Range',
    {
      item_priority: 416,
    },
  ),
  13018: request('The start position of the Range header is invalid.', 'Range'),
  13019: request('The end position of the Range header is invalid.', 'Range'),
  13020: request(
    'The snapshot_date is missing. Use the format yyyy-MM-ddTHH:mm:ss.',
    'snapshot_date',
  ),
  13021: request(
    'The snapshot_date is invalid. Use the format yyyy-MM-ddTHH:mm:ss.',
    'snapshot_date',
  ),
  13022: request('The category_id is not supported.', 'category_id'),
  13023: {
    status: 403,
    category: 'BUSINESS',
    message: 'You do not have permission for this marketplace.',
    input: 'marketplace',
  },
  13024: {
    status: 403,
    category: 'BUSINESS',
    message: 'You do not have permission for this category.',
    input: 'category_id',
  },
}

export interface FeedErrorOptions {
  readonly profile: ServiceProfile
  readonly headerForm: HeaderForm
  readonly wrapErrors: boolean
}

/** Returns the errors of one feed. */
export function feedErrors(
  feed: FeedName,
  { profile, headerForm, wrapErrors }: FeedErrorOptions,
): ErrorFamily<ServiceErrorId> {
  const rows = Object.fromEntries(
    Object.entries(SERVICE_ERRORS).map(([id, { statusOf, ...row }]) => [
      id,
      { ...row, status: statusOf?.[feed] ?? row.status },
    ]),
  ) as Record<ServiceErrorId, ErrorRow>
  return new ErrorFamily(rows, {
    ...FEED_ERRORS,
    wrapped: wrapErrors,
    statuses: headerForm === 'rfc9110' ? { 13017: 416 } : {},
    inputNames: { marketplace: profile.marketplaceHeader },
    forcedValues: { max_length: String(profile.maxRangeBytes) },
  })
}
