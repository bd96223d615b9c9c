// The fresh process of a round: its task comes in the first argument, and what becomes of it goes
// to the process that started this one.

import { setImmediate as nextTurn } from 'node:timers/promises'
import { FeedError } from '../../index'
import { profileRound, type RoundResult, type RoundTask } from './profile-round'

/** What the process of a round sends: any number of progress, then a result or a failure. */
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

// The one that waits has gone: so goes this one.
const onDisconnect = () => process.exit(1)
process.once('disconnect', onDisconnect)
// The event loop counts its idle time from its first turn on.
await nextTurn()
tell(await outcome(JSON.parse(process.argv[2]!) as RoundTask), () => {
  process.off('disconnect', onDisconnect)
  process.disconnect()
})
