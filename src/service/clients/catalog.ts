// The feed file catalog: access rules, feed types, file metadata, files (feed-file-catalog.md,
// section 2).

import type { Columns, FeedSchema, TextColumns } from '../../engine/index'
import { defineSchema, is, type OptionTable, readOptions } from '../../engine/index'
import type {
  AccessResponse,
  FeedType,
  FeedTypeSearchResponse,
  FileMetadata,
  FileMetadataSearchResponse,
} from '../json/bodies'
import { bodyOfShape, type ReadJson } from '../json/json-client'
import type { FeedDownload } from './feed-download'
import { PagedList } from './paged-list'
import type { CallOptions, RequestParts, ServiceCore } from './service-core'

export interface FeedTypesQuery {
  /** Only DAILY is supported. Default: every scope. */
  readonly feedScope?: string
  /**
   * The number of records in one page. getFeedTypes has no upper bound (feed-file-catalog.md,
   * section 2.3). Default: the service decides. Bounds: 1 or more.
   */
  readonly limit?: number
  /** At most 10 marketplaces. Default: all marketplaces. */
  readonly marketplaceIds?: readonly string[]
}

export interface FilesQuery {
  /** The marketplace of the files. */
  readonly marketplace: string
  /** Limits the list to one feed type. Default: every feed type. */
  readonly feedTypeId?: string
  /** Limits the list to one scope. Default: every scope. */
  readonly feedScope?: string
  /** At most 20 top-level categories. Default: all categories. */
  readonly categoryIds?: readonly string[]
  /**
   * The age limit of the files, in minutes since their generation. Default: no limit. Bounds: 1 to
   * 2,147,483,647.
   */
  readonly lookBackMinutes?: number
  /** The number of records in one page. Default: 20. Bounds: 20 to 100, or those of the profile. */
  readonly limit?: number
}

export interface FileQuery {
  /** The marketplace of the file, such as MKT_US. */
  readonly marketplace: string
  /** The identifier that the catalog gives the file. */
  readonly fileId: string
}

export interface FileDownloadQuery<C extends Columns> extends FileQuery {
  /** The columns of the file. Default: none, so every cell is text. */
  readonly schema?: FeedSchema<C>
}

export type Catalog = ReturnType<typeof catalogOf>

/** A schema that knows no column. */
const ANY_COLUMNS = defineSchema({ name: 'other', columns: {} })

const FEED_TYPES_QUERY = {
  feedScope: is.any,
  limit: is.any,
  marketplaceIds: is.any,
} satisfies OptionTable<FeedTypesQuery>
const FILES_QUERY = {
  marketplace: is.any,
  feedTypeId: is.any,
  feedScope: is.any,
  categoryIds: is.any,
  lookBackMinutes: is.any,
  limit: is.any,
} satisfies OptionTable<FilesQuery>
const FILE_QUERY = { marketplace: is.any, fileId: is.any } satisfies OptionTable<FileQuery>
const DOWNLOAD_QUERY = {
  ...FILE_QUERY,
  schema: is.any,
} satisfies OptionTable<FileDownloadQuery<Columns>>

const MAX_INT32 = 2 ** 31 - 1

const readAccess = /* @__PURE__ */ bodyOfShape(shapes => shapes.AccessResponse)
const readFeedType = /* @__PURE__ */ bodyOfShape(shapes => shapes.FeedType)
const readFile = /* @__PURE__ */ bodyOfShape(shapes => shapes.FileMetadata)

/** What a list of the catalog is made of. */
interface ListParts<T, R> {
  readonly read: ReadJson<R>
  readonly items: (response: R) => readonly T[]
  /** The response in place of a 204. */
  readonly empty: R
}

const FEED_TYPES: ListParts<FeedType, FeedTypeSearchResponse> = {
  read: /* @__PURE__ */ bodyOfShape(shapes => shapes.FeedTypeSearchResponse),
  items: response => response.feedTypes,
  empty: { feedTypes: [] },
}
const FILES: ListParts<FileMetadata, FileMetadataSearchResponse> = {
  read: /* @__PURE__ */ bodyOfShape(shapes => shapes.FileMetadataSearchResponse),
  items: response => response.fileMetadata,
  empty: { fileMetadata: [] },
}

/**
 * Returns the client of the catalog. All calls throw REQUEST_INVALID and HTTP_IDENTIFIER_INVALID
 * before anything is sent, and what {@link JsonClient.send} throws.
 */
