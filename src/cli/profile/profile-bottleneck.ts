// Finds the stage that limits the speed of a profiled run, and explains it in words. The times come
// from stageProfile of the pipeline.

import { median } from '../../bench/index'
import type { StageProfile } from '../../index'
import type { RoundResult } from './profile-round'

export interface Bottleneck {
  readonly stage: string
  /** The share of the time of the run, from 0 to 1. */
  readonly share: number
  /** The stage works without a pause on a thread of its own, and the main thread waits for it. */
  readonly onOtherThread: boolean
  /** An explanation of one or two sentences. */
  readonly meaning: string
}

/**
 * @param rounds rounds of one chain, which begins with reading the file and ends with reading cells
 * @param profiles one for each round
 * @param shares the shares of the stages over all rounds
 */
export function bottleneckOf(
  rounds: readonly RoundResult[],
  profiles: readonly StageProfile[],
  shares: readonly number[],
): Bottleneck {
  const elsewhere = profiles.filter(profile => profile.onOtherThread)
  const onOtherThread = elsewhere.length > rounds.length / 2
  const place = onOtherThread ? elsewhere[0]!.bottleneck! : shares.indexOf(Math.max(...shares))
  const { stage } = rounds[0]!.stages[place]!
  const share = shares[place]!
  const meaning = onOtherThread
    ? waitedFor(rounds)
    : `${withoutIt(rounds, share)} ${adviceAt(place, shares.length)}`
  return { stage, share, onOtherThread, meaning }
}

function waitedFor(rounds: readonly RoundResult[]): string {
  const idle = percent(median(rounds.map(({ idleMs, elapsedMs }) => idleMs / elapsedMs)))
  return `It works on a thread of its own without a rest, and the main thread has nothing to do for ${idle} of the run: faster code there wins nothing.`
}

function withoutIt(rounds: readonly RoundResult[], share: number): string {
  const elapsedMs = median(rounds.map(round => round.elapsedMs))
  return `Without it the run would still take ${seconds(elapsedMs * (1 - share))} of its ${seconds(elapsedMs)} s.`
}

function adviceAt(place: number, stages: number): string {
  if (place === 0)
    return 'The file comes no faster: a faster disk or a smaller file helps, faster code does not.'
  if (place === stages - 1)
    return 'It stands for your own code: reading fewer cells, or text in place of decoded values, helps.'
  return 'What comes before it is held back and what comes after it waits: only its own work, or less of it, helps.'
}

function seconds(ms: number): string {
  return (ms / 1000).toFixed(ms < 10_000 ? 3 : 1)
}

export function percent(share: number): string {
  return `${(share * 100).toFixed(share < 0.1 ? 1 : 0)}%`
}
