// Runs one benchmark once in this process, and checks its result. For the figures to mean anything,
// the process does nothing else: fresh-process.ts starts it.

import {
  type ErrorCode,
  excerpt,
  FeedError,
  is,
  messageOf,
  optionInvalid,
  type Pipeline,
  type Sink,
  type StageCounters,
} from '../engine/index'
import { benchFailed } from './bench-failed'
import type { Bench, BenchOutcome } from './define-bench'

export interface RunFigures {
  /** The time of the work. It includes the warm-up of the code, but not the loading. */
  readonly elapsedMs: number
  /** The CPU time of all threads, user and system. */
  readonly cpuMs: number
  /** The peak memory of the whole process since its start. */
  readonly peakRssBytes: number
}

/** The figures of one run, and what it gave. */
export interface BenchRun extends RunFigures, BenchOutcome {
  /** The bytes of the input. It is missing where nothing says how many these are. */
  readonly bytes?: number
}

/** Drops every item. */
const NOWHERE: Sink<unknown> = { name: 'bench', write: () => {}, commit: () => {}, abort: () => {} }

/**
 * @throws FeedError BENCH_RESULT_WRONG, BENCH_FAILED, OPTION_INVALID, and the errors of the
 * pipeline
 */
export async function benchRun({ name, pipeline, bytes, check }: Bench): Promise<BenchRun> {
  const { value, figures } = await failing(name, 'pipeline', () =>
    measured(async (): Promise<BenchOutcome> => {
      const made = await pipeline()
      if (!isPipeline(made)) return { count: counted(made), stages: [] }
      const { stages } = await made.run(NOWHERE)
      const { rowsOut, itemsOut } = stages.at(-1)!
      return { count: rowsOut || itemsOut, stages }
    }),
  )
  await checkOutcome(name, check, value)
  const size = typeof bytes === 'function' ? await failing(name, 'bytes', bytes) : bytes
  const bytesRead = size === undefined ? mostBytes(value.stages) : is.finiteNumber(1)('bytes', size)
  return { ...figures, ...value, ...(bytesRead > 0 && { bytes: bytesRead }) }
}

/** Gives whatever the code of a caller throws as a FeedError whose message names the benchmark. */
export async function failing<T>(
  bench: string,
  part: keyof Bench,
  call: () => T | Promise<T>,
): Promise<T> {
  try {
    return await call()
  } catch (cause) {
    const step = `${part} of ${excerpt(bench)}`
    if (!FeedError.is(cause)) throw benchFailed(step, messageOf(cause), cause)
    const { code, message, context, retryable } = cause
    throw new FeedError<ErrorCode>(code, `${step}: ${message}`, context, { cause, retryable })
  }
}

async function checkOutcome(
  bench: string,
  check: Bench['check'],
  outcome: BenchOutcome,
): Promise<void> {
  let reason = 'check returned false'
  try {
    if ((await check?.(outcome)) !== false) return
  } catch (cause) {
    reason = messageOf(cause)
  }
  const { count } = outcome
  throw new FeedError(
    'BENCH_RESULT_WRONG',
    `the result of ${excerpt(bench)} is wrong, with a count of ${count}: ${reason}`,
    { bench: excerpt(bench), count, reason },
  )
}

function isPipeline(made: unknown): made is Pick<Pipeline<unknown>, 'run'> {
  return typeof (made as { run?: unknown } | null | undefined)?.run === 'function'
}

function counted(value: unknown): number {
  if (typeof value === 'number' && value >= 0) return value
  throw optionInvalid('the result of pipeline()', 'a pipeline or a number', value)
}

function mostBytes(stages: readonly StageCounters[]): number {
  return Math.max(0, ...stages.map(({ bytesIn, bytesOut }) => Math.max(bytesIn, bytesOut)))
}

export async function measured<T>(
  work: () => T | Promise<T>,
): Promise<{ readonly value: T; readonly figures: RunFigures }> {
  const cpuBefore = process.cpuUsage()
  const startedAt = performance.now()
  const value = await work()
  const elapsedMs = performance.now() - startedAt
  const { user, system } = process.cpuUsage(cpuBefore)
  // cpuUsage is in microseconds, maxRSS in KiB.
  const peakRssBytes = process.resourceUsage().maxRSS * 1024
  return { value, figures: { elapsedMs, cpuMs: (user + system) / 1000, peakRssBytes } }
}
