// The identity of a file: its stable text, and what follows of it: the request for a file of the
// service, its schema, the file information of its rows, and its local name. A file is planned,
// fetched, recorded and kept under it. The ledger also has the total and Last-Modified, which prove
// that two downloads are of one file. The fields are the parameters of item-feeds.md, sections 3.3
// to 3.6.

import {
  type Columns,
  type FeedError,
  type FeedFile,
  type FeedSchema,
  is,
  readInstant,
  schemaOf,
} from '../engine/index'
import {
  type CompressedOptions,
  decodedSegment,
  type FeedDownload,
  type FeedService,
  fileNameOf,
  readDay,
  readHour,
} from '../service/index'

/** One top-level category of one marketplace. The state of each category is separate. */
export interface Category {
  readonly marketplace: string
  readonly categoryId: string
}

/** The file of all active items or groups. The service has only the latest one. */
export interface BootstrapId extends Category {
  /** The feed of the items or of the groups. */
  readonly feed: 'item' | 'item_group'
  /** The scope that makes a file a bootstrap. */
  readonly scope: 'ALL_ACTIVE'
  /**
   * Last-Modified as ISO 8601 text, which tells the bootstraps apart. Undefined until the service
   * has answered.
   */
  readonly generation?: string
}

/** The file of all that was listed on one day of UTC-7. */
export interface DailyId extends Category {
  /** The feed of the items or of the groups. */
  readonly feed: 'item' | 'item_group'
  /** The scope that makes a file a daily one. */
  readonly scope: 'NEWLY_LISTED'
  /** `yyyyMMdd` */
  readonly date: string
}

/** The file of the changes of one hour. */
export interface SnapshotId extends Category {
  /** The feed of the changes. */
  readonly feed: 'item_snapshot'
  /** `yyyy-MM-ddThh:00:00.000Z`, the hour's first instant. */
  readonly hour: string
}

/** The file of the priority items of one day of UTC-7. */
export interface PriorityId extends Category {
  /** The feed of the priority items. */
  readonly feed: 'item_priority'
  /** `yyyyMMdd` */
  readonly date: string
}

/** A file of a feed of your own: the category has the name of the feed. */
export interface OwnId extends Category {
  /** Says that the file is none of the service. */
  readonly feed: typeof OWN
  /** Whether the file has all rows of its time, or those that changed. */
  readonly kind: 'full' | 'changes'
  /** The time of the file as ISO 8601 text. */
  readonly time: string
  /** The identifier that the list of the feed gives it. */
  readonly id: string
}

/** The marketplace and the feed of all files of a feed of one's own. */
export const OWN = 'own'

/** The identity of a file of the service. */
export type ServiceId = BootstrapId | DailyId | SnapshotId | PriorityId

/** The identity of a file of the service, or of a feed of your own. */
export type FileId = ServiceId | OwnId

/**
 * Returns the identity as one text, equal for equal files:
 * `<marketplace>/<category>/<feed>/<which>`. `<which>` is a day, an hour, or the scope and
 * generation of a bootstrap; of a file of your own, its time, its kind and its identifier. The texts
 * of one category begin alike, and those of one feed sort by time.
 * @throws FeedError OPTION_INVALID
 * @example
 * ```ts
 * import { fileIdKey } from 'feedmill/sync'
 *
 * const category = { marketplace: 'MKT_US', categoryId: '220' }
 * const hour = '2026-03-01T05:00:00.000Z'
 * console.log(fileIdKey({ ...category, feed: 'item_snapshot', hour }))
 * // => MKT_US/220/item_snapshot/2026-03-01T05:00:00.000Z
 * ```
 */
export function fileIdKey(id: FileId): string {
  const { marketplace, categoryId } = is.anObject('id', id)
  is.anyText('marketplace', marketplace)
  is.anyText('categoryId', categoryId)
  return `${categoryKey(id)}${id.feed}/${whichOf(id)}`
}

/** Returns the prefix of the keys of a category's files, with a slash at its end. */
export function categoryKey({ marketplace, categoryId }: Category): string {
  return `${encodeURIComponent(marketplace)}/${encodeURIComponent(categoryId)}/`
}

/** Returns the file of a text that {@link fileIdKey} made; undefined for any other text. */
export function readFileIdKey(key: string): FileId | undefined {
  const [, marketplace = '', categoryId = '', feed, which = ''] =
    /^([^/]+)\/([^/]+)\/(item|item_group|item_snapshot|item_priority|own)\/(.+)$/.exec(key) ?? []
  const category = {
    marketplace: decodedSegment(marketplace),
    categoryId: decodedSegment(categoryId),
  }
  const id = feed === undefined ? undefined : idOf(category, feed as FileId['feed'], which)
  return id !== undefined && fileIdKey(id) === key ? id : undefined
}

