// Merges runs in the order of their keys. Of the rows of one key the newest stays, by the order of
// versions; of equal versions, the one that was mended last, and else the one with the greater
// checksum.
//
// A bootstrap removes what it lacks: every row of it and of the files before, whose version is older
// than the bootstrap. It is not looked for: such a floor makes a removal of each row below it, at the
// time of the bootstrap, wherever rows are compared.
//
// Rows of a feed of one's own have the order of follow-own-feed.md: version, time of the file, full
// before changes, `id`, place in the file. A full file of it stands for all files of an earlier time:
// their rows count no more, as if they had never been.

import {
  compareKeys as compareTexts,
  compareVersions,
  excerpt,
  FeedError,
  type Version,
} from '../../engine/index'
import { CursorQueue } from './cursor-queue'
import { compareHeads, keyOf, REMOVED } from './row-heads'
import { RunCursor } from './run-cursor'
import type { Block, KeyedBlocks } from './run-reader'

/** What a bootstrap removes. */
export interface Floor {
  /** The number of the bootstrap's file. */
  readonly sequence: number
  /** The time of the bootstrap in milliseconds since 1970 UTC. */
  readonly timeMs: number
  /** True where rows are older by the time of their files. Absent where they are by their versions. */
  readonly byFile?: true
}

/** A run with the number of its file. */
export interface SequencedRun {
  readonly run: KeyedBlocks
  readonly sequence: number
}

/** The version of a row with the checksum of its bytes. */
export interface Standing {
  readonly version: Version
  readonly checksum: number
  /** The number of the mending that the row is of, from 1; 0 for a row as its file had it. */
  readonly mended: number
  /** What the cells of a row mean: see {@link Block.meaning}. */
  readonly meaning?: number
  /** The rank of the file among those of its time; undefined for the service. */
  readonly rank?: string | undefined
  /** The number of the row in its file, where that has a rank. */
  readonly place?: number
}

/** Rows of one run that stay, in the order of their keys: from `from` to `to` of the block. */
export interface MergedRows {
  readonly block: Block
  readonly from: number
  readonly to: number
  /** The removal by a floor that replaces the only row. */
  readonly removal: Removal | undefined
}

export function compareStandings(a: Standing, b: Standing): number {
  if (a.rank === undefined || b.rank === undefined)
    return (
      compareVersions(a.version, b.version) ||
      a.mended - b.mended ||
      a.checksum - b.checksum ||
      (a.meaning ?? 0) - (b.meaning ?? 0)
    )
  return (
    a.version.timeMs - b.version.timeMs ||
    a.version.generatedMs - b.version.generatedMs ||
    compareTexts(a.rank, b.rank) ||
    a.place! - b.place! ||
    a.mended - b.mended
  )
}

export function standingAt(block: Block, n: number): Standing {
  const checksum = block.heads.checksum[n]!
  return { version: versionAt(block, n), checksum, mended: block.mended(n) }
}

export function versionAt(block: Block, n: number): Version {
  const timeMs = block.heads.timeMs[n]!
  return { timeMs, removed: block.isRemoved(n), generatedMs: block.generatedMs(n) }
}

/** A row of a key, and its place. */
export interface PlacedStanding extends Standing {
  /** The number of its file. */
  readonly sequence: number
  readonly block: Block
  readonly n: number
  readonly meaning: number
}

/** The removal of a row by a floor. */
export interface Removal extends Standing {
  readonly floor: Floor
  /** The row that stood at the floor. */
  readonly row: Standing
}

/** Returns the place `n` of a block. */
export function placedAt(block: Block, n: number, sequence: number): PlacedStanding {
  // It is made for each row, for which a spread of the other one is too slow.
  const { version, checksum, mended } = standingAt(block, n)
  const rank = block.rank(n)
  const place = block.heads.row[n]!
  return { version, checksum, mended, rank, place, sequence, block, n, meaning: block.meaning(n) }
}

/**
 * Goes through the floors in the order of their files. Returns the rows of the key that count, and
 * the removal of the key, if there is one.
 */
