// Runs one task in a process of its own and waits for its result. The script of the process answers
// with answer-task.ts. This file knows no particular task.

import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { type ErrorCode, FeedError } from '../engine/index'
import type { TaskMessage } from './answer-task'

export interface FreshProcess {
  /** The path of the script. */
  readonly script: string
  /** The task, which must survive JSON. */
  readonly task: object
  /** Options of Node for the process, beside those of this one. */
  readonly nodeOptions?: readonly string[]
  /** A process without progress for so long has failed and is killed. */
  readonly stallLimitMs: number
  /** Receives the progress of the task, only where it has grown. */
  readonly onProgress?: (done: number) => void
  /** Makes the error of a process that gave no result, such as `ended with exit code 1`. */
  readonly failed: (how: string) => FeedError
}

const STANDARD_ERROR = 2

type Outcome = Exclude<TaskMessage, { kind: 'progress' }>

/** @throws the FeedError of the task, or the error that `failed` makes */
export async function inFreshProcess<Result>({
  script,
  task,
  nodeOptions = [],
  stallLimitMs,
  onProgress = () => {},
  failed,
}: FreshProcess): Promise<Result> {
  // Standard output belongs to the result, so the output of the process goes to standard error.
  const child = fork(script, [JSON.stringify(task)], {
    // The later of two options wins, so what started this process overrides the caller.
    execArgv: [...nodeOptions, ...process.execArgv],
    stdio: ['ignore', STANDARD_ERROR, 'inherit', 'ipc'],
  })
  let outcome: Outcome | undefined
  let done = -1
  let hasStalled = false
  const stall = setTimeout(() => {
    hasStalled = child.kill('SIGKILL')
  }, stallLimitMs)
  child.on('message', (message: TaskMessage) => {
    if (message.kind !== 'progress') outcome = message
    else if (message.done > done) {
      done = message.done
      stall.refresh()
      onProgress(done)
    }
  })
  const end = await endOf(child, failed).finally(() => clearTimeout(stall))
  if (outcome === undefined)
    throw failed(hasStalled ? `made no progress for ${stallLimitMs} ms` : `ended with ${end}`)
  if (outcome.kind === 'result') return outcome.result as Result
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
