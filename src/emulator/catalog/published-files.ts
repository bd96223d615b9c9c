// Which files the catalog has at a time: for each feed type, category and day one file, from the
// moment that its day (of UTC-7) is over until the look-back has passed. Nothing is stored: the
// files follow from the history of the world, the clock and the feed types. A file exists at both
// ends of its period, as in feeds/calendar.ts. Real Estate has no files.

import { createHash } from 'node:crypto'
import { type FeedFile, fileKey } from '../feeds/file-format'
import { DAY_MS, dayNumber, dayStart } from '../world/item-life'
import type { World } from '../world/world'
import { type Access, type FeedTypeSeed, lookBackMinutes, supportsMarketplace } from './feed-types'

export interface PublishedFile {
  readonly fileId: string
  readonly type: FeedTypeSeed
  readonly file: FeedFile
  /** The position among the files of one day. */
  readonly rank: number
}

export interface Shelf extends Access {
  readonly types: readonly FeedTypeSeed[]
  readonly now: Date
}

export interface FileFilter {
  readonly marketplaceId: string
  readonly feedTypeId?: string | undefined
  readonly categoryIds?: readonly string[] | undefined
  /** Selects files that were made within this number of minutes before now. */
  readonly lookBackMinutes?: number | undefined
}

const MINUTE_MS = 60_000

/**
 * Returns the files that pass the filter, the latest first. Their order does not depend on the
 * time.
 */
export function* publishedFiles(shelf: Shelf, filter: FileFilter): Iterable<PublishedFile> {
  const today = dayNumber(shelf.now.getTime())
  const days = Math.ceil((longestLookBack(shelf.types, filter) * MINUTE_MS) / DAY_MS)
  for (let day = today - 1; day >= today - 1 - days; day--) yield* filesOfDay(shelf, filter, day)
}

function* filesOfDay(shelf: Shelf, filter: FileFilter, day: number): Iterable<PublishedFile> {
  const { world, types, access } = shelf
  const { marketplaceId, categoryIds } = filter
  const from = new Date(dayStart(day))
  const to = new Date(dayStart(day + 1))
  let rank = 0
  for (const type of types) {
    const kept = isKept(to, shelf.now, type, filter) && supportsMarketplace(type, marketplaceId)
    for (const categoryId of world.options.categories) {
      const file: FeedFile = {
        feed: type.feed,
        content: type.content ?? 'span',
        marketplaceId,
        categoryId,
        from,
        to,
      }
      const wanted =
        kept && !access.isRealEstate(categoryId) && (categoryIds?.includes(categoryId) ?? true)
      if (wanted) yield { fileId: fileIdOf(world, type, file), type, file, rank }
      rank++
    }
  }
}

function isKept(
  made: Date,
  now: Date,
  type: FeedTypeSeed,
  { feedTypeId, lookBackMinutes: asked }: FileFilter,
): boolean {
  const ageMs = now.getTime() - made.getTime()
  const limitMs = Math.min(lookBackMinutes(type), asked ?? Number.POSITIVE_INFINITY) * MINUTE_MS
  return (feedTypeId ?? type.feedTypeId) === type.feedTypeId && ageMs >= 0 && ageMs <= limitMs
}

function longestLookBack(
  types: readonly FeedTypeSeed[],
  { lookBackMinutes: asked }: FileFilter,
): number {
  const longest = Math.max(0, ...types.map(lookBackMinutes))
  return Math.min(longest, asked ?? longest)
}

/** The identifier is the same in every process and contains no information. */
function fileIdOf(world: World, type: FeedTypeSeed, file: FeedFile): string {
  const name = [world.options.seed, world.options.items, type.feedTypeId, fileKey(file)].join('/')
  return createHash('sha256').update(name).digest('hex').slice(0, 32)
}
