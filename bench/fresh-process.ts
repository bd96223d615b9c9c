// Runs a task of case-process.ts in a process of its own.

import { fileURLToPath } from 'node:url'
import { benchFailed } from '../src/bench/bench-failed'
import { inFreshProcess as inProcess } from '../src/bench/fresh-process'
import type { BenchFeed } from './bench-feed'
import type { CheckedCase, Measurement, Task } from './case-process'

interface Results {
  readonly data: BenchFeed
  readonly raw: BenchFeed
  readonly copies: BenchFeed
  readonly check: CheckedCase
  readonly measure: Measurement
}

/** Far above what any task takes: a task that hangs must not hang the run. */
const TIME_LIMIT_MS = 10 * 60 * 1000

const SCRIPT = fileURLToPath(new URL('./case-process.js', import.meta.url))

export function inFreshProcess<T extends Task>(task: T): Promise<Results[T['kind']]> {
  return inProcess({
    script: SCRIPT,
    task,
    timeLimitMs: TIME_LIMIT_MS,
    failed: how => benchFailed(describe(task), how),
  })
}

function describe(task: Task): string {
  return 'case' in task ? `${task.kind} ${task.case}` : `writing the file (${task.kind})`
}
