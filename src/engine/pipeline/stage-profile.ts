// Computes where the time of a run went, and which stage limits its speed, from the counters of the
// stages.
//
// Time is charged backwards. While the last stage waits, the stage before it is charged, unless
// that one waits as well, and so on. So each instant belongs to the last stage that had work. Busy
// times alone do not show that: a stage that works ahead on another thread, or waits for its turn
// on this thread, is busy beside the others, and its time costs the run nothing.

import type { StageCounters } from '../core/counters'
import { anObject, finiteNumber, optionInvalid } from '../options'
import type { PipelineSummary } from './run'

/**
 * The times of the process during the same run, in milliseconds. They show a stage that works on
 * its own thread.
 */
export interface RunTimes {
  /** How long the event loop of this thread was idle (`performance.eventLoopUtilization()`). */
  readonly idleMs: number
  /** CPU time of all threads, user and system (`process.cpuUsage()`). */
  readonly cpuMs: number
}

export interface StageProfile {
  /**
   * The share of each stage in the time of the run, from 0 to 1, in the order of the chain. The
   * shares and `consumerShare` together are at most 1.
   */
  readonly shares: readonly number[]
  /** The share of the consumer: the body of a `for await`, or a sink. */
  readonly consumerShare: number
  /** Index in the chain of the stage that limits the speed; undefined where the consumer does. */
  readonly bottleneck: number | undefined
  /**
   * True where the bottleneck works without idle time on another thread, and this thread waits for
   * it.
   */
  readonly onOtherThread: boolean
}

/** A thread whose idle share of the run is smaller than this always has input. */
const IDLE_SHARE = 0.1
/**
 * Other threads are saturated from this share of the run on; the remainder is the start and the end
 * of the run.
 */
const SATURATED_SHARE = 0.8

/**
 * Computes the profile of a run from the summary that `onSettled`, `forEach` and `run` give.
 * Without `times`, a bottleneck on another thread that is hidden behind the work of this thread is
 * not recognised.
 *
 * @throws FeedError OPTION_INVALID
 * @example
 * ```ts
 * import { FileSource, Gunzip, itemSchema, pipeline, stageProfile, TsvRowParser } from 'feedmill'
 * // given: path
 *
 * const summary = await pipeline(new FileSource(path))
 *   .to(new Gunzip())
 *   .to(new TsvRowParser({ schema: itemSchema }))
 *   .forEach(() => {})
 * const { shares } = stageProfile(summary)
 * console.log(summary.stages.map(({ stage }) => stage).join(', '), shares.length)
 * // => FileSource, Gunzip, TsvRowParser 3
 * ```
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
 * Charges each stage with the time that the next stage waited, less the time that it waited itself,
 * and at most with its own busy time.
 */
function chargedBackwards(stages: readonly StageCounters[], elapsedMs: number): number[] {
  const last = stages.at(-1)!
  // The remainder is the time before the first stage began and after the last one ended.
  let left = Math.min(Math.max(0, elapsedMs - last.blockedMs), last.waitMs + last.busyMs)
  const charged: number[] = []
  for (const { busyMs, waitMs } of stages.toReversed()) {
    // A stage that waits while a later stage works delays nothing.
    const ownMs = Math.min(busyMs, left - Math.min(waitMs, left))
    charged.unshift(ownMs)
    // A stage that runs in lockstep with the stage before it counts no wait of its own.
    left = waitMs > 0 ? Math.min(left - ownMs, waitMs) : left - ownMs
  }
  return charged
}

/**
 * The first stage whose share explains the idle time of this thread, where other threads are
 * saturated.
 */
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
