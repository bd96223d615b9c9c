// Runs a round in a process of its own.

import { fileURLToPath } from 'node:url'
import { inFreshProcess } from '../../bench/index'
import { FeedError } from '../../index'
import { messageWithPlace } from '../error-place'
import type { RoundResult, RoundTask } from './profile-round'

/** A process that reads nothing of its file for so long has failed. */
const STALL_LIMIT_MS = 60_000

export interface RoundProcess {
  /** The script of the process. Default: the built script beside the command. */
  readonly script?: string
  readonly stallLimitMs?: number
}

/**
 * @throws the FeedError of the round; STAGE_FAILED when its process makes no progress, or ends
 * without a result
 */
export async function roundInProcess(
  task: RoundTask,
  onProgress: (bytesRead: number) => void,
  {
    script = fileURLToPath(new URL('./profile-child.js', import.meta.url)),
    stallLimitMs = STALL_LIMIT_MS,
  }: RoundProcess = {},
): Promise<RoundResult> {
  try {
    return await inFreshProcess<RoundResult>({ script, task, stallLimitMs, onProgress, failed })
  } catch (error) {
    if (!FeedError.is(error)) throw error
    const { code, context, retryable } = error
    throw new FeedError(code, messageWithPlace(error), context, { retryable })
  }
}

function failed(how: string): FeedError {
  return new FeedError('STAGE_FAILED', `the process of a round ${how}`, { stage: 'profile' })
}