function underFloors(rows: readonly PlacedStanding[], floors: readonly Floor[]) {
  let counting = rows
  let removal: Removal | undefined
  for (const floor of floors) {
    const { sequence, timeMs } = floor
    if (floor.byFile) {
      const last = newestOf(counting, undefined)
      counting = counting.filter(({ version }) => version.generatedMs >= timeMs)
      if (last !== undefined && counting.length === 0) removal = removalBy(floor, last)
    } else {
      const known = rows.filter(row => row.sequence <= sequence)
      const stands = newestOf(known, removal)
      if (stands !== undefined && !stands.version.removed && stands.version.timeMs < timeMs)
        removal = removalBy(floor, stands)
    }
  }
  return { counting, removal }
}

function removalBy(floor: Floor, row: Standing): Removal {
  const { timeMs } = floor
  const version = { timeMs, removed: true, generatedMs: timeMs }
  return { version, checksum: 0, mended: 0, floor, row }
}

/**
 * What stands of the rows of a key: the newest one that counts, or its removal by a floor. Nothing
 * stands of a key without a row that counts.
 */
export function standsOf(
  rows: readonly PlacedStanding[],
  floors: readonly Floor[],
): Standing | undefined {
  const { counting, removal } = underFloors(rows, floors)
  return counting.length === 0 ? undefined : newestOf(counting, removal)
}

/** Tells whether a row stands: what a floor makes is a removal. */
export function isThere(stands: Standing | undefined): stands is PlacedStanding {
  return stands !== undefined && !stands.version.removed
}

/** The newest of the rows of a key, and of its removal by a floor. */
export function newestOf(
  rows: readonly Standing[],
  removal: Standing | undefined,
): Standing | undefined {
  let newest = removal
  for (const row of rows)
    if (newest === undefined || compareStandings(row, newest) > 0) newest = row
  return newest?.version.removed && rows.some(row => isUndone(newest, row))
    ? newestOf(
        rows.filter(row => row !== newest),
        undefined,
      )
    : newest
}

/**
 * Tells whether a bootstrap has removed a key only because its row of the key could not be read.
 * @param row a row of the key
 */
export function isUndone({ version: removal }: Standing, row: Standing): boolean {
  const { version } = row
  return (
    row.mended > 0 &&
    row.rank === undefined &&
    removal.removed &&
    !version.removed &&
    removal.timeMs === removal.generatedMs &&
    compareVersions({ ...removal, removed: false }, version) === 0
  )
}

export type Kept = 'newest' | 'lasting' | 'all'

/** Parts of rows that are yielded together at most. */
const MOST_PARTS = 1024

/**
 * Yields the newest rows of all keys, those that were removed included. The rows that no other run
 * has are one part, up to the end of their block.
 * @param isLent true where the caller is done with parts and their rows before it asks for the next
 * @param keeps which rows of a key are yielded: its newest, those that {@link lastingRows} may need
 * too, or all in the order of the runs
 */
export async function* mergeRuns(
  runs: readonly SequencedRun[],
  floors: readonly Floor[] = [],
  isLent = false,
  keeps: Kept = 'newest',
): AsyncGenerator<readonly MergedRows[], void, void> {
  const queue = await queueOf(runs, isLent)
  let parts: MergedRows[] = []
  for (let first = queue.first; first !== undefined; first = queue.first) {
    const limit = queue.second
    const isAlone =
      limit === undefined || first.order < limit.order || compareKeys(first, limit) < 0
    if (
      keeps === 'all' ? isAlone : isAlone && first.run.index.isUnique && !isBelow(first, floors)
    ) {
      const { block, at: from } = first
      if (limit === undefined) first.at = block.rows
      else first.seekInBlock(limit.heads, limit.at)
      first.at = aboveFloors(first, from, first.at, floors)
      parts.push({ block, from, to: first.at, removal: undefined })
      queue.settle()
    } else if (keeps === 'all') {
      const { block, at } = first
      parts.push({ block, from: at, to: ++first.at, removal: undefined })
      queue.settle()
    } else {
      const rows: PlacedStanding[] = []
      const waits = takeKey(queue, rows)
      if (waits !== undefined) await waits
      if (keeps === 'lasting' && rows[0]!.rank !== undefined)
        parts.push(...lastingRows(rows, floors))
      else parts.push(newestRow(rows, floors))
    }
    const isSpent = queue.hasSpent
    if (isSpent || parts.length >= MOST_PARTS) {
      yield parts
      parts = []
    }
    if (isSpent) await queue.fill()
  }
}

