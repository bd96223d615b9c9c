// Starts a task of case-process.ts in a process of its own and waits for its result.

import { spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'
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

/**
 * The cases as they were built beside this file: the package that they import is the one of this
 * working tree.
 */
export const OWN_CASES = fileURLToPath(new URL('./case-process.js', import.meta.url))

/**
 * @param script a copy of `OWN_CASES` that imports another build of the package
 * @throws where the process fails or runs out of time; what it wrote to the standard error was
 * shown already
 */
export async function inFreshProcess<T extends Task>(
  task: T,
  script = OWN_CASES,
): Promise<Results[T['kind']]> {
  const child = spawn(process.execPath, [script, JSON.stringify(task)], {
    stdio: ['ignore', 'pipe', 'inherit'],
    timeout: TIME_LIMIT_MS,
  })
  let output = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    output += text
  })
  const [code, signal] = await new Promise<[number | null, string | null]>((resolve, reject) => {
    child
      .once('error', reject)
      .once('close', (exitCode, exitSignal) => resolve([exitCode, exitSignal]))
  })
  if (code !== 0) throw new Error(`${describe(task)} ended with ${signal ?? `exit code ${code}`}`)
  return JSON.parse(output) as Results[T['kind']]
}

function describe(task: Task): string {
  return 'case' in task ? `${task.kind} ${task.case}` : `writing the file (${task.kind})`
}
