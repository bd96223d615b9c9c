// A stage as a Duplex of Node. Written by hand, because `Duplex.from` waits for a `finish` that a
// stage which ends before its input has long given.

import { Duplex } from 'node:stream'

/** What it needs of a stage. */
interface DuplexStage extends AsyncIterable<unknown> {
  write(item: unknown): boolean
  end(): unknown
  destroy(error?: unknown): unknown
  once(event: 'drain' | 'end' | 'close', listener: () => void): unknown
  off(event: 'drain' | 'end' | 'close', listener: () => void): unknown
}

/** Destroying either destroys the other; what the stage fails with is the Duplex's error. */
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

/** A stage that has ended drops what is written, so its writer goes on. */
function whenReady(stage: DuplexStage, ready: () => void): void {
  const events = ['drain', 'end', 'close'] as const
  const go = () => {
    for (const event of events) stage.off(event, go)
    ready()
  }
  for (const event of events) stage.once(event, go)
}
