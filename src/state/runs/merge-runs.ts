// Merges runs in the order of their keys. Of the rows of one key the newest stays, by the order of
// versions; of equal versions, the one that was mended last, and else the one with the greater
// checksum.
//
// A bootstrap removes what it lacks: every row of it and of the files before, whose version is older
// than the bootstrap. It is not looked for: such a floor makes a removal of each row below it, at the
// time of the bootstrap, wherever rows are compared.
//
// A full file of a feed of one's own removes what it lacks whatever the versions are, which may be
// numbers: rows of older files count no more, as if they had never been, where it lacks their key.

import type { Version } from '../../engine/index'
import { compareVersions } from '../../engine/index'
import { CursorQueue } from './cursor-queue'
import { compareHeads, type RowHeads } from './row-heads'
import { RunCursor } from './run-cursor'
import type { Block, Run } from './run-reader'

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
  readonly run: Run
  readonly sequence: number
}

/** The version of a row with the checksum of its bytes. */
export interface Standing {
  readonly version: Version
  readonly checksum: number
  /** The number of the mending that the row is of, from 1; 0 for a row as its file had it. */
  readonly mended: number
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
  return compareVersions(a.version, b.version) || a.mended - b.mended || a.checksum - b.checksum
}

export function standingAt(block: Block, n: number): Standing {
  const checksum = block.heads.checksum[n]!
  return { version: versionAt(block, n), checksum, mended: block.mended(n) }
}

export function versionAt(block: Block, n: number): Version {
  const timeMs = block.heads.timeMs[n]!
  return { timeMs, removed: block.isRemoved(n), generatedMs: block.generatedMs(n) }
}

/** A row of a key, with the number of its file. */
export interface SequencedStanding extends Standing {
  readonly sequence: number
}

/** A row of a key, and its place. */
export interface PlacedStanding extends SequencedStanding {
  readonly block: Block
  readonly n: number
  /** What the cells mean: see {@link Run.meaning}. */
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
  return { version, checksum, mended, sequence, block, n, meaning: block.meaning(n) }
}

/**
 * The removal of a key by the floors, in the order of their files, if there is one: each floor is
 * compared with what stands in its file and those before.
 */
export function removalOf(
  rows: readonly SequencedStanding[],
  floors: readonly Floor[],
): Removal | undefined {
  let removal: Removal | undefined
  for (const floor of floors) {
    const { sequence, timeMs, byFile } = floor
    if (byFile) continue
    const stands = newestOf(
      rows.filter(row => row.sequence <= sequence),
      removal,
    )
    if (stands === undefined || stands.version.removed || stands.version.timeMs >= timeMs) continue
    const version = { timeMs, removed: true, generatedMs: timeMs }
    removal = { version, checksum: 0, mended: 0, floor, row: stands }
  }
  return removal
}

/** What stands of the rows of a key: the newest one that counts, or its removal by a floor. */
export function standsOf(
  rows: readonly SequencedStanding[],
  floors: readonly Floor[],
): Standing | undefined {
  const counting = countingOf(rows, floors)
  return newestOf(counting, removalOf(counting, floors))
}

/** Leaves out the rows of a key that are older than a file that lacks the key. */
function countingOf<S extends SequencedStanding>(
  rows: readonly S[],
  floors: readonly Floor[],
): readonly S[] {
  // A table has floors of one kind.
  if (!floors[0]?.byFile) return rows
  const lacking = floors.filter(({ sequence }) => rows.every(row => row.sequence !== sequence))
  const timeMs = Math.max(...lacking.map(floor => floor.timeMs))
  return rows.filter(({ version }) => version.generatedMs >= timeMs)
}

