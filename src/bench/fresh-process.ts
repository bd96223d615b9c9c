// Runs one task in a process of its own and waits for its result: `inFreshProcess` on the side of
// the caller, and `answerTask` in the script of the process. The task comes in the first argument,
// and the outcome is a message to the parent process. This file knows no particular task.

import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { type ErrorCode, FeedError } from '../engine/index'

export interface FreshProcess {
  /** The path of the script. */
  readonly script: string
  /** The task, which must survive JSON. */
  readonly task: object
  /** Options of Node for the process, beside those of this one. */
  readonly nodeOptions?: readonly string[]
  /** A process that takes longer has failed and is killed. */
  readonly timeLimitMs: number
  /** Makes the error of a process that gave no result, such as `ended with exit code 1`. */
  readonly failed: (how: string) => FeedError
}

/** What a task gave: its result, or the facts of its error. */
interface Outcome {
  readonly result?: unknown
  readonly error?: Pick<FeedError, 'code' | 'message' | 'context' | 'retryable'>
}

const STANDARD_ERROR = 2

/** @throws the FeedError of the task, or the error that `failed` makes */
export async function inFreshProcess<Result>({
  script,
  task,
  nodeOptions = [],
  timeLimitMs,
  failed,
}: FreshProcess): Promise<Result> {
  // Standard output belongs to the result, so the output of the process goes to standard error.
  const child = fork(script, [JSON.stringify(task)], {
    // The later of two options wins, so what started this process overrides the caller.
    execArgv: [...nodeOptions, ...process.execArgv],
    stdio: ['ignore', STANDARD_ERROR, 'inherit', 'ipc'],
  })
  let outcome: Outcome | undefined
  let isLate = false
  const timer = setTimeout(() => {
    isLate = child.kill('SIGKILL')
  }, timeLimitMs)
  child.on('message', (message: Outcome) => {
    outcome = message
  })
  const end = await endOf(child, failed).finally(() => clearTimeout(timer))
  if (outcome === undefined)
    throw failed(isLate ? `did not end within ${timeLimitMs} ms` : `ended with ${end}`)
  if (outcome.error === undefined) return outcome.result as Result
  const { code, message, context, retryable } = outcome.error
  throw new FeedError<ErrorCode>(code, message, context, { retryable })
}

/** The process may take this long to end after its last message. */
async function endOf(child: ChildProcess, failed: FreshProcess['failed']): Promise<string> {
  try {
    const [code, signal] = (await once(child, 'exit')) as [number | null, string | null]
    if (child.connected) await once(child, 'disconnect')
    return signal ?? `exit code ${code}`
  } catch (error) {
    throw failed(`could not be started: ${String(error)}`)
  }
}

/**
 * Runs the task and ends the process. An error that is not a FeedError is a defect: it ends the
 * process with its stack on standard error.
 */
export async function answerTask<Task>(run: (task: Task) => Promise<unknown>): Promise<void> {
  // The parent process has ended, so nobody waits for the result.
  process.once('disconnect', () => process.exit(1))
  const outcome = await outcomeOf(() => run(JSON.parse(process.argv[2]!) as Task))
  // Code of a caller may have left a timer or a server that would keep the process alive.
  process.send?.(outcome, () => process.exit())
}

async function outcomeOf(run: () => Promise<unknown>): Promise<Outcome> {
  try {
    return { result: await run() }
  } catch (error) {
    if (!FeedError.is(error)) throw error
    const { code, message, context, retryable } = error
    return { error: { code, message, context, retryable } }
  }
}
