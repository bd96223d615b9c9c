// The order of the versions of one item's rows (item-feeds.md, section 2.7; service-notes.md,
// section 7). The time decides first, then whether the row is a removal (which is newer), then the
// generation of the file, and at last the content (register.ts). So the order is total, and the
// newest row is the same in whatever order, and however often, the rows arrive.
//
//   row                                      its time
//   any row with an itemSnapshotDate         that date
//   any other row of item_snapshot           the last millisecond of its file's hour, which is
//                                            after every change in it
//   item_priority                            the end of the file's day, else Last-Modified
//   any other                                Last-Modified (bootstrap and daily), else the end of
//                                            the file's day
//
// This is a default: a caller may give another time by `versionOf`.

import { FeedError } from '../../errors'
import type { Columns, FeedFile } from '../../schema/feed-schema'
import type { Row } from '../row-batch'
import { unknownColumn } from '../tsv/header'

/** The column with the time of a row of a snapshot, and the one that says whether the item is there. */
export const DATE_COLUMN = 'itemSnapshotDate'
export const AVAILABILITY_COLUMN = 'availability'
/** The availability of an item that is removed. */
export const REMOVED_ITEM = 'UNAVAILABLE'
const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
/** The days of daily files are days of the zone UTC-7, all year (item-feeds.md, section 6). */
const DAILY_FILE_OFFSET_MS = 7 * HOUR_MS

export interface Version {
  /** The time from which the row is valid, in milliseconds since 1970 UTC. */
  readonly timeMs: number
  /** True for a row that removes the item. */
  readonly removed: boolean
  /**
   * `Last-Modified` of the row's file, or 0 where it is not known. Of two generations of one file
   * the later is newer.
   */
  readonly generatedMs: number
}

/** Returns a caller's own time for a row, or undefined for the time of the table above. */
export type VersionOf = (row: Row<Columns>) => Date | undefined

/** @throws FeedError VERSION_MISSING, and CELL_INVALID where `itemSnapshotDate` cannot be read */
export function versionOfRow(row: Row<Columns>, itemId: string, versionOf?: VersionOf): Version {
  return findVersion(row, versionOf) ?? versionMissing(row, itemId)
}

/**
 * Returns undefined where neither the row nor its file has a date.
 * @throws FeedError CELL_INVALID where `itemSnapshotDate` cannot be read
 */
export function findVersion(row: Row<Columns>, versionOf?: VersionOf): Version | undefined {
  const timeMs = versionOf?.(row)?.getTime() ?? timeOfRow(row)
  if (timeMs === undefined || Number.isNaN(timeMs)) return undefined
  return { timeMs, removed: isRemoval(row), generatedMs: generationOf(row.batch.file) ?? 0 }
}

/** @throws FeedError VERSION_MISSING */
export function versionMissing(row: Row<Columns>, itemId: string): never {
  const key = itemId.slice(0, 80)
  const message = `${key}: neither the row nor its file has a date: set the option file or versionOf`
  throw new FeedError('VERSION_MISSING', message, { ...row.position, key })
}

/** Returns a negative number where `a` is the older. */
export function compareVersions(a: Version, b: Version): number {
  return (
    a.timeMs - b.timeMs || Number(a.removed) - Number(b.removed) || a.generatedMs - b.generatedMs
  )
}

/**
 * Returns true for a row that removes its item: an UNAVAILABLE row of a snapshot, which has only
 * itemId and availability.
 */
export function isRemoval(row: Row<Columns>): boolean {
  return (
    row.batch.file.feed === 'item_snapshot' &&
    hasColumn(row, AVAILABILITY_COLUMN) &&
    row.ownText(AVAILABILITY_COLUMN) === REMOVED_ITEM
  )
}

function timeOfRow(row: Row<Columns>): number | undefined {
  const date = hasColumn(row, DATE_COLUMN) ? row.get(DATE_COLUMN) : undefined
  return date instanceof Date ? date.getTime() : timeOfFile(row.batch.file)
}

/** The time of a row without a date of its own. */
export function timeOfFile(file: FeedFile): number | undefined {
  if (file.feed === 'item_snapshot') return file.hour && file.hour.getTime() + HOUR_MS - 1
  const generatedMs = generationOf(file)
  return file.feed === 'item_priority'
    ? (endOfDay(file) ?? generatedMs)
    : (generatedMs ?? endOfDay(file))
}

/**
 * @throws FeedError COLUMN_UNKNOWN where the file has the column and the parser's projection does
 * not: versions would be wrong without it
 */
function hasColumn({ batch: { header } }: Row<Columns>, name: string): boolean {
  if (header.leftOut?.has(name)) throw unknownColumn(header, name)
  return header.indexes.get(name) !== undefined
}

/** Returns undefined for an invalid date, which `new Date` makes of a missing header. */
export function generationOf({ lastModified }: FeedFile): number | undefined {
  const generatedMs = lastModified?.getTime()
  return Number.isNaN(generatedMs) ? undefined : generatedMs
}

function endOfDay({ date }: FeedFile): number | undefined {
  const parts = date === undefined ? null : /^(\d{4})(\d{2})(\d{2})$/.exec(date)
  if (parts === null) return undefined
  const startMs = Date.UTC(Number(parts[1]), Number(parts[2]) - 1, Number(parts[3]))
  return startMs + DAILY_FILE_OFFSET_MS + DAY_MS - 1
}
