// The catalog as routes (feed-file-catalog.md, section 2): its service, and the description of
// its operations.

import { documentedFamily, errorIds } from '../http/error-family'
import {
  fileResponse,
  headerParameter,
  jsonResponse,
  type Parameter,
  pathParameter,
  queryParameter,
  type Route,
} from '../http/route'
import { type JsonSchema, schemaRef } from '../openapi/schemas'
import type { ServiceContext } from '../service-context'
import { catalogSettings } from './catalog-options'
import { CatalogService } from './catalog-service'

const OPERATIONS = [
  'getAccess',
  'getFeedTypes',
  'getFeedType',
  'getFiles',
  'getFile',
  'downloadFile',
] as const

type CatalogOperation = (typeof OPERATIONS)[number]

/** @throws FeedError OPTION_INVALID */
export function catalogRoutes(service: ServiceContext): readonly Route[] {
  const { profile, paths, wrapErrors } = service
  const inputNames = {
    marketplace: profile.marketplaceHeader,
    look_back: profile.lookBackParameter,
  }
  const family = documentedFamily('catalog', OPERATIONS, {
    wrapped: wrapErrors,
    inputNames,
  })
  const catalog = new CatalogService({
    ...service,
    ...catalogSettings(service.catalog),
    errors: family,
    inputNames,
    scope: `${profile.scopeBase}/${profile.scopes.downloadFile}`,
  })
  const denied = { insufficient_scope: { id: 14007, status: 403 } }
  const route = (
    operationId: CatalogOperation,
    rest: Pick<Route, 'summary' | 'parameters' | 'responses' | 'answer'>,
  ): Route => ({
    method: 'get',
    path: paths[operationId],
    operationId,
    tag: 'catalog',
    admissions: [{ grant: 'application', scope: profile.scopes[operationId] }],
    errors: {
      family,
      ids: errorIds(operationId),
      internal: 13006,
      ...(operationId === 'downloadFile' ? { denied } : {}),
    },
    ...rest,
  })
  const limits = profile.limits
  const page: readonly Parameter[] = [
    queryParameter('limit', 'Entries per page.', {
      schema: {
        type: 'integer',
        minimum: limits.pageSizeLeast,
        maximum: limits.pageSizeMost,
        default: limits.pageSizeLeast,
      },
    }),
    queryParameter('continuation_token', 'From the next link of the page before.'),
  ]
  const marketplace = headerParameter(profile.marketplaceHeader, 'Marketplace identifier.', true)
  return [
    route('getAccess', {
      summary: 'Access rules of the calling application',
      parameters: [],
      responses: {
        200: jsonResponse('The access rules.', schemaRef('AccessResponse')),
        204: { description: 'The application may use nothing.' },
      },
      answer: () => catalog.getAccess(),
    }),
    route('getFeedTypes', {
      summary: 'Feed types',
      parameters: [
        queryParameter('feed_scope', 'Frequency; DAILY.'),
        ...page,
        queryParameter('marketplace_ids', `At most ${limits.marketplaceIds}, between commas.`),
      ],
      responses: {
        200: jsonResponse('A page of feed types.', schemaRef('FeedTypeSearchResponse')),
      },
      answer: call => catalog.getFeedTypes(call),
    }),
    route('getFeedType', {
      summary: 'One feed type',
      parameters: [pathParameter('feed_type_id', 'Feed type identifier.')],
      responses: { 200: jsonResponse('The feed type.', schemaRef('FeedType')) },
      answer: call => catalog.getFeedType(call),
    }),
    route('getFiles', {
      summary: 'Metadata of the files that can be downloaded',
      parameters: [
        marketplace,
        queryParameter('feed_type_id', 'Feed type identifier.'),
        queryParameter('feed_scope', 'Frequency; DAILY.'),
        queryParameter(
          'category_ids',
          `Top-level categories, at most ${limits.categoryIds}, between commas.`,
        ),
        queryParameter(profile.lookBackParameter, 'Only files made within so many minutes.', {
          schema: WHOLE_NUMBER,
        }),
        ...page,
      ],
      responses: {
        200: jsonResponse('A page of metadata.', schemaRef('FileMetadataSearchResponse')),
      },
      answer: call => catalog.getFiles(call),
    }),
    route('getFile', {
      summary: 'Metadata of one file',
      parameters: [FILE_ID, marketplace],
      responses: { 200: jsonResponse('The metadata.', schemaRef('FileMetadata')) },
      answer: call => catalog.getFile(call),
    }),
    route('downloadFile', {
      summary: 'A file, or a range of its bytes',
      parameters: [
        FILE_ID,
        marketplace,
        headerParameter('Range', 'bytes=<start>-<end>; needed for large files.'),
      ],
      responses: {
        200: fileResponse('The whole file.', OCTETS),
        206: fileResponse('The asked part of the file.', OCTETS, true),
      },
      answer: call => catalog.downloadFile(call),
    }),
  ]
}

const OCTETS = 'application/octet-stream'

const WHOLE_NUMBER: JsonSchema = { type: 'integer', minimum: 1 }

const FILE_ID = pathParameter('file_id', 'File identifier, from getFiles.')
