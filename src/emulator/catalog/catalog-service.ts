// The six operations of the catalog (feed-file-catalog.md, section 2). Each checks its request by a
// table, of which the first failing row gives the error; finds the published files
// (published-files.ts); checks the permissions; and answers with a page, a resource or a part of a
// file. The file is one piece, because the operations share these checks and the search for files.

import type { FeedType, FileMetadata } from '../../service/index'
import { hasRows } from '../feeds/feed-file'
import type { ErrorFamily, ErrorId } from '../http/error-family'
import { type Call, type Check, refusalOf, requestParts } from '../http/route'
import type { ServiceContext } from '../service-context'
import {
  type FeedTypeSeed,
  feedTypeResource,
  marketplacesOf,
  refusalOfFile,
  refusalOfType,
  SCHEMA_VERSION,
  supportsMarketplace,
} from './feed-types'
import { type PageRequest, pageOf } from './paging'
import { type FileFilter, type PublishedFile, publishedFiles } from './published-files'

export type CatalogErrorId = ErrorId<'catalog'>

export interface CatalogServiceOptions extends ServiceContext {
  readonly types: readonly FeedTypeSeed[]
  readonly errors: ErrorFamily<CatalogErrorId>
  /** The full name of the scope that gives access to the files. */
  readonly scope: string
  /** The names of parts of a request that the profile defines. */
  readonly inputNames: Readonly<Record<string, string>>
  /** The size in bytes above which a request needs a Range. */
  readonly maxWholeBytes: number
  /** Computes the size that metadata states for a file of so many bytes. */
  readonly toldSize: (bytes: number) => number
}

const PARTS = [
  'marketplace',
  'feed_type_id',
  'feed_scope',
  'limit',
  'continuation_token',
  'category_ids',
  'marketplace_ids',
  'look_back',
] as const

type CatalogQuery = ReturnType<typeof requestParts<(typeof PARTS)[number]>>

type CatalogCheck = Check<CatalogErrorId, CatalogQuery, CatalogServiceOptions>

const MARKETPLACE: CatalogCheck = [
  13014,
  ({ marketplace }, { world }) =>
    marketplace === null || !world.options.marketplaces.includes(marketplace),
]

const LIMIT: CatalogCheck = [
  14001,
  ({ limit }, { profile: { limits } }) =>
    limit !== null && !isBetween(countIn(limit), limits.pageSizeLeast, limits.pageSizeMost),
]

const FEED_TYPE: CatalogCheck = [
  14008,
  ({ feed_type_id }, { types }) =>
    feed_type_id !== null && !types.some(type => type.feedTypeId === feed_type_id),
]

const CATEGORIES: CatalogCheck = [
  14005,
  ({ category_ids }, { profile }) =>
    (listOf(category_ids)?.length ?? 0) > profile.limits.categoryIds,
]

const LOOK_BACK: CatalogCheck = [
  14006,
  ({ look_back }) =>
    look_back !== null && !isBetween(countIn(look_back), 1, Number.MAX_SAFE_INTEGER),
]

const MARKETPLACES: CatalogCheck = [
  14010,
  ({ marketplace_ids }, { world, profile }) => {
    const ids = listOf(marketplace_ids) ?? []
    return (
      ids.length > profile.limits.marketplaceIds ||
      ids.some(id => !world.options.marketplaces.includes(id))
    )
  },
]

const CHECKS = {
  getFeedTypes: [MARKETPLACES, LIMIT],
  getFiles: [MARKETPLACE, FEED_TYPE, CATEGORIES, LOOK_BACK, LIMIT],
  getFile: [MARKETPLACE],
} as const

export class CatalogService {
  readonly #options: CatalogServiceOptions

  constructor(options: CatalogServiceOptions) {
    this.#options = options
  }