/** Returns the cursors of runs at their first rows. */
export async function queueOf(
  runs: readonly SequencedRun[],
  isLent: boolean,
): Promise<CursorQueue> {
  const queue = new CursorQueue(
    runs.map(({ run, sequence }, rank) => new RunCursor(run, sequence, isLent, rank)),
  )
  await queue.fill()
  return queue
}

/**
 * Adds the rows of the smallest key to others, and moves behind them. Their blocks stay until the
 * queue is filled.
 * @returns what the caller has to wait for
 */
export function takeKey(
  queue: CursorQueue,
  rows: PlacedStanding[],
  key = placeOf(queue.first!),
): Promise<void> | undefined {
  const { heads, at, order } = key
  for (let next = queue.first; next !== undefined; next = queue.first) {
    if (next.order !== order || compareHeads(next.heads, next.at, heads, at) !== 0) break
    rows.push(placedAt(next.block, next.at, next.sequence))
    next.at++
    // The next block of the run may have more rows of the key.
    if (next.isSpent && !next.run.index.isUnique)
      return next.load().then(() => {
        queue.settle()
        return takeKey(queue, rows, key)
      })
    queue.settle()
  }
  return undefined
}

function placeOf({ heads, at, order }: RunCursor): Pick<RunCursor, 'heads' | 'at' | 'order'> {
  return { heads, at, order }
}

/** Returns the newest of all rows of a key. */
function newestRow(rows: readonly PlacedStanding[], floors: readonly Floor[]): MergedRows {
  const { counting, removal } = underFloors(rows, floors)
  const newest = newestOf(counting, removal)
  const isRemoved = newest === removal
  const row = isRemoved ? removal!.row : newest
  const { block, n } = rows.find(each => each === row)!
  return { block, from: n, to: n + 1, removal: isRemoved ? removal : undefined }
}

/**
 * Returns the rows of a key that stand now, or that may stand once a full file of a feed of one's own
 * has taken away the rows of earlier files: a late one may have a time between theirs.
 */
function lastingRows(rows: readonly PlacedStanding[], floors: readonly Floor[]): MergedRows[] {
  const { counting } = underFloors(rows, floors)
  let latestMs = Number.NEGATIVE_INFINITY
  const lasting = counting
    .toSorted((a, b) => compareStandings(b, a))
    .flatMap(({ version: { generatedMs }, block, n }) => {
      if (generatedMs <= latestMs) return []
      latestMs = generatedMs
      return [{ block, from: n, to: n + 1, removal: undefined }]
    })
  if (lasting.length > MOST_LASTING) throw tooManyLasting(rows[0]!)
  return lasting
}

/** The most rows of one key that last: each look-up of the key reads them all. */
const MOST_LASTING = 4096

function tooManyLasting({ block: { run, heads }, n }: PlacedStanding): FeedError<'STATE_LIMIT'> {
  const { feed } = run.origins.files[heads.origin[n]! & ~REMOVED]!
  const message = `feed ${feed}: the versions of the key ${excerpt(keyOf(heads, n))} have fallen in more than ${MOST_LASTING} files, whose rows are all kept for a full file that may come late: list a full file of a later time, which takes their place`
  return new FeedError('STATE_LIMIT', message, { option: 'source.files', limit: MOST_LASTING })
}

/** Tells whether a floor removes the row of a cursor. */
function isBelow(cursor: RunCursor, floors: readonly Floor[]): boolean {
  return aboveFloors(cursor, cursor.at, cursor.at + 1, floors) === cursor.at
}

/** Returns the end of the rows from `from` on that no floor removes. */
function aboveFloors(
  { sequence, block, heads }: RunCursor,
  from: number,
  to: number,
  floors: readonly Floor[],
): number {
  if (floors.length === 0) return to
  const over = floors.filter(floor => floor.byFile || sequence <= floor.sequence)
  if (over.length === 0) return to
  // A table has floors of one kind.
  const { byFile } = over[0]!
  const floorMs = Math.max(...over.map(({ timeMs }) => timeMs))
  let at = from
  if (byFile) while (at < to && block.generatedMs(at) >= floorMs) at++
  else while (at < to && (heads.timeMs[at]! >= floorMs || block.isRemoved(at))) at++
  return at
}

function compareKeys(a: RunCursor, b: RunCursor): number {
  return compareHeads(a.heads, a.at, b.heads, b.at)
}
