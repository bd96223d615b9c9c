// What runs in a fresh process. Writing the files is such a task too: Linux counts what a parent
// held into the peak of its children, so the parent stays small.

import { measured } from '../src/bench/bench-run'
import { answerTask } from '../src/bench/fresh-process'
import type { BenchFeed } from './bench-feed'
import type { WantedFeed } from './data'
import { type MacroCaseName, macroCases } from './macro/cases'
import type { Verdict } from './macro/check'

export type Task =
  | { readonly kind: 'data'; readonly wanted: WantedFeed; readonly directory: string }
  | { readonly kind: 'raw'; readonly feed: BenchFeed }
  | { readonly kind: 'copies'; readonly feed: BenchFeed; readonly copies: number }
  | { readonly kind: 'check'; readonly case: MacroCaseName; readonly feed: BenchFeed }
  | { readonly kind: 'measure'; readonly case: MacroCaseName; readonly path: string }

/** What a case is, and whether what it makes is right. */
export interface CheckedCase {
  readonly name: MacroCaseName
  readonly contender: string
  readonly title: string
  readonly ours: boolean
  readonly verdict: Verdict
}

/** One run of one case. */
export interface Measurement {
  /** Undefined for a case that makes no rows. */
  readonly rows: number | undefined
  /** From the opening of the file to its end; loading the code is not counted, warming up is. */
  readonly seconds: number
  /** The CPU time of all threads, user and system. */
  readonly cpuSeconds: number
  /** The peak of the whole process, in 10^6 bytes. */
  readonly peakRssMb: number
}

async function run(task: Task): Promise<unknown> {
  switch (task.kind) {
    case 'data':
      return (await import('./data')).prepareFeed(task.wanted, task.directory)
    case 'raw':
      return (await import('./data')).prepareRaw(task.feed)
    case 'copies':
      return (await import('./data')).prepareCopies(task.feed, task.copies)
    case 'check':
      return check(task.case, task.feed)
    case 'measure':
      return measure(task.case, task.path)
  }
}

async function check(name: MacroCaseName, feed: BenchFeed): Promise<CheckedCase> {
  const { contender, title, ours, check: checkOnce } = await macroCases[name]()
  return { name, contender, title, ours, verdict: await checkOnce(feed) }
}

async function measure(name: MacroCaseName, path: string): Promise<Measurement> {
  const { prepare, measure: runOnce, tidy } = await macroCases[name]()
  await prepare?.(path)
  const { value, figures } = await measured(() => runOnce(path)).finally(() => tidy?.())
  const { elapsedMs, cpuMs, peakRssBytes } = figures
  return {
    rows: value,
    seconds: elapsedMs / 1000,
    cpuSeconds: cpuMs / 1000,
    peakRssMb: peakRssBytes / 1e6,
  }
}

await answerTask(run)
