// What this package holds itself to: the one place that says it. Ratios are of speeds measured side
// by side, taken round by round.

import { median, spreadOf } from '../src/bench/statistics/median'
import type { Measurement } from './case-process'
import { peakGrowth, type Rounds, speedRatio } from './figures'
import type { MacroCaseName, TableCase } from './macro/cases'
import type { ShapeName } from './shapes/shape'

interface SpeedGoal {
  readonly case: TableCase & MacroCaseName
  /** The contender whose speed is the measure, and what the goal calls it. */
  readonly over: MacroCaseName
  readonly called: string
  readonly atLeast: number
  /** The shapes of files that it is for. Default: `repeating`. */
  readonly shapes?: readonly ShapeName[]
  /** It is for a run on one core, where CPU times are compared. Default: for a run on several. */
  readonly isOnOneCore?: true
}

/** What a run measured with: the goals that are for it are judged. */
export interface Judged {
  readonly shape: ShapeName
  readonly cores: number
}

interface MemoryGoal {
  /**
   * Peak RSS, in 10^6 bytes, of one case or the difference between two, and what the goal calls it.
   */
  readonly of: MacroCaseName
  readonly over?: MacroCaseName
  readonly called: string
  readonly atMostMb: number
}

const BOTH: readonly ShapeName[] = ['repeating', 'varied']
/** The shapes of three real categories. */
const LISTINGS: readonly ShapeName[] = ['toys', 'art', 'clothing']
/** Files whose cells or columns are unlike those of the others. */
const UNUSUAL: readonly ShapeName[] = ['quoted', 'wide', 'narrow']

const overZlib = (
  name: TableCase & MacroCaseName,
  atLeast: number,
  shapes: readonly ShapeName[],
): SpeedGoal => ({ case: name, over: 'zlib', called: 'zlib', atLeast, shapes })
const onOneCore = (goal: SpeedGoal): SpeedGoal => ({ ...goal, isOnOneCore: true })

export const SPEED_GOALS: readonly SpeedGoal[] = [
  overZlib('inflate', 1.7, ['repeating']),
  overZlib('inflate', 1.35, ['varied']),
  { case: 'inflate', over: 'fflate', called: 'fflate', atLeast: 6 },
  { case: 'scan', over: 'zlib', called: 'zlib', atLeast: 4 },
  overZlib('gunzip', 1.1, ['clothing']),
  onOneCore(overZlib('gunzip', 1, ['clothing'])),
  onOneCore(overZlib('gunzip', 1.2, ['varied'])),
  overZlib('rows-5', 1.2, ['repeating']),
  overZlib('rows-5', 1, ['varied', 'toys']),
  overZlib('rows-5', 0.8, ['art']),
  overZlib('rows-5', 0.75, ['clothing']),
  onOneCore(overZlib('rows-5', 0.75, ['varied'])),
  { case: 'rows-5', over: 'papaparse', called: 'papaparse', atLeast: 8 },
  { case: 'rows-5', over: 'duckdb', called: 'DuckDB', atLeast: 3 },
  { case: 'rows-5', over: 'duckdb', called: 'DuckDB', atLeast: 1.5, shapes: LISTINGS },
  { case: 'rows-5', over: 'csv-parse', called: 'csv-parse', atLeast: 4, shapes: UNUSUAL },
  { case: 'rows-5', over: 'udsv', called: 'uDSV', atLeast: 1.5, shapes: UNUSUAL },
  overZlib('objects', 0.75, ['varied']),
  onOneCore(overZlib('objects', 0.6, ['varied'])),
  { case: 'objects', over: 'papaparse', called: 'papaparse', atLeast: 6 },
  { case: 'objects', over: 'udsv-objects', called: 'uDSV', atLeast: 3 },
  { case: 'objects', over: 'csv-parse', called: 'csv-parse', atLeast: 4, shapes: UNUSUAL },
  { case: 'objects', over: 'udsv-objects', called: 'uDSV', atLeast: 1.5, shapes: UNUSUAL },
  { case: 'typed', over: 'papaparse-typed', called: 'papaparse', atLeast: 7 },
  { case: 'typed', over: 'duckdb-typed', called: 'DuckDB', atLeast: 1.2 },
  overZlib('typed', 0.35, ['varied']),
  overZlib('columns', 0.9, BOTH),
  { case: 'columns', over: 'duckdb-typed', called: 'DuckDB', atLeast: 3, shapes: BOTH },
  onOneCore(overZlib('columns', 0.5, BOTH)),
  { case: 'http', over: 'rows-5', called: 'rows-5', atLeast: 0.9 },
]

