// A stage as a Duplex of Node. `Duplex.from` does not work here: for a stage that ends before its
// input, it waits for a `finish` event that has already passed.

import { Duplex } from 'node:stream'

/** The part of a stage that a Duplex needs. */
interface DuplexStage extends AsyncIterable<unknown> {
  write(item: unknown): boolean
  end(): unknown
  destroy(error?: unknown): unknown
  once(event: 'drain' | 'end' | 'close', listener: () => void): unknown
  off(event: 'drain' | 'end' | 'close', listener: () => void): unknown
}

/**
 * Returns a Duplex over a stage. Destroying either destroys the other; the stage's failure is the
 * Duplex's error.
 */
export function nodeDuplex(stage: DuplexStage): Duplex {
  const items = stage[Symbol.asyncIterator]()
  const duplex: Duplex = new Duplex({
    objectMode: true,
    read() {
      items.next().then(
        step => duplex.push(step.done ? null : step.value),
        error => duplex.destroy(error),
      )
    },
    write(item, _encoding, done) {
      if (stage.write(item)) done()
      else whenReady(stage, done)
    },
    final(done) {
      stage.end()
      done()
    },
    destroy(error, done) {
      stage.destroy(error ?? undefined)
      done(error)
    },
  })
  return duplex
}

/**
 * Calls `ready` when the stage takes more input. A stage that has ended drops input, so its writer
 * goes on.
 */
function whenReady(stage: DuplexStage, ready: () => void): void {
  const events = ['drain', 'end', 'close'] as const
  const go = () => {
    for (const event of events) stage.off(event, go)
    ready()
  }
  for (const event of events) stage.once(event, go)
}