export function catalogOf(core: ServiceCore) {
  return {
    /** Returns the access rules of the application. Without rules `accesses` is empty. */
    getAccess: async (options?: CallOptions): Promise<AccessResponse> =>
      core.json.get(core.request('getAccess', {}, options), readAccess, { accesses: [] }),

    getFeedTypes(query: FeedTypesQuery = {}, options?: CallOptions) {
      const { feedScope, limit, marketplaceIds } = readOptions(query, FEED_TYPES_QUERY, 'query')
      const checks = core.checks('getFeedTypes')
      checks.name('feedScope', feedScope)
      const { pageSizeLeast, pageSizeMost } = core.profile.limits
      checks.wholeNumber('limit', limit, pageSizeLeast, pageSizeMost)
      checks.marketplaces(marketplaceIds)
      const parts = { query: { feed_scope: feedScope, limit, marketplace_ids: marketplaceIds } }
      return listOf(core, 'getFeedTypes', parts, options, FEED_TYPES)
    },

    async getFeedType(
      query: { readonly feedTypeId: string },
      options?: CallOptions,
    ): Promise<FeedType> {
      const { feedTypeId } = readOptions(query, { feedTypeId: is.any }, 'query')
      const identifiers = { feed_type_id: feedTypeId }
      return core.json.get(core.request('getFeedType', { identifiers }, options), readFeedType)
    },

    getFiles(query: FilesQuery, options?: CallOptions) {
      const { marketplace, feedTypeId, feedScope, categoryIds, lookBackMinutes, limit } =
        readOptions(query, FILES_QUERY, 'query')
      const { limits, lookBackParameter } = core.profile
      const checks = core.checks('getFiles')
      checks.marketplace(marketplace)
      checks.name('feedTypeId', feedTypeId)
      checks.name('feedScope', feedScope)
      checks.categories(categoryIds)
      checks.wholeNumber('lookBackMinutes', lookBackMinutes, 1, MAX_INT32)
      checks.wholeNumber('limit', limit, limits.pageSizeLeast, limits.pageSizeMost)
      const filters = {
        category_ids: categoryIds,
        feed_scope: feedScope,
        feed_type_id: feedTypeId,
        limit,
      }
      const parts = { marketplace, query: { ...filters, [lookBackParameter]: lookBackMinutes } }
      return listOf(core, 'getFiles', parts, options, FILES)
    },

    async getFile(query: FileQuery, options?: CallOptions): Promise<FileMetadata> {
      const { marketplace, fileId } = readOptions(query, FILE_QUERY, 'query')
      core.checks('getFile').marketplace(marketplace)
      const parts = { marketplace, identifiers: { file_id: fileId } }
      return core.json.get(core.request('getFile', parts, options), readFile)
    },

    /** The download takes the size of the file from the ranges, not from the catalog. */
    downloadFile<C extends Columns = TextColumns>(query: FileDownloadQuery<C>): FeedDownload<C> {
      const { marketplace, fileId, schema } = readOptions(query, DOWNLOAD_QUERY, 'query')
      core.checks('downloadFile').marketplace(marketplace)
      return core.download<C>('downloadFile', {
        marketplace,
        identifiers: { file_id: fileId },
        // Without a schema C is TextColumns, which are the columns that ANY_COLUMNS gives.
        schema: schema ?? (ANY_COLUMNS as unknown as FeedSchema<C>),
        file: { feed: schema?.name ?? 'other', marketplace },
        names: [marketplace, fileId],
        accept: 'application/octet-stream,application/json',
      })
    },
  }
}

type ListOperation = 'getFeedTypes' | 'getFiles'

function listOf<T, R extends { readonly next?: string | undefined }>(
  core: ServiceCore,
  operation: ListOperation,
  parts: RequestParts,
  options: CallOptions | undefined,
  { read, items, empty }: ListParts<T, R>,
): PagedList<T, R> {
  // A mistake of the caller is reported at the call, not at the first page.
  core.request(operation, parts, options)
  return new PagedList<T, R>({
    url: token =>
      core.url(operation, { ...parts, query: { ...parts.query, continuation_token: token } }),
    fetch: url => core.json.get({ ...core.request(operation, parts, options), url }, read, empty),
    items,
    covered: error => core.covered(error),
  })
}