function whichOf(id: FileId): string {
  if (isOwn(id)) return `${id.time}/${id.kind}/${encodeURIComponent(id.id)}`
  if (id.feed === 'item_snapshot') return id.hour
  if (id.feed === 'item_priority' || id.scope === 'NEWLY_LISTED') return id.date
  return id.generation === undefined ? id.scope : `${id.scope}/${id.generation}`
}

function idOf(category: Category, feed: FileId['feed'], which: string): FileId | undefined {
  if (feed === OWN) return ownIdOf(category, which)
  if (feed === 'item_snapshot')
    return readHour(which) === undefined ? undefined : { feed, ...category, hour: which }
  if (readDay(which) !== undefined)
    return feed === 'item_priority'
      ? { feed, ...category, date: which }
      : { feed, ...category, scope: 'NEWLY_LISTED', date: which }
  if (feed === 'item_priority') return undefined
  const [scope, generation, ...rest] = which.split('/')
  if (scope !== 'ALL_ACTIVE' || rest.length > 0) return undefined
  if (generation === undefined) return { feed, ...category, scope }
  return isTime(generation) ? { feed, ...category, scope, generation } : undefined
}

function ownIdOf({ categoryId }: Category, which: string): OwnId | undefined {
  const [time = '', kind = '', id = ''] = which.split('/')
  if (!isTime(time) || (kind !== 'full' && kind !== 'changes')) return undefined
  return { marketplace: OWN, categoryId, feed: OWN, kind, time, id: decodedSegment(id) }
}

function isTime(text: string): boolean {
  return readInstant(text)?.toISOString() === text
}

/** A download of the bytes of a file. Its rows are read from its spool. */
export interface FileDownload {
  compressed(options: CompressedOptions): { batches(): AsyncIterable<Uint8Array> }
  /** Only a bootstrap of the service is asked for its time. */
  info?: FeedDownload<Columns>['info']
  /** Returns the error without what the requests for the file had that is secret. */
  covered(error: FeedError): FeedError
}

/** @throws FeedError REQUEST_INVALID */
export function downloadOf({ feeds }: FeedService, id: ServiceId): Required<FileDownload> {
  const { marketplace, categoryId } = id
  const category = { marketplace, categoryId }
  if (id.feed === 'item_snapshot')
    return feeds.getItemSnapshotFeed({ ...category, snapshotDate: id.hour })
  if (id.feed === 'item_priority') return feeds.getItemPriorityFeed({ ...category, date: id.date })
  const query =
    id.scope === 'NEWLY_LISTED'
      ? { ...category, scope: id.scope, date: id.date }
      : { ...category, scope: id.scope }
  return id.feed === 'item' ? feeds.getItemFeed(query) : feeds.getItemGroupFeed(query)
}

/** Returns the column of the key under which the rows of a file are kept. */
export function keyColumnOf({ feed }: Pick<FeedFile, 'feed'>): 'itemGroupId' | 'itemId' {
  return feed === 'item_group' ? 'itemGroupId' : 'itemId'
}

export function schemaOfFile({ feed }: ServiceId): FeedSchema<Columns> {
  return schemaOf(feed)
}

/**
 * Returns the file information that the rows of the file carry.
 * @param lastModified the header as it was sent
 */
export function feedFileOf(id: FileId, lastModified: string | undefined): FeedFile {
  const { feed, marketplace, categoryId } = id
  if (isOwn(id))
    return { feed: categoryId, id: id.id, kind: id.kind, lastModified: new Date(id.time) }
  const modified = readDate(lastModified)
  return {
    feed,
    marketplace,
    categoryId,
    ...('scope' in id && { scope: id.scope }),
    ...('date' in id && { date: id.date }),
    ...('hour' in id && { hour: new Date(id.hour) }),
    ...(modified && { lastModified: modified }),
  }
}

/** Reads the date of a header; undefined for an invalid one. */
export function readDate(text: string | undefined): Date | undefined {
  return text === undefined ? undefined : readInstant(text)
}

export function isOwn(id: FileId): id is OwnId {
  return id.feed === OWN
}

/**
 * Returns the time of a file with all rows, which removes those that it lacks; undefined for any
 * other.
 */
export function fullTimeOf(id: FileId): Date | undefined {
  if (isOwn(id)) return id.kind === 'full' ? new Date(id.time) : undefined
  return isBootstrap(id) ? readDate(id.generation) : undefined
}

/** Returns true for a file of all active items or groups. */
export function isBootstrap(id: FileId): id is Extract<FileId, { scope: 'ALL_ACTIVE' }> {
  return 'scope' in id && id.scope === 'ALL_ACTIVE'
}

/**
 * Returns the identity as it is requested: without the generation of a bootstrap, which only the
 * answer has.
 */
export function askedId(id: FileId): FileId {
  return isBootstrap(id)
    ? { feed: id.feed, marketplace: id.marketplace, categoryId: id.categoryId, scope: id.scope }
    : id
}

/** Returns a file name, different for different files. It never leads out of its folder. */
export function localNameOf(id: FileId): string {
  return fileNameOf(id.feed, [id.marketplace, id.categoryId, ...whichOf(id).split('/')])
}
