// When stages let the event loop turn. It owns the measure of how long stages have worked since it
// last turned: one for all stages of the process, because they share one thread.

// Not the global: a test of a caller that fakes the timers would stop every stage.
import { setImmediate } from 'node:timers'

/** How long stages may work before timers, sockets and an abort are heard. */
const SLICE_MS = 10

/** When the first stage began to work in the present turn; undefined until one does. */
let workingSince: number | undefined
/** What waits for the next turn, all together. */
let nextTurn: Promise<undefined> | undefined

/** Whether stages have worked in this turn for so long that the event loop must turn. */
export function isTurnDue(now: number): boolean {
  if (workingSince !== undefined) return now - workingSince > SLICE_MS
  workingSince = now
  // It does not keep the process alive: if nothing else does, nobody waits.
  setImmediate(endSlice).unref()
  return false
}

/** Comes when timers and sockets have had their turn. */
export function eventLoopTurn(): Promise<undefined> {
  nextTurn ??= new Promise(resolve => {
    setImmediate(() => {
      nextTurn = undefined
      endSlice()
      resolve(undefined)
    })
  })
  return nextTurn
}

function endSlice(): void {
  workingSince = undefined
}