/** The removal of a key of which no row counts any more, by the first floor that leaves none. */
function lastRemoval(rows: readonly SequencedStanding[], floors: readonly Floor[]): Removal {
  const at = floors.findIndex((_, n) => countingOf(rows, floors.slice(0, n + 1)).length === 0)
  const floor = floors[at]!
  const { timeMs } = floor
  const version = { timeMs, removed: true, generatedMs: timeMs }
  return {
    version,
    checksum: 0,
    mended: 0,
    floor,
    row: newestOf(countingOf(rows, floors.slice(0, at)), undefined)!,
  }
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
export function isUndone({ version: removal }: Standing, { version, mended }: Standing): boolean {
  return (
    mended > 0 &&
    removal.removed &&
    !version.removed &&
    removal.timeMs === removal.generatedMs &&
    compareVersions({ ...removal, removed: false }, version) === 0
  )
}

/** Parts of rows that are yielded together at most. */
const MOST_PARTS = 1024

/**
 * Yields the newest rows of all keys, those that were removed included. The rows that no other run
 * has are one part, up to the end of their block.
 * @param isLent true where the caller is done with parts and their rows before it asks for the next
 */
export async function* mergeRuns(
  runs: readonly SequencedRun[],
  floors: readonly Floor[] = [],
  isLent = false,
): AsyncGenerator<readonly MergedRows[], void, void> {
  const queue = new CursorQueue(newCursors(runs, isLent))
  await queue.fill()
  let parts: MergedRows[] = []
  for (let first = queue.first; first !== undefined; first = queue.first) {
    const limit = queue.second
    const isAlone =
      limit === undefined || first.order < limit.order || compareKeys(first, limit) < 0
    if (isAlone && first.run.index.isUnique && !isBelow(first, floors)) {
      const { block, at: from } = first
      if (limit === undefined) first.at = block.rows
      else first.seekInBlock(limit.heads, limit.at)
      first.at = aboveFloors(first, from, first.at, floors)
      parts.push({ block, from, to: first.at, removal: undefined })
      queue.settle()
    } else {
      const place = { heads: first.heads, at: first.at, order: first.order }
      const rows: PlacedStanding[] = []
      for (let next = takeKey(queue, place, rows); next; next = takeKey(queue, place, rows)) {
        await next.load()
        queue.settle()
      }
      parts.push(newestRow(rows, floors))
    }
    const isSpent = queue.hasSpent
    if (isSpent || parts.length >= MOST_PARTS) {
      yield parts
      parts = []
    }
    if (isSpent) await queue.fill()
  }
}

function newCursors(runs: readonly SequencedRun[], isLent: boolean): RunCursor[] {
  return runs.map(({ run, sequence }, rank) => new RunCursor(run, sequence, isLent, rank))
}

/** Returns cursors at the first rows of runs. */
export async function cursorsOf(
  runs: readonly SequencedRun[],
  isLent: boolean,
): Promise<RunCursor[]> {
  const cursors = newCursors(runs, isLent)
  await advance(cursors)
  return cursors
}

/**
 * Adds the rows of the smallest key to others, and moves behind them. Returns the first cursor where
 * its next block may have more: it is to be read and settled before the next call.
 */
function takeKey(
  queue: CursorQueue,
  { heads, at, order }: { readonly heads: RowHeads; readonly at: number; readonly order: number },
  rows: PlacedStanding[],
): RunCursor | undefined {
  // The key stays readable: its run reads no block into the memory of `heads` before all others are
  // compared with it.
  for (let next = queue.first; next !== undefined; next = queue.first) {
    if (next.order !== order || compareHeads(next.heads, next.at, heads, at) !== 0) break
    rows.push(placedAt(next.block, next.at, next.sequence))
    next.at++
    if (next.isSpent && !next.run.index.isUnique) return next
    queue.settle()
  }
  return undefined
}

/** Returns the newest of all rows of a key. */
function newestRow(rows: readonly PlacedStanding[], floors: readonly Floor[]): MergedRows {
  const counting = countingOf(rows, floors)
  const removal = counting.length === 0 ? lastRemoval(rows, floors) : removalOf(counting, floors)
  const newest = newestOf(counting, removal)
  const isRemoved = newest === removal
  const row = isRemoved ? removal!.row : newest
  const { block, n } = rows.find(each => each === row)!
  return { block, from: n, to: n + 1, removal: isRemoved ? removal : undefined }
}

/** Reads the next blocks of cursors that have used up theirs, and drops those at their end. */
export async function advance(cursors: RunCursor[]): Promise<void> {
  for (let n = cursors.length - 1; n >= 0; n--) {
    const cursor = cursors[n]!
    if (cursor.isSpent && !(await cursor.load())) cursors.splice(n, 1)
  }
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
  const { byFile } = floors[0]!
  const over = floors.filter(floor =>
    byFile ? sequence !== floor.sequence : sequence <= floor.sequence,
  )
  if (over.length === 0) return to
  const floorMs = Math.max(...over.map(({ timeMs }) => timeMs))
  let at = from
  if (byFile) while (at < to && block.generatedMs(at) >= floorMs) at++
  else while (at < to && (heads.timeMs[at]! >= floorMs || block.isRemoved(at))) at++
  return at
}

export function smallest(cursors: readonly RunCursor[]): RunCursor {
  return cursors.reduce((least, cursor) => (compareKeys(cursor, least) < 0 ? cursor : least))
}

function compareKeys(a: RunCursor, b: RunCursor): number {
  return compareHeads(a.heads, a.at, b.heads, b.at)
}
