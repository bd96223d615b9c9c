// The side of the process that fresh-process.ts starts. The task comes in the first argument, and
// the process sends the outcome to its parent process.

import { setImmediate as nextTurn } from 'node:timers/promises'
import { FeedError } from '../engine/index'

/** The messages of the process: any number of progress messages, then a result or a failure. */
export type TaskMessage =
  | { readonly kind: 'progress'; readonly done: number }
  | { readonly kind: 'result'; readonly result: unknown }
  | {
      readonly kind: 'failure'
      readonly error: Pick<FeedError, 'code' | 'message' | 'context' | 'retryable'>
    }

/**
 * Runs the task and ends the process. An error that is not a FeedError is a defect: it ends the
 * process with its stack on standard error.
 */
export async function answerTask<Task>(
  run: (task: Task, onProgress: (done: number) => void) => Promise<unknown>,
): Promise<void> {
  // The parent process has ended, so nobody waits for the result.
  const onDisconnect = () => process.exit(1)
  process.once('disconnect', onDisconnect)
  // The event loop counts its idle time from its first turn.
  await nextTurn()
  const task = JSON.parse(process.argv[2]!) as Task
  const onProgress = (done: number) => tell({ kind: 'progress', done })
  tell(await outcomeOf(() => run(task, onProgress)), () => {
    // Code of a caller may have left a timer or a server that would keep the process alive.
    process.exit()
  })
}

function tell(message: TaskMessage, then = () => {}): void {
  process.send?.(message, then)
}

async function outcomeOf(run: () => Promise<unknown>): Promise<TaskMessage> {
  try {
    return { kind: 'result', result: await run() }
  } catch (error) {
    if (!FeedError.is(error)) throw error
    const { code, message, context, retryable } = error
    return { kind: 'failure', error: { code, message, context, retryable } }
  }
}
