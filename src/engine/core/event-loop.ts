// Decides when stages yield to the event loop. This file owns the time for which stages have worked
// since the last turn. All stages of the thread share it, because they share the event loop.

// The import bypasses the global, so that a caller's test with fake timers does not stop every
// stage.
import { setImmediate } from 'node:timers'

/** Stages may work for so long before timers, sockets and abort signals are served. */
const SLICE_MS = 10

/** When the first stage began to work in the current turn; undefined while none has. */
let workingSince: number | undefined
/** One promise for all stages that wait for the next turn. */
let nextTurn: Promise<undefined> | undefined

/** Returns true when stages have worked in this turn for so long that they must yield. */
function isTurnDue(now: number): boolean {
  if (workingSince !== undefined) return now - workingSince > SLICE_MS
  workingSince = now
  // The immediate must not keep the process alive: with no other work, no stage waits for it.
  setImmediate(endSlice).unref()
  return false
}

/** Resolves after timers and sockets had their turn. */
function eventLoopTurn(): Promise<undefined> {
  nextTurn ??= new Promise(resolve => {
    setImmediate(() => {
      nextTurn = undefined
      endSlice()
      resolve(undefined)
    })
  })
  return nextTurn
}

/** Returns a turn of the event loop to wait for where one is due, and undefined otherwise. */
export function turnIfDue(): Promise<undefined> | undefined {
  return isTurnDue(performance.now()) ? eventLoopTurn() : undefined
}

function endSlice(): void {
  workingSince = undefined
}
