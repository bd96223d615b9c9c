// The routes of the catalog (feed-file-catalog.md, section 2).

import type { ServiceProfile } from '../../service/index'
import type { ErrorFamily } from '../http/error-family'
import type { Parameter, Route, RouteErrors } from '../http/route'
import {
  fileResponse,
  headerParameter,
  jsonResponse,
  pathParameter,
  queryParameter,
} from '../openapi/describe'
import { type JsonSchema, schemaRef } from '../openapi/schemas'
import type { ServicePaths } from '../service-paths'
import type { CatalogErrorId } from './catalog-errors'
import type { CatalogService } from './catalog-service'

export interface CatalogRouteParts {
  readonly catalog: CatalogService
  readonly errors: ErrorFamily<CatalogErrorId>
  readonly paths: ServicePaths
  readonly profile: ServiceProfile
}

export function catalogRoutes({
  catalog,
  errors,
  paths,
  profile,
}: CatalogRouteParts): readonly Route[] {
  const route = (
    operationId: CatalogOperation,
    rest: Pick<Route, 'summary' | 'parameters' | 'responses' | 'answer'>,
  ): Route => ({
    method: 'get',
    path: paths[operationId],
    operationId,
    tag: 'catalog',
    admissions: [{ grant: 'application', scope: profile.scopes[operationId] }],
    errors: routeErrors(errors, operationId),
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

const OPERATION_ERRORS = {
  getAccess: [],
  getFeedTypes: [14001, 14002, 14010],
  getFeedType: [14000, 14011],
  getFiles: [13014, 14001, 14002, 14005, 14006, 14008, 14009, 14011],
  getFile: [13014, 14004],
  downloadFile: [13014, 13015, 13016, 13017, 14004, 14007, 14009],
} as const satisfies Record<string, readonly CatalogErrorId[]>

type CatalogOperation = keyof typeof OPERATION_ERRORS

function routeErrors(
  family: ErrorFamily<CatalogErrorId>,
  operation: CatalogOperation,
): RouteErrors {
  const denied = { insufficient_scope: { id: 14007, status: 403 } }
  return {
    family,
    ids: [...OPERATION_ERRORS[operation], 13006],
    internal: 13006,
    ...(operation === 'downloadFile' ? { denied } : {}),
  }
}

const OCTETS = 'application/octet-stream'

const WHOLE_NUMBER: JsonSchema = { type: 'integer', minimum: 1 }

const FILE_ID = pathParameter('file_id', 'File identifier, from getFiles.')
