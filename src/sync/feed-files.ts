// Conversions of a file's identity: the request for the file, its schema, the file information of
// its rows, and its local name.

import type { Columns, FeedFile, FeedSchema } from '../engine/index'
import { schemaOf } from '../engine/index'
import type { FeedDownload, FeedService } from '../service/index'
import { fileNameOf } from '../service/index'
import type { FileId } from './file-id'

/** A download of the compressed file. Its rows are read after it has been verified. */
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

/** Returns the column of the key under which the rows of a file are kept. */
export function keyColumnOf({ feed }: Pick<FeedFile, 'feed'>): 'itemGroupId' | 'itemId' {
  return feed === 'item_group' ? 'itemGroupId' : 'itemId'
}

export function schemaOfFile({ feed }: FileId): FeedSchema<Columns> {
  return schemaOf(feed)
}

/**
 * Returns the file information that the rows of the file carry.
 * @param lastModified the header as it was sent
 */
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

/** Reads the date of a header; undefined for an invalid one. */
export function readDate(text: string | undefined): Date | undefined {
  const date = new Date(text ?? Number.NaN)
  return Number.isNaN(date.getTime()) ? undefined : date
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
  const which =
    'hour' in id
      ? [id.hour]
      : 'date' in id
        ? [id.date]
        : [id.scope, ...(id.generation === undefined ? [] : [id.generation])]
  return fileNameOf(id.feed, [id.marketplace, id.categoryId, ...which])
}
