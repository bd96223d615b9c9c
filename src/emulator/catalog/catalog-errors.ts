// The error rows of the catalog: those of feed-file-catalog.md, section 6, and of service-notes.md,
// section 4.1.

import type { ServiceProfile } from '../../service/index'
import { ErrorFamily, type ErrorRow, FEED_ERRORS, requestError } from '../http/error-family'

export type CatalogErrorId =
  | 13006
  | 13014
  | 13015
  | 13016
  | 13017
  | 14000
  | 14001
  | 14002
  | 14004
  | 14005
  | 14006
  | 14007
  | 14008
  | 14009
  | 14010
  | 14011

const CATALOG_ERRORS: Readonly<Record<CatalogErrorId, ErrorRow>> = {
  13006: {
    status: 500,
    category: 'APPLICATION',
    message: 'There was a problem with an internal system. Wait and try again.',
  },
  13014: requestError(
    400,
    'The marketplace header is missing or its value is not a supported marketplace. Valid values: {valid_values}.',
    'marketplace',
  ),
  13015: requestError(
    400,
    'The file is larger than {max_length} bytes. Use the Range header.',
    'Range',
  ),
  13016: requestError(
    400,
    'The format of the Range header is invalid. Use bytes=<start>-<end>.',
    'Range',
  ),
  13017: requestError(
    416,
    'The Range header is invalid: wrong positions, or more than the allowed {max_length} bytes.',
    'Range',
  ),
  14000: requestError(404, 'The feed type does not exist.', 'feed_type_id'),
  14001: requestError(
    400,
    'The limit is invalid. Use a whole number from {least} to {most}.',
    'limit',
  ),
  14002: requestError(
    400,
    'The continuation_token is invalid. Use the one of the previous page, with the same parameters.',
    'continuation_token',
  ),
  14004: requestError(
    404,
    'The file does not exist for the marketplace, or it has expired.',
    'file_id',
  ),
  14005: requestError(400, 'Too many categories. Use at most {most}.', 'category_ids'),
  14006: requestError(
    400,
    'The look-back is invalid. Use a whole number of minutes above 0.',
    'look_back',
  ),
  14007: requestError(
    403,
    'Insufficient permission to download the file. Check the OAuth scopes and the access rules.',
    'file_id',
  ),
  14008: requestError(400, 'The feed type is invalid.', 'feed_type_id'),
  14009: requestError(
    403,
    'Insufficient permission for the feed type on the marketplace.',
    'feed_type_id',
  ),
  14010: requestError(
    400,
    'The marketplace_ids are invalid. Use at most {most} of these: {valid_values}.',
    'marketplace_ids',
  ),
  14011: requestError(403, 'The feed type is not permitted.', 'feed_type_id'),
}

/** The errors of the catalog. */
export function catalogErrors(
  { marketplaceHeader, lookBackParameter }: ServiceProfile,
  wrapped: boolean,
): ErrorFamily<CatalogErrorId> {
  const inputNames = { marketplace: marketplaceHeader, look_back: lookBackParameter }
  return new ErrorFamily(CATALOG_ERRORS, { ...FEED_ERRORS, wrapped, inputNames })
}
