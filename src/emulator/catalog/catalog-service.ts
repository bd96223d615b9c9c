// The six operations of the catalog (feed-file-catalog.md, section 2). Each checks its request
// (catalog-query.ts), finds the published files (published-files.ts), checks the permissions
// (permissions.ts), and answers with a page, a resource or a part of a file.

import type { FeedType, FileMetadata, ServiceProfile } from '../../service/index'
import type { AccessRules } from '../access-rules'
import type { FileFormat } from '../feeds/feed-file'
import type { FileResponder } from '../feeds/file-responder'
import type { ErrorFamily } from '../http/error-family'
import type { Call } from '../http/route'
import type { World } from '../world/world'
import type { CatalogErrorId } from './catalog-errors'
import {
  type CatalogQuery,
  countIn,
  listOf,
  queryPart,
  queryRefusal,
  readCatalogQuery,
} from './catalog-query'
import {
  type FeedTypeSeed,
  feedTypeResource,
  SCHEMA_VERSION,
  supportsMarketplace,
} from './feed-types'
import { type PageRequest, pageOf } from './paging'
import { Permissions } from './permissions'
import { type FileFilter, hasRows, type PublishedFile, publishedFiles } from './published-files'

export interface CatalogServiceOptions {
  readonly world: World
  readonly now: () => Date
  readonly types: readonly FeedTypeSeed[]
  readonly access: AccessRules
  readonly format: FileFormat
  readonly files: FileResponder
  readonly errors: ErrorFamily<CatalogErrorId>
  /** The full name of the scope that gives access to the files. */
  readonly scope: string
  readonly profile: ServiceProfile
  /** The size in bytes above which a request needs a Range. */
  readonly maxWholeBytes: number
  /** Computes the size that metadata states for a file of so many bytes. */
  readonly toldSize: (bytes: number) => number
}

export class CatalogService {
  readonly #options: CatalogServiceOptions
  readonly #permissions: Permissions

  constructor(options: CatalogServiceOptions) {
    this.#options = options
    this.#permissions = new Permissions(options.world, options.access)
  }

  getAccess(): Response {
    const accesses = this.#options.types.flatMap(type => {
      const constraints = this.#permissions.marketplacesOf(type)
      return constraints.length === 0 ? [] : [{ feedType: type.feedTypeId, constraints }]
    })
    return accesses.length === 0 ? new Response(null, { status: 204 }) : Response.json({ accesses })
  }

  getFeedTypes({ request }: Call): Response {
    const query = this.#read(request)
    const refusal = this.#check('getFeedTypes', query)
    if (refusal !== undefined) return this.#refuse(refusal, query)
    const marketplaces = listOf(query.marketplaceIds)
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
    if (this.#permissions.marketplacesOf(type).length === 0)
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
    const found = this.#find('getFile', call)
    return found instanceof Response ? found : Response.json(await this.#metadata(found))
  }

  async downloadFile(call: Call): Promise<Response> {
    const found = this.#find('downloadFile', call)
    if (found instanceof Response) return found
    const { errors, files, maxWholeBytes, profile } = this.#options
    const forbidden = this.#permissions.refusalOfFile(found)
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
    return readCatalogQuery(request, this.#options.profile)
  }

  #check(
    operation: Parameters<typeof queryRefusal>[0],
    query: CatalogQuery,
  ): CatalogErrorId | undefined {
    const { world, types, profile } = this.#options
    return queryRefusal(operation, query, { world, types, limits: profile.limits })
  }

  #page(request: Request, query: CatalogQuery): PageRequest {
    return {
      request,
      context: query.marketplace ?? '',
      limit: this.#limit(query),
      token: query.continuationToken,
    }
  }

  #limit({ limit }: CatalogQuery): number {
    return limit === null ? this.#options.profile.limits.pageSizeLeast : countIn(limit)
  }

  #refuse(id: CatalogErrorId, query: CatalogQuery): Response {
    const { errors } = this.#options
    return errors.response(id, {
      received: queryPart(query, errors.rows[id].input),
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
  #typeRefusal({ feedTypeId, marketplace }: CatalogQuery): 14009 | 14011 | undefined {
    const type = this.#options.types.find(known => known.feedTypeId === feedTypeId)
    return type === undefined ? undefined : this.#permissions.refusalOfType(type, marketplace!)
  }

  #feedType(type: FeedTypeSeed): FeedType {
    const { world, format, scope } = this.#options
    return feedTypeResource(type, world, format, scope)
  }

  *#published(filter: FileFilter): Generator<PublishedFile, void, void> {
    const { world, types, access, format, now } = this.#options
    for (const entry of publishedFiles({ world, types, access, now: now() }, filter)) {
      if (hasRows(world, entry.file, format)) yield entry
    }
  }

  #find(operation: 'getFile' | 'downloadFile', { request, path }: Call): PublishedFile | Response {
    const query = this.#read(request)
    const refusal = this.#check(operation, query)
    if (refusal !== undefined) return this.#refuse(refusal, query)
    const { world, types, access, format, now } = this.#options
    for (const entry of publishedFiles(
      { world, types, access, now: now() },
      { marketplaceId: query.marketplace! },
    )) {
      if (entry.fileId === path.file_id && hasRows(world, entry.file, format)) return entry
    }
    return this.#options.errors.response(14004, { received: path.file_id })
  }

  async #metadata(entry: PublishedFile): Promise<FileMetadata> {
    const { type, file, fileId } = entry
    const { files, toldSize } = this.#options
    return {
      access: this.#permissions.refusalOfFile(entry) === undefined ? 'ALLOWED' : 'RESTRICTED',
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
function isDaily({ feedScope }: CatalogQuery): boolean {
  return feedScope === null || feedScope === 'DAILY'
}

function filterOf({ marketplace, feedTypeId, categoryIds, lookBack }: CatalogQuery): FileFilter {
  return {
    marketplaceId: marketplace!,
    feedTypeId: feedTypeId ?? undefined,
    categoryIds: listOf(categoryIds),
    lookBackMinutes: lookBack === null ? undefined : countIn(lookBack),
  }
}
