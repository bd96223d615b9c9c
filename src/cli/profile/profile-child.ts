// The process of one round. Its task comes in the first argument, and it sends the outcome to its
// parent process.

import { setImmediate as nextTurn } from 'node:timers/promises'
import { FeedError } from '../../index'
import { profileRound, type RoundResult, type RoundTask } from './profile-round'

/** The messages of the process: any number of progress messages, then a result or a failure. */
export type RoundMessage =
  | { readonly kind: 'progress'; readonly bytesRead: number }
  | { readonly kind: 'result'; readonly result: RoundResult }
  | {
      readonly kind: 'failure'
      readonly error: Pick<FeedError, 'code' | 'message' | 'context' | 'retryable'>
    }

function tell(message: RoundMessage, then = () => {}): void {
  process.send?.(message, then)
}

async function outcome(task: RoundTask): Promise<RoundMessage> {
  try {
    return {
      kind: 'result',
      result: await profileRound(task, bytesRead => tell({ kind: 'progress', bytesRead })),
    }
  } catch (error) {
    if (!FeedError.is(error)) throw error
    const { code, message, context, retryable } = error
    return { kind: 'failure', error: { code, message, context, retryable } }
  }
}

// The parent process has ended, so nobody waits for the result.
const onDisconnect = () => process.exit(1)
process.once('disconnect', onDisconnect)
// The event loop counts its idle time from its first turn.
await nextTurn()
tell(await outcome(JSON.parse(process.argv[2]!) as RoundTask), () => {
  process.off('disconnect', onDisconnect)
  process.disconnect()
})
