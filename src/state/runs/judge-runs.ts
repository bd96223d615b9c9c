// What the rows of arrived files do to the rows that stand, by their keys and versions.

import { type ChangeKind, type FeedFile, judgeArrival } from '../../engine/index'
import { fileRecordOf } from '../origin-record'
import type { BlockSource } from './block-lines'
import {
  compareStandings,
  type Floor,
  isThere,
  isUndone,
  mergeRuns,
  newestOf,
  type PlacedStanding,
  placedAt,
  queueOf,
  type SequencedRun,
  type Standing,
  standsOf,
  takeKey,
} from './merge-runs'
import { compareHeads, REMOVED } from './row-heads'
import { RunCursor } from './run-cursor'
import type { RunOrigin } from './run-format'
import type { Block } from './run-reader'

const NOTHING: Tally = { inserted: 0, updated: 0, deleted: 0, unchanged: 0, stale: 0 }

export interface ArrivedRuns {
  /** The runs of the files, in the order in which their rows arrived. */
  readonly arrived: readonly SequencedRun[]
  /** The runs of all files before. */
  readonly standing: readonly SequencedRun[]
  readonly floors: readonly Floor[]
  /** What the arrived bootstrap or full file removes. */
  readonly floor?: Floor | undefined
}

type Tally = Record<ChangeKind, number>

/**
 * Takes the effect of the row at a place of a block: of one that arrived, or of one of an earlier file
 * that a full file has left or removed.
 * @param stood what stood under the key before
 * @param left what stands by a floor: the row itself, or its removal
 * @returns what the judge has to wait for
 */
type TakeEffect = (
  kind: ChangeKind,
  block: Block,
  n: number,
  stood?: Standing,
  left?: Standing,
) => Promise<void> | undefined

/**
 * Counts the effects of each file on the rows, in the order in which the rows arrived. `lacking` is the
 * number of keys that a full file has removed because it lacks them.
 */
export async function tallyRuns(runs: ArrivedRuns, files: readonly FeedFile[]) {
  const tallies = files.map(() => ({ ...NOTHING }))
  const texts = files.map(file => JSON.stringify(fileRecordOf(file)))
  const numberOf = ({ file }: RunOrigin) => texts.indexOf(JSON.stringify(file))
  const numbers = new Map<BlockSource, number[]>(
    runs.arrived.map(({ run }) => [run, run.origins.origins.map(numberOf)]),
  )
  let lacking = 0
  const keys = await judgeRuns(runs, true, (kind, { run, heads }, n) => {
    const number = numbers.get(run)?.[heads.origin[n]! & ~REMOVED]
    if (number === undefined && kind === 'deleted') lacking++
    // Rows of earlier files are left or removed by a full file, which arrives alone.
    tallies[number ?? 0]![kind]++
    return undefined
  })
  return { tallies, lacking, ...keys }
}

/**
 * Judges the arrived rows in the order of their keys, those of one key in the order in which they
 * arrived. A full file may change what stands of any key, which is its last effect on the key.
 * @param isLent true where `take` keeps no block
 * @returns the numbers of keys that it went through and that stood before, which are all of them where
 * there is a floor, and of those that stand no more
 */
export async function judgeRuns(
  { arrived, standing, floors, floor }: ArrivedRuns,
  isLent: boolean,
  take: TakeEffect,
) {
  const floorsThen = floor ? [...floors, floor] : floors
  const queue = await queueOf(floor ? [...standing, ...arrived] : arrived, isLent)
  const olds = floor
    ? []
    : standing.map(({ run, sequence }) => new RunCursor(run, sequence, isLent))
  let [before, removed] = [0, 0]
  for (let first = queue.first; first !== undefined; first = queue.first) {
    const { block, heads, at } = first
    if (!floor && olds.length === 0 && queue.second === undefined && first.run.index.isUnique) {
      for (; first.at < block.rows; first.at++) {
        const waits = take(block.isRemoved(first.at) ? 'unchanged' : 'inserted', block, first.at)
        if (waits !== undefined) await waits
      }
      queue.settle()
    } else {
      const rows: PlacedStanding[] = []
      for (const old of olds) {
        const isBehind = old.isSpent || !old.seekInBlock(heads, at)
        if (isBehind && !old.hasEnded) await old.seek(heads, at)
        while (!old.hasEnded && compareHeads(old.heads, old.at, heads, at) === 0) {
          rows.push(placedAt(old.block, old.at, old.sequence))
          old.at++
          if (old.isSpent) await old.load()
        }
      }
      let known = rows.length
      const more = takeKey(queue, rows)
      if (more !== undefined) await more
      // The runs that stand are before those that arrived.
      while (floor && known < rows.length && rows[known]!.sequence < floor.sequence) known++
      const earlier = rows.slice(0, known)
      const stood = standsOf(earlier, floors)
      // What `take` knows of, and what arrivals are compared with: the rows that a full file of one's own
      // stands for count no more, while a bootstrap is as new as its own rows and removes what is older.
      let told = stood
      let stands = floor?.byFile ? standsOf(earlier, floorsThen) : stood
      for (const arrival of rows.slice(known)) {
        const { kind } = effectOf(arrival, stands, told)
        const waits = take(kind, arrival.block, arrival.n, told)
        if (waits !== undefined) await waits
        stands = newestOf([arrival], stands)
        if (stands === arrival) told = stands
      }
      if (floor) stands = standsOf(rows, floorsThen)
      const row = isThere(stands) ? stands : told
      if (told !== stands && isThere(row)) {
        const kind = row === told ? 'deleted' : effectOf(row, undefined, told).kind
        const waits = take(kind, row.block, row.n, told, stands)
        if (waits !== undefined) await waits
      }
      if (isThere(stood)) before++
      if (isThere(stood) && !isThere(stands)) removed++
    }
    if (queue.hasSpent) await queue.fill()
  }
  return { before, removed }
}

/** A row with its content. */
type Content = Omit<PlacedStanding, 'sequence' | 'block' | 'n'>

/**
 * Decides what a row does to what stands under its key.
 * @param told what stood before, where a full file has taken that away
 */
export function effectOf(arrival: Content, stands: Standing | undefined, told = stands) {
  const stood = told !== undefined && isUndone(told, arrival) ? undefined : told
  const difference = differenceOf(arrival, stood)
  if (arrival.rank === undefined) return judgeArrival(arrival, stood, difference)
  const newer = stands === undefined ? 1 : compareStandings(arrival, stands)
  return judgeArrival(arrival, stood, difference, newer)
}

/** Compares the contents of two rows. It is not used where one of them is removed. */
function differenceOf(arrival: Content, stands: Standing | undefined): number {
  if (stands === undefined || stands.version.removed) return 1
  const { checksum, meaning, mended } = stands as PlacedStanding
  const difference = arrival.checksum - checksum || arrival.meaning - meaning
  return difference === 0 ? 0 : arrival.mended - mended || difference
}

/** Counts the keys whose newest row is not removed. */
export async function countRows(
  runs: readonly SequencedRun[],
  floors: readonly Floor[],
): Promise<number> {
  let count = 0
  for await (const parts of mergeRuns(runs, floors, true))
    for (const { block, from, to, removal } of parts) {
      if (removal !== undefined) continue
      for (let n = from; n < to; n++) if (!block.isRemoved(n)) count++
    }
  return count
}
