// What the rows of arrived files do to the rows that stand, by their keys and versions.

import { type ChangeKind, judgeArrival } from '../../engine/index'
import type { OriginRecord } from '../origin-record'
import {
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
import type { Block } from './run-reader'

const NOTHING: Tally = { inserted: 0, updated: 0, deleted: 0, unchanged: 0, stale: 0 }

export interface ArrivedRuns {
  /** The runs of the files, in the order in which their rows arrived. */
  readonly arrived: readonly SequencedRun[]
  /** The runs of all files before. */
  readonly standing: readonly SequencedRun[]
  readonly floors: readonly Floor[]
}

interface ArrivedFiles extends ArrivedRuns {
  /** The number of files. */
  readonly files: number
  /** Returns the number of the file of an origin, from 0. */
  numberOf(origin: OriginRecord): number
}

type Tally = Record<ChangeKind, number>

/**
 * Takes the effect of the row at a place of a block.
 * @param stood what stood under the key before
 * @returns what the judge has to wait for
 */
type TakeEffect = (
  kind: ChangeKind,
  block: Block,
  n: number,
  stood: Standing | undefined,
) => Promise<void> | undefined

/** Counts the rows of each file by their effect, in the order in which they arrived. */
export async function tallyRuns({ files, numberOf, ...runs }: ArrivedFiles): Promise<Tally[]> {
  const tallies = Array.from({ length: files }, () => ({ ...NOTHING }))
  const numbers = new Map(runs.arrived.map(({ run }) => [run, run.index.origins.map(numberOf)]))
  await judgeRuns(runs, true, (kind, { run, heads }, n) => {
    tallies[numbers.get(run)![heads.origin[n]! & ~REMOVED]!]![kind]++
    return undefined
  })
  return tallies
}

/**
 * Judges the arrived rows in the order of their keys, those of one key in the order in which they
 * arrived.
 * @param isLent true where `take` keeps no block
 */
export async function judgeRuns(
  { arrived, standing, floors }: ArrivedRuns,
  isLent: boolean,
  take: TakeEffect,
): Promise<void> {
  const queue = await queueOf(arrived, isLent)
  const olds = standing.map(({ run, sequence }) => new RunCursor(run, sequence, isLent))
  for (let first = queue.first; first !== undefined; first = queue.first) {
    const { block, heads, at } = first
    if (olds.length === 0 && queue.second === undefined && first.run.index.isUnique) {
      for (; first.at < block.rows; first.at++) {
        const kind = block.isRemoved(first.at) ? 'unchanged' : 'inserted'
        const waits = take(kind, block, first.at, undefined)
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
      let stands = standsOf(rows, floors)
      const arrivals: PlacedStanding[] = []
      const more = takeKey(queue, arrivals)
      if (more !== undefined) await more
      for (const arrival of arrivals) {
        const { kind } = effectOf(arrival, stands)
        const waits = take(kind, arrival.block, arrival.n, stands)
        if (waits !== undefined) await waits
        stands = newestOf([arrival], stands)
      }
    }
    if (queue.hasSpent) await queue.fill()
  }
}

/** A row with its content. */
type Content = Omit<PlacedStanding, 'sequence' | 'block' | 'n'>

/** Decides what a row does to what stands under its key. */
export function effectOf(arrival: Content, stands: Standing | undefined) {
  const stood = stands !== undefined && isUndone(stands, arrival) ? undefined : stands
  return judgeArrival(arrival, stood, differenceOf(arrival, stood))
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
