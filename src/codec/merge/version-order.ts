// Which of two rows about one item is the newer (item-feeds.md, section 2.7; service-notes.md,
// section 7). The time decides first, then whether the row is a removal (that is the newer), then
// the generation of the file; what is left is decided by the content (register.ts). So the order is
// total, and the newest of any rows is the same in whatever order, and however often, they come.
//
//   row                                      its time
//   any row with an itemSnapshotDate         that date
//   any other row of item_snapshot           the last millisecond of its file's hour: after every change in it
//   item_priority                            the end of the file's day, else Last-Modified
//   any other                                Last-Modified (bootstrap and daily), else the end of the file's day
//
// Deliberately a default: a caller who knows better gives `versionOf`.

import { FeedError } from '../../errors'
import type { FeedFile } from '../../schema/feed-schema'
import { unknownColumn } from '../projection'
import type { AnyRow } from '../row-image'

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
/** Daily files are cut in the zone UTC-7, all the year (item-feeds.md, section 6). */
const DAILY_FILE_OFFSET_MS = 7 * HOUR_MS

export interface Version {
  /** When what the row says became true, milliseconds since 1970 UTC. */
  readonly timeMs: number
  /** The row says that the item is gone. */
  readonly removed: boolean
  /**
   * `Last-Modified` of the row's file, 0 where it is not known: of two generations of one file the
   * later counts.
   */
  readonly generatedMs: number
}

/** A caller's own time for a row; undefined leaves it to the table above. */
export type VersionOf = (row: AnyRow) => Date | undefined

/** @throws FeedError VERSION_MISSING, and CELL_INVALID where `itemSnapshotDate` cannot be read */
export function versionOfRow(row: AnyRow, itemId: string, versionOf?: VersionOf): Version {
  const { file } = row.batch
  const timeMs = versionOf?.(row)?.getTime() ?? timeOfRow(row)
  if (timeMs === undefined || Number.isNaN(timeMs)) {
    const key = itemId.slice(0, 80)
    throw new FeedError('VERSION_MISSING', `${key}: neither the row nor its file has a date`, {
      ...row.position,
      key,
    })
  }
  return { timeMs, removed: isRemoval(row), generatedMs: generationOf(file) ?? 0 }
}

/** Less than 0 when `a` is the older. */
export function compareVersions(a: Version, b: Version): number {
  return (
    a.timeMs - b.timeMs || Number(a.removed) - Number(b.removed) || a.generatedMs - b.generatedMs
  )
}

/**
 * True of the rows that say an item is gone: of UNAVAILABLE ones in snapshots, where only itemId
 * and availability are filled.
 */
export function isRemoval(row: AnyRow): boolean {
  return (
    row.batch.file.feed === 'item_snapshot' &&
    hasColumn(row, 'availability') &&
    row.text('availability') === 'UNAVAILABLE'
  )
}

function timeOfRow(row: AnyRow): number | undefined {
  const { file } = row.batch
  const date = hasColumn(row, 'itemSnapshotDate') ? row.get('itemSnapshotDate') : undefined
  if (date instanceof Date) return date.getTime()
  if (file.feed === 'item_snapshot') return file.hour && file.hour.getTime() + HOUR_MS - 1
  const generatedMs = generationOf(file)
  return file.feed === 'item_priority'
    ? (endOfDay(file) ?? generatedMs)
    : (generatedMs ?? endOfDay(file))
}

/**
 * @throws FeedError COLUMN_UNKNOWN where the file has it and the parser was told to leave it out:
 * without it versions would be wrong
 */
function hasColumn({ batch: { header } }: AnyRow, name: string): boolean {
  if (header.leftOut?.has(name)) throw unknownColumn(header, name)
  return header.indexes.has(name)
}

/** An invalid date, as `new Date` makes of a header that is not there, is one that is not known. */
function generationOf({ lastModified }: FeedFile): number | undefined {
  const generatedMs = lastModified?.getTime()
  return Number.isNaN(generatedMs) ? undefined : generatedMs
}

function endOfDay({ date }: FeedFile): number | undefined {
  const parts = date === undefined ? null : /^(\d{4})(\d{2})(\d{2})$/.exec(date)
  if (parts === null) return undefined
  return (
    Date.UTC(Number(parts[1]), Number(parts[2]) - 1, Number(parts[3])) +
    DAILY_FILE_OFFSET_MS +
    DAY_MS -
    1
  )
}
