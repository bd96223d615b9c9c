// Computes where the time of a run went from the counters of its stages.
//
// Time is charged backwards. While the last stage waits, the stage before it is charged, unless
// that one waits as well, and so on. So each instant belongs to the last stage that had work. Busy
// times alone do not show that: a stage that works ahead on another thread, or waits for its turn
// on this thread, is busy beside the others, and its time costs the run nothing.

import type { StageCounters } from '../engine/index'

/**
 * Returns the share of each stage in the time of the run, from 0 to 1, in the order of the chain.
 * Together they are at most 1: what the last stage was blocked belongs to the consumer.
 */
export function stageShares(stages: readonly StageCounters[], elapsedMs: number): number[] {
  const last = stages.at(-1)
  if (last === undefined) return []
  // The remainder is the time before the first stage began and after the last one ended.
  let left = Math.min(Math.max(0, elapsedMs - last.blockedMs), last.waitMs + last.busyMs)
  const shares: number[] = []
  for (const { busyMs, waitMs } of stages.toReversed()) {
    // A stage that waits while a later stage works delays nothing.
    const ownMs = Math.min(busyMs, left - Math.min(waitMs, left))
    shares.unshift(ownMs / elapsedMs)
    // A stage that runs in lockstep with the stage before it counts no wait of its own.
    left = waitMs > 0 ? Math.min(left - ownMs, waitMs) : left - ownMs
  }
  return shares
}
