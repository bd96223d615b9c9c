// Where the time of a run went, and which stage decides its speed: arithmetic over the counters
// that the stages keep themselves.
//
// Time is charged backwards. While the last stage waits, the stage before it is charged, unless
// that one waits as well, and so on: each instant belongs to the last stage that had something to
// do. Busy times would not do for that: a stage that works ahead on another thread, or waits for
// its turn on this one, is busy beside the others, and its time costs the run nothing.

import type { StageCounters } from '../core/counters'
import { anObject, finiteNumber, optionInvalid } from '../options'
import type { PipelineSummary } from './run'

/**
 * What the process says of the same run; by these a stage on a thread of its own is recognised. In
 * milliseconds.
 */
export interface RunTimes {
  /**
   * How long the event loop of this thread had nothing to do
   * (`performance.eventLoopUtilization()`).
   */
  readonly idleMs: number
  /** Of all threads, user and system (`process.cpuUsage()`). */
  readonly cpuMs: number
}

export interface StageProfile {
  /**
   * Of the run's time, from 0 to 1, one for each stage of the chain. Together with `consumerShare`
   * at most 1.
   */
  readonly shares: readonly number[]
  /** What went to whoever consumed the pipeline: the body of a `for await`, a sink. */
  readonly consumerShare: number
  /**
   * Place in the chain of the stage that decides the speed; undefined where that is the consumer.
   */
  readonly bottleneck: number | undefined
  /**
   * True where the bottleneck works on another thread, without a rest, and this one waits for it.
   */
  readonly onOtherThread: boolean
}

/** A thread that rests for a smaller share of the run is never short of input. */
const IDLE_SHARE = 0.1
/**
 * Other threads that work for this share of the run have no rest: the remainder is how a run begins
 * and ends.
 */
const SATURATED_SHARE = 0.8

/**
 * Where the time of a run went, from the summary that `onSettled`, `forEach` and `run` give.
 * Without `times` a bottleneck on another thread, hidden behind the work of this one, is not
 * recognised.
 */
export function stageProfile(summary: PipelineSummary, times?: RunTimes): StageProfile {
  const { stages, elapsedMs } = anObject('summary', summary, 'the summary of a run')
  if (!Array.isArray(stages) || typeof elapsedMs !== 'number')
    throw optionInvalid('summary', 'the summary of a run', summary)
  if (times !== undefined)
    for (const name of ['idleMs', 'cpuMs'] as const)
      finiteNumber(`times.${name}`, anObject('times', times)[name], 0)
  const shares = chargedBackwards(stages, elapsedMs).map(ms => ms / elapsedMs)
  const consumerShare = Math.min(stages.at(-1)?.blockedMs ?? 0, elapsedMs) / elapsedMs
  const elsewhere = times && stageOnOtherThread(shares, elapsedMs, times)
  const largest = Math.max(...shares)
  const bottleneck = elsewhere ?? (largest < consumerShare ? undefined : shares.indexOf(largest))
  return { shares, consumerShare, bottleneck, onOtherThread: elsewhere !== undefined }
}

/**
 * Each stage is charged with what the next one waited, less what it waited itself, and with its own
 * work at the most.
 */
function chargedBackwards(stages: readonly StageCounters[], elapsedMs: number): number[] {
  const last = stages.at(-1)!
  // What is left over is the time before the first stage began and after the last one ended.
  let left = Math.min(Math.max(0, elapsedMs - last.blockedMs), last.waitMs + last.busyMs)
  const charged: number[] = []
  for (const { busyMs, waitMs } of stages.toReversed()) {
    // Who waits while a later stage works holds nobody up.
    const ownMs = Math.min(busyMs, left - Math.min(waitMs, left))
    charged.unshift(ownMs)
    // One that works as one with the stage before it counts no waiting of its own.
    left = waitMs > 0 ? Math.min(left - ownMs, waitMs) : left - ownMs
  }
  return charged
}

/** The first stage that accounts for the rest of a thread that waits for others which have none. */
function stageOnOtherThread(
  shares: readonly number[],
  elapsedMs: number,
  { idleMs, cpuMs }: RunTimes,
): number | undefined {
  const workElsewhereMs = cpuMs - (elapsedMs - idleMs)
  if (idleMs < IDLE_SHARE * elapsedMs || workElsewhereMs < SATURATED_SHARE * elapsedMs)
    return undefined
  const place = shares.findIndex(share => share * elapsedMs >= idleMs / 2)
  return place < 0 ? undefined : place
}
