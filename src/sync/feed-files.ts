// A file's identity in the words of the layers below: the request for it, its schema, what its rows
// carry, and names on this machine.

import type { Columns, FeedFile, FeedSchema } from '../schema/feed-schema'
import { schemaOf } from '../schema/feed-schemas'
import type { FeedDownload } from '../service/clients/feed-download'
import { fileNameOf } from '../service/clients/file-name'
import type { FeedService } from '../service/feed-service'
import type { FileId } from './file-id'

/** A file to fetch as it is compressed: its rows are read when it is proven whole. */
export type FileDownload = Pick<FeedDownload<Columns>, 'compressed' | 'info'>

/** @throws FeedError REQUEST_INVALID */
export function downloadOf({ feeds }: FeedService, id: FileId): FileDownload {
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

export function schemaOfFile({ feed }: FileId): FeedSchema<Columns> {
  return schemaOf(feed)
}

/** What the rows of the file carry. @param lastModified the header as it was sent */
export function feedFileOf(id: FileId, lastModified: string | undefined): FeedFile {
  const { feed, marketplace, categoryId } = id
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

/** A date as headers have it; undefined where it cannot be read. */
export function readDate(text: string | undefined): Date | undefined {
  const date = new Date(text ?? Number.NaN)
  return Number.isNaN(date.getTime()) ? undefined : date
}

/** True of files that say all that there is. */
export function isBootstrap(id: FileId): id is Extract<FileId, { scope: 'ALL_ACTIVE' }> {
  return 'scope' in id && id.scope === 'ALL_ACTIVE'
}

/**
 * The file as it is asked for: of which generation a bootstrap is, is known only from the answer.
 */
export function askedId(id: FileId): FileId {
  return isBootstrap(id)
    ? { feed: id.feed, marketplace: id.marketplace, categoryId: id.categoryId, scope: id.scope }
    : id
}

/**
 * A name for the file in any folder; never one that leads out of it. Different for different files.
 */
export function localNameOf(id: FileId): string {
  const which =
    'hour' in id
      ? [id.hour]
      : 'date' in id
        ? [id.date]
        : [id.scope, ...(id.generation === undefined ? [] : [id.generation])]
  return fileNameOf(id.feed, [id.marketplace, id.categoryId, ...which])
}
