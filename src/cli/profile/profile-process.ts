// Starts a round in a process of its own and waits for its result.

import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { FeedError } from '../../index'
import { messageWithPlace } from './error-place'
import type { RoundMessage } from './profile-child'
import type { RoundResult, RoundTask } from './profile-round'

/**
 * The time limit for the progress of a process. A process that reads nothing for so long has failed
 * and is killed.
 */
const STALL_LIMIT_MS = 60_000

export interface RoundProcess {
  /** The script of the process. Default: the built script beside the command. */
  readonly script?: string
  readonly stallLimitMs?: number
}

type Outcome = Exclude<RoundMessage, { kind: 'progress' }>

/**
 * @throws the FeedError of the round; STAGE_FAILED when its process stalls, or ends without a
 * result
 */
export async function roundInProcess(
  task: RoundTask,
  onProgress: (bytesRead: number) => void,
  {
    script = fileURLToPath(new URL('./profile-child.js', import.meta.url)),
    stallLimitMs = STALL_LIMIT_MS,
  }: RoundProcess = {},
): Promise<RoundResult> {
  // Standard output belongs to the result, so the output of the process goes to standard error.
  const child = fork(script, [JSON.stringify(task)], {
    stdio: ['ignore', process.stderr.fd, 'inherit', 'ipc'],
  })
  let outcome: Outcome | undefined
  let bytesRead = -1
  let hasStalled = false
  const stall = setTimeout(() => {
    hasStalled = child.kill('SIGKILL')
  }, stallLimitMs)
  child.on('message', (message: RoundMessage) => {
    if (message.kind !== 'progress') outcome = message
    else if (message.bytesRead > bytesRead) {
      bytesRead = message.bytesRead
      stall.refresh()
      onProgress(bytesRead)
    }
  })
  const end = await endOf(child).finally(() => clearTimeout(stall))
  if (outcome === undefined)
    throw failed(
      hasStalled ? `has read nothing of its file for ${stallLimitMs} ms` : `ended with ${end}`,
    )
  return resultOf(outcome)
}

/** The process may take this long to end after its last message. */
async function endOf(child: ChildProcess): Promise<string> {
  try {
    const [code, signal] = (await once(child, 'exit')) as [number | null, string | null]
    if (child.connected) await once(child, 'disconnect')
    return signal ?? `exit code ${code}`
  } catch (error) {
    throw failed(`could not be started: ${String(error)}`)
  }
}

function resultOf(outcome: Outcome): RoundResult {
  if (outcome.kind === 'result') return outcome.result
  const { code, context, retryable } = outcome.error
  throw new FeedError(code, messageWithPlace(outcome.error), context, { retryable })
}

function failed(how: string): FeedError {
  return new FeedError('STAGE_FAILED', `the process of a round ${how}`, { stage: 'profile' })
}
