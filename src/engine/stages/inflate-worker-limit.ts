// Counts the inflate workers of the process against their maximum: a semaphore without a queue.
// parallel-inflate.ts owns the workers themselves, and worker/inflate-worker.ts is their program.

import { availableParallelism } from 'node:os'
import { workerTopic } from '../diagnostics/channels'
import { ofRun } from '../diagnostics/run-watch'
import { is } from '../options'

let max = availableParallelism() - 1
let alive = 0

/**
 * Sets how many threads all pipelines of this process together may use to inflate at the same time,
 * for tests. Each worker thread of the process that imports this package has a count of its own.
 *
 * Workers are given out in order of request. A file that finds none free is inflated on its
 * caller's thread without a wait, and takes over a worker as soon as one is free.
 * @throws FeedError OPTION_INVALID
 */
export function setMaxInflateWorkers(count: number): void {
  max = is.wholeNumber(0)('count', count)
}

/** Returns false where no file gets a worker, as on a machine of one processor. */
export function mayHaveInflateWorkers(): boolean {
  return max > 0
}

/**
 * Returns true where one more worker may be started. The caller then calls `endInflateWorker` after
 * the worker's thread has ended.
 */
export function beginInflateWorker(): boolean {
  if (alive >= max) return false
  alive++
  return true
}

export function endInflateWorker(): void {
  alive--
}

/** Tells the subscribers of `feedmill:worker`. @param failed left out for a start */
export function tellOfInflateWorker(state: 'started' | 'ended', failed?: boolean): void {
  if (!workerTopic.hasSubscribers) return
  const ended = failed === undefined ? {} : { failed }
  workerTopic.publish({ ...ofRun(), state, workers: alive, ...ended })
}