export const MEMORY_GOALS: readonly MemoryGoal[] = [
  { of: 'rows-5', called: 'rows-5', atMostMb: 112 },
  { of: 'objects', called: 'objects', atMostMb: 112 },
  { of: 'http', called: 'http', atMostMb: 128 },
  { of: 'rss-small', called: 'smaller file', atMostMb: 128 },
  { of: 'rss-large', called: 'larger file', atMostMb: 128 },
  { of: 'rss-large', over: 'rss-small', called: 'difference', atMostMb: 8 },
]

/** A goal and what was measured, as the table shows them. */
export interface GoalResult {
  readonly case: TableCase
  readonly goal: string
  /** A ratio, or 10^6 bytes. */
  readonly value: number
  readonly measured: string
  readonly held: boolean
  /**
   * The larger spread of the runs that were compared: the largest figure less the smallest, as a
   * share of the median. Older reports lack it.
   */
  readonly spread?: number
}

/** From this spread on, the machine was busy with other things, and a verdict says little. */
const UNSTEADY = 0.2

/** What the tables say of a goal: held or missed, and whether the runs differed too much. */
export function goalText({ held, spread = 0 }: GoalResult, missed = 'MISSED'): string {
  const verdict = held ? 'held' : missed
  return spread > UNSTEADY ? `${verdict}, unsteady: spread ${(spread * 100).toFixed(0)}%` : verdict
}

function largerSpread(
  runs: readonly (readonly Measurement[])[],
  of: (run: Measurement) => number,
): number {
  return Math.max(...runs.map(one => spreadOf(one.map(of))))
}

/** The goals for this shape and these cores whose cases were all measured. */
export function judgedGoals(rounds: Rounds, { shape, cores }: Judged): GoalResult[] {
  const speeds = SPEED_GOALS.filter(
    ({ shapes = ['repeating'], isOnOneCore = false }) =>
      shapes.includes(shape) && isOnOneCore === (cores === 1),
  )
  return [
    ...speeds.map(goal => judgedSpeed(goal, rounds)),
    ...MEMORY_GOALS.map(goal => judgedMemory(goal, rounds)),
  ].filter(result => result !== undefined)
}

function judgedSpeed(
  { case: name, over, called, atLeast, isOnOneCore }: SpeedGoal,
  rounds: Rounds,
): GoalResult | undefined {
  const [own, other] = [rounds[name], rounds[over]]
  if (own === undefined || other === undefined) return undefined
  const by = isOnOneCore ? 'cpuSeconds' : 'seconds'
  const ratio = speedRatio(own, other, by)
  return {
    case: name,
    goal: `≥ ${atLeast} × ${called}${isOnOneCore ? ' by CPU' : ''}`,
    value: ratio,
    measured: `${ratio.toFixed(2)} ×`,
    held: ratio >= atLeast,
    spread: largerSpread([own, other], run => run[by]),
  }
}

function judgedMemory(
  { of, over, called, atMostMb }: MemoryGoal,
  rounds: Rounds,
): GoalResult | undefined {
  const [own, other] = [rounds[of], over && rounds[over]]
  if (own === undefined || (over !== undefined && other === undefined)) return undefined
  const mb =
    other === undefined
      ? median(own.map(({ peakRssMb }) => peakRssMb))
      : Math.abs(peakGrowth(own, other))
  return {
    case: 'rss',
    goal: `${called} ≤ ${atMostMb} MB`,
    value: mb,
    measured: `${mb.toFixed(1)} MB`,
    held: mb <= atMostMb,
    spread: largerSpread(other === undefined ? [own] : [own, other], ({ peakRssMb }) => peakRssMb),
  }
}
