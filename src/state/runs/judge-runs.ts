// What the rows of arrived files do to the rows that stand, by their keys and versions.

import { type ChangeKind, judgeArrival } from '../../engine/index'
import type { OriginRecord } from '../origin-record'
import {
  compareStandings,
  type Floor,
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
import type { Block, BlockSource } from './run-reader'

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

interface ArrivedFiles extends ArrivedRuns {
  /** The number of files. */
  readonly files: number
  /** Returns the number of the file of an origin, from 0. */
  numberOf(origin: Pick<OriginRecord, 'file'>): number
}

type Tally = Record<ChangeKind, number>

/**
 * Takes the effect of the row at a place of a block.
 * @param stood what stood under the key before
 * @param isByFloor true where a full file has taken away the rows of earlier files: the row is the one
 * that is left, or the one that is gone
 * @returns what the judge has to wait for
 */
type TakeEffect = (
  kind: ChangeKind,
  block: Block,
  n: number,
  stood: Standing | undefined,
  isByFloor: boolean,
) => Promise<void> | undefined

/**
 * Counts the rows of each file by their effect, in the order in which they arrived. `lacking` is the
 * number of keys that a full file of one's own has removed because it lacks them.
 */
export async function tallyRuns({ files, numberOf, ...runs }: ArrivedFiles) {
  const tallies = Array.from({ length: files }, () => ({ ...NOTHING }))
  const numbers = new Map<BlockSource, number[]>(
    runs.arrived.map(({ run }) => [run, run.origins.origins.map(numberOf)]),
  )
  let lacking = 0
  const keys = await judgeRuns(runs, true, (kind, { run, heads }, n, _, isByFloor) => {
    // A full file arrives alone.
    tallies[isByFloor ? 0 : numbers.get(run)![heads.origin[n]! & ~REMOVED]!]![kind]++
    if (isByFloor && kind === 'deleted') lacking++
    return undefined
  })
  return { tallies, lacking, ...keys }
}

/**
 * Judges the arrived rows in the order of their keys, those of one key in the order in which they
 * arrived. A full file of one's own may change what stands of every key.
 * @param isLent true where `take` keeps no block
 * @returns the numbers of keys that it went through and that stood before, which are all of them where
 * a full file of one's own has arrived, and of those that stand no more
 */
export async function judgeRuns(
  { arrived, standing, floors, floor }: ArrivedRuns,
  isLent: boolean,
  take: TakeEffect,
) {
  const full = floor?.byFile && floor
  const floorsThen = full ? [...floors, full] : floors
  const queue = await queueOf(full ? [...standing, ...arrived] : arrived, isLent)
  const olds = full ? [] : standing.map(({ run, sequence }) => new RunCursor(run, sequence, isLent))
  let [before, removed] = [0, 0]
  for (let first = queue.first; first !== undefined; first = queue.first) {
    const { block, heads, at } = first
    if (!full && olds.length === 0 && queue.second === undefined && first.run.index.isUnique) {
      for (; first.at < block.rows; first.at++) {
        const kind = block.isRemoved(first.at) ? 'unchanged' : 'inserted'
        const waits = take(kind, block, first.at, undefined, false)
        if (waits !== undefined) await waits
      }
      queue.settle()
    } else {
      const rows: PlacedStanding[] = []
      for (const old of olds) {
        if (old.hasEnded || (old.isSpent && !(await old.load()))) continue
        const order = compareHeads(old.heads, old.at, heads, at)
        if (order > 0) continue
        if (order < 0 && !old.seekInBlock(heads, at) && !(await old.seek(heads, at))) continue
        while (!old.hasEnded && compareHeads(old.heads, old.at, heads, at) === 0) {
          rows.push(placedAt(old.block, old.at, old.sequence))
          old.at++
          if (old.isSpent) await old.load()
        }
      }
      const ofKey: PlacedStanding[] = []
      const more = takeKey(queue, ofKey)
      if (more !== undefined) await more
      const arrivals = full ? ofKey.filter(row => row.sequence === full.sequence) : ofKey
      if (full) rows.push(...ofKey.filter(row => row.sequence !== full.sequence))
      const stood = standsOf(rows, floors)
      // What `take` knows of, and what arrivals are compared with.
      let told = stood
      let stands = full ? standsOf(rows, floorsThen) : stood
      for (const arrival of arrivals) {
        const { kind } = effectOf(arrival, stands, told)
        const waits = take(kind, arrival.block, arrival.n, told, false)
        if (waits !== undefined) await waits
        stands = newestOf([arrival], stands)
        if (stands === arrival) told = stands
      }
      if (told !== stands && (isThere(told) || isThere(stands))) {
        const { block, n } = (isThere(stands) ? stands : told) as PlacedStanding
        const kind = stands ? effectOf(stands as PlacedStanding, undefined, told).kind : 'deleted'
        const waits = take(kind, block, n, told, true)
        if (waits !== undefined) await waits
      }
      if (isThere(stood)) before++
      if (isThere(stood) && !isThere(stands)) removed++
    }
    if (queue.hasSpent) await queue.fill()
  }
  return { before, removed }
}

function isThere(stands: Standing | undefined): boolean {
  return stands !== undefined && !stands.version.removed
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