  getAccess(): Response {
    const accesses = this.#options.types.flatMap(type => {
      const constraints = marketplacesOf(type, this.#options)
      return constraints.length === 0 ? [] : [{ feedType: type.feedTypeId, constraints }]
    })
    return accesses.length === 0 ? new Response(null, { status: 204 }) : Response.json({ accesses })
  }

  getFeedTypes({ request }: Call): Response {
    const query = this.#read(request)
    const refusal = this.#check('getFeedTypes', query)
    if (refusal !== undefined) return this.#refuse(refusal, query)
    const marketplaces = listOf(query.marketplace_ids)
    const types = (isDaily(query) ? this.#options.types : [])
      .map((type, rank) => ({ type, rank }))
      .filter(({ type }) => marketplaces?.some(id => supportsMarketplace(type, id)) ?? true)
    const page = pageOf(types, ({ rank }) => [rank], this.#page(request, query))
    if (page === undefined) return this.#refuse(14002, query)
    const { entries, ...links } = page
    return Response.json({
      feedTypes: entries.map(({ type }) => this.#feedType(type)),
      limit: entries.length,
      ...links,
    })
  }

  getFeedType({ path }: Call): Response {
    const feedTypeId = path.feed_type_id ?? ''
    const type = this.#options.types.find(known => known.feedTypeId === feedTypeId)
    const { errors } = this.#options
    if (type === undefined) return errors.response(14000, { received: feedTypeId })
    if (marketplacesOf(type, this.#options).length === 0)
      return errors.response(14011, { received: feedTypeId })
    return Response.json(this.#feedType(type))
  }

  async getFiles({ request }: Call): Promise<Response> {
    const query = this.#read(request)
    const refusal = this.#check('getFiles', query) ?? this.#typeRefusal(query)
    if (refusal !== undefined) return this.#refuse(refusal, query)
    const files = isDaily(query) ? [...this.#published(filterOf(query))] : []
    const page = pageOf(
      files,
      ({ file, rank }) => [-file.to.getTime(), rank],
      this.#page(request, query),
    )
    if (page === undefined) return this.#refuse(14002, query)
    const { entries, ...links } = page
    const fileMetadata: FileMetadata[] = []
    for (const entry of entries) fileMetadata.push(await this.#metadata(entry))
    return Response.json({ fileMetadata, limit: this.#limit(query), ...links })
  }

  async getFile(call: Call): Promise<Response> {
    const found = this.#find(call)
    return found instanceof Response ? found : Response.json(await this.#metadata(found))
  }

  async downloadFile(call: Call): Promise<Response> {
    const found = this.#find(call)
    if (found instanceof Response) return found
    const { errors, files, maxWholeBytes, profile } = this.#options
    const forbidden = refusalOfFile(found.type, found.file, this.#options)
    if (forbidden !== undefined)
      return errors.response(forbidden, { input: 'file_id', received: found.fileId })
    return files.respond(found.file, call.request, {
      mediaType: 'application/octet-stream',
      maxWholeBytes,
      refuse: (code, contentRange) => {
        const id = code === 13018 || code === 13019 ? 13016 : code
        const headers = id === 13017 ? { 'content-range': contentRange } : {}
        const maxLength = id === 13015 ? maxWholeBytes : profile.maxRangeBytes
        const values = id === 13016 ? {} : { max_length: String(maxLength) }
        return errors.response(id, { received: call.request.headers.get('range'), values, headers })
      },
    })
  }

  #read(request: Request): CatalogQuery {
    return requestParts(request, PARTS, this.#options.inputNames)
  }

  #check(operation: keyof typeof CHECKS, query: CatalogQuery): CatalogErrorId | undefined {
    return refusalOf(CHECKS[operation], query, this.#options)
  }

  #page(request: Request, query: CatalogQuery): PageRequest {
    return {
      request,
      context: query.marketplace ?? '',
      limit: this.#limit(query),
      token: query.continuation_token,
    }
  }

  #limit({ limit }: CatalogQuery): number {
    return limit === null ? this.#options.profile.limits.pageSizeLeast : countIn(limit)
  }

  #refuse(id: CatalogErrorId, query: CatalogQuery): Response {
    const { errors } = this.#options
    const { input } = errors.rows[id]
    return errors.response(id, {
      received: input === undefined ? null : query[input as keyof CatalogQuery],
      values: this.#validValues(id),
    })
  }

  /** The values of the placeholders in the message. */
  #validValues(id: CatalogErrorId): Record<string, string> {
    const { world, profile } = this.#options
    const { limits } = profile
    const marketplaces = world.options.marketplaces.join(', ')
    if (id === 13014) return { valid_values: marketplaces }
    if (id === 14001)
      return { least: String(limits.pageSizeLeast), most: String(limits.pageSizeMost) }
    if (id === 14005) return { most: String(limits.categoryIds) }
    return id === 14010 ? { most: String(limits.marketplaceIds), valid_values: marketplaces } : {}
  }

  /** A request for a feed type needs permission for the type and for the marketplace. */
  #typeRefusal({ feed_type_id, marketplace }: CatalogQuery): 14009 | 14011 | undefined {
    const type = this.#options.types.find(known => known.feedTypeId === feed_type_id)
    return type === undefined ? undefined : refusalOfType(type, marketplace!, this.#options)
  }

  #feedType(type: FeedTypeSeed): FeedType {
    const { world, format, scope } = this.#options
    return feedTypeResource(type, world, format, scope)
  }

  /** Yields the files with rows, or only the one with this identifier. */
  *#published(filter: FileFilter, fileId?: string): Generator<PublishedFile, void, void> {
    const { world, types, access, format, now } = this.#options
    for (const entry of publishedFiles({ world, types, access, now: now() }, filter)) {
      const wanted = fileId === undefined || entry.fileId === fileId
      if (wanted && hasRows(world, entry.file, format)) yield entry
    }
  }

  #find({ request, path }: Call): PublishedFile | Response {
    const query = this.#read(request)
    const refusal = this.#check('getFile', query)
    if (refusal !== undefined) return this.#refuse(refusal, query)
    for (const entry of this.#published({ marketplaceId: query.marketplace! }, path.file_id))
      return entry
    return this.#options.errors.response(14004, { received: path.file_id })
  }

  async #metadata(entry: PublishedFile): Promise<FileMetadata> {
    const { type, file, fileId } = entry
    const { files, toldSize } = this.#options
    return {
      access: refusalOfFile(type, file, this.#options) === undefined ? 'ALLOWED' : 'RESTRICTED',
      dimensions: [{ dimensionKey: 'CATEGORY', values: [file.categoryId] }],
      feedDate: file.to.toISOString(),
      feedScope: 'DAILY',
      feedTypeId: type.feedTypeId,
      fileId,
      format: 'TSV',
      marketplaceId: file.marketplaceId,
      schemaVersion: SCHEMA_VERSION,
      size: toldSize(await files.totalBytes(file)),
      span: { unit: 'DAY', value: 1 },
    }
  }
}

/** No feed has files of another frequency. */
function isDaily({ feed_scope }: CatalogQuery): boolean {
  return feed_scope === null || feed_scope === 'DAILY'
}

function filterOf({
  marketplace,
  feed_type_id,
  category_ids,
  look_back,
}: CatalogQuery): FileFilter {
  return {
    marketplaceId: marketplace!,
    feedTypeId: feed_type_id ?? undefined,
    categoryIds: listOf(category_ids),
    lookBackMinutes: look_back === null ? undefined : countIn(look_back),
  }
}

/** Splits a list at its commas. A missing or empty parameter gives an empty result. */
function listOf(text: string | null): readonly string[] | undefined {
  return text === null || text === '' ? undefined : text.split(',')
}

/** Returns NaN unless the text is a whole number. */
function countIn(text: string): number {
  return /^\d{1,15}$/.test(text) ? Number(text) : Number.NaN
}

function isBetween(value: number, lowest: number, highest: number): boolean {
  return value >= lowest && value <= highest
}
