// The process of one task of a benchmark: to list the benchmarks of a file, to prepare one, or to
// run one. Of this package it loads what measures, and the engine that all entries share.

import { benchesOf, benchOf } from './bench-file'
import { benchRun, failing } from './bench-run'
import { answerTask } from './fresh-process'

export type BenchTask =
  | { readonly kind: 'list'; readonly file: string }
  | { readonly kind: 'prepare' | 'run'; readonly file: string; readonly name: string }

/** A benchmark as the process that compares knows it. */
export interface ListedBench {
  readonly name: string
  readonly isPrepared: boolean
}

await answerTask(async (task: BenchTask) => {
  if (task.kind === 'list') {
    const benches = await benchesOf(task.file)
    return benches.map(({ name, prepare }) => ({ name, isPrepared: prepare !== undefined }))
  }
  const bench = await benchOf(task.file, task.name)
  if (task.kind === 'run') return benchRun(bench)
  if (bench.prepare !== undefined) await failing(bench.name, 'prepare', bench.prepare)
  return null
})
