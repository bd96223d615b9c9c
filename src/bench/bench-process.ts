// Starts the processes of benchmarks (bench-child.ts).

import { fileURLToPath } from 'node:url'
import { excerpt, type FeedError } from '../engine/index'
import type { BenchTask, ListedBench } from './bench-child'
import { benchFailed } from './bench-failed'
import type { BenchRun } from './bench-run'
import { inFreshProcess } from './fresh-process'

/** A run that takes longer than this has failed. */
const TIME_LIMIT_MS = 10 * 60 * 1000

/** The built script beside this code. */
const SCRIPT = fileURLToPath(new URL('./bench-child.js', import.meta.url))

/**
 * The young generation has one size from the start. By default, V8 doubles it whenever enough
 * objects have survived, so a few objects more at the start of a short run bring a doubling
 * forward. The peak memory then differs by megabytes that both versions take in a longer run. For the
 * same reason no objects are allocated in the old generation from the start, which V8 decides by how
 * many of them happen to survive.
 */
const NODE_OPTIONS = [
  '--min-semi-space-size=4',
  '--max-semi-space-size=4',
  '--no-allocation-site-pretenuring',
]

export type BenchProcesses = ReturnType<typeof benchProcesses>

/** What the engine does with a file of benchmarks, each time in a process of its own. */
export function benchProcesses(script = SCRIPT, timeLimitMs = TIME_LIMIT_MS) {
  const answerOf = <Result>(task: BenchTask) =>
    inFreshProcess<Result>({
      script,
      task,
      nodeOptions: NODE_OPTIONS,
      timeLimitMs,
      failed: how => failed(task, how),
    })
  return {
    list: (file: string) => answerOf<readonly ListedBench[]>({ kind: 'list', file }),
    prepare: (file: string, name: string) => answerOf<void>({ kind: 'prepare', file, name }),
    run: (file: string, name: string) => answerOf<BenchRun>({ kind: 'run', file, name }),
  }
}

function failed(task: BenchTask, how: string): FeedError {
  const step = task.kind === 'list' ? 'the list' : `the ${task.kind} of ${excerpt(task.name)}`
  return benchFailed(`${step} in ${task.file}`, `the process ${how}`)
}
