// What runs in a fresh process: one task, given as JSON in the first argument, its result as JSON
// on the standard output. Writing the files is such a task too: Linux counts what a parent held
// into its children's peak, so the parent stays small.

import type { BenchFeed } from './bench-feed'
import { type MacroCaseName, macroCases } from './macro/cases'
import type { Verdict } from './macro/check'

export type Task =
  | {
      readonly kind: 'data'
      readonly seed: number
      readonly megabytes: number
      readonly directory: string
    }
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
    case 'data': {
      const { itemsFor, prepareFeed } = await import('./data')
      return prepareFeed(task.seed, itemsFor(task.megabytes), task.directory)
    }
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
  const { prepare, measure: runOnce } = await macroCases[name]()
  await prepare?.(path)
  const cpuBefore = process.cpuUsage()
  const startedAt = performance.now()
  const rows = await runOnce(path)
  const seconds = (performance.now() - startedAt) / 1000
  const { user, system } = process.cpuUsage(cpuBefore)
  // cpuUsage is in microseconds, maxRSS in KiB.
  return {
    rows,
    seconds,
    cpuSeconds: (user + system) / 1e6,
    peakRssMb: (process.resourceUsage().maxRSS * 1024) / 1e6,
  }
}

process.stdout.write(JSON.stringify(await run(JSON.parse(process.argv[2]!) as Task)))
