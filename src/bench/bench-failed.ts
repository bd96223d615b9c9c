// The error of a benchmark that gives no figures.

import { excerpt, FeedError } from '../engine/index'

/** @param step what failed, such as `prepare of rows` */
export function benchFailed(
  step: string,
  reason: string,
  cause?: unknown,
): FeedError<'BENCH_FAILED'> {
  const short = excerpt(reason, 2_000)
  const context = { step, reason: short }
  return new FeedError('BENCH_FAILED', `${step} failed: ${short}`, context, { cause })
}
