// How many inflate workers the process has, and may have: a semaphore that nobody waits for.
// It owns the count; the workers themselves are those of parallel-inflate.ts.

import { availableParallelism } from 'node:os'
import { wholeNumber } from '../options'

let max = availableParallelism() - 1
let alive = 0

/**
 * Sets how many threads all pipelines of this process together may use to inflate, at any one time.
 * Default: one less than the processors that the process may use (`os.availableParallelism()`),
 * so none where there is only one. 0 means none.
 *
 * First come, first served. A file that finds none free is inflated on its caller's thread and
 * waits for nothing; it takes a worker over as soon as one becomes free. A lower number ends no
 * worker that is at work. Each worker thread of the process that imports this package counts for
 * itself.
 *
 * @throws FeedError OPTION_INVALID
 */
export function setMaxInflateWorkers(count: number): void {
  max = wholeNumber('count', count, 0)
}

/**
 * True where one more may be started: then `endInflateWorker` is called when its thread has ended.
 */
export function beginInflateWorker(): boolean {
  if (alive >= max) return false
  alive++
  return true
}

export function endInflateWorker(): void {
  alive--
}
