// A sink of several sinks. It owns the order of their commits: no sink commits before all of them
// are prepared, and no sink commits after one has failed.

import { isPromise } from '../core/steps'
import type { FilePlace } from '../disk/files-of-run'
import { asFeedError, FeedError } from '../errors'
import { optionInvalid } from '../options'
import { commitParts } from './commit-parts'
import { checkSink, type Sink } from './sink'

/**
 * Makes a sink that writes every item to all of `sinks`. The next item comes when the slowest sink
 * has taken the last one.
 *
 * At the end the sinks `prepare` together, and then commit one after the other in the order of the
 * list. A failure of any sink before the first commit aborts all of them, with that error; the
 * error of a sink that throws anything but a FeedError is STAGE_FAILED with the name of the sink.
 * Where a commit fails after another sink has committed, the error is SINK_PARTLY_COMMITTED: its
 * context says which sinks have committed, which failed, and which were aborted, and its cause is
 * the failure. A sink without `prepare` may fail for want of space at its commit, so it stands best
 * at the start of the list.
 *
 * @throws FeedError OPTION_INVALID
 * @example
 * ```ts
 * import { readFileSync } from 'node:fs'
 * import { csvSink, ndjsonSink, pipeline, tee } from 'feedmill'
 *
 * await pipeline([{ itemId: 'v1|1|0' }]).run(tee([csvSink('ids.csv'), ndjsonSink('ids.ndjson')]))
 * console.log(readFileSync('ids.csv', 'utf8').split('\r\n')[1])
 * console.log(readFileSync('ids.ndjson', 'utf8').trim())
 * // => v1|1|0
 * // => {"itemId":"v1|1|0"}
 * ```
 */
export function tee<T>(sinks: readonly Sink<T>[]): Sink<T> {
  if (!Array.isArray(sinks) || sinks.length === 0)
    throw optionInvalid('sinks', 'a list of one sink or more', sinks)
  sinks.forEach(checkSink)
  const repeated = sinks.find((sink, n) => sinks.indexOf(sink) !== n)
  if (repeated !== undefined)
    throw optionInvalid('sinks', 'a list in which each sink stands once', repeated.name)
  return new Tee<T>([...sinks])
}

class Tee<T> implements Sink<T> {
  readonly name = 'tee'
  readonly writes: readonly FilePlace[]
  readonly #sinks: readonly Sink<T>[]
  /** The sinks that `open` was called on and that have neither committed nor been aborted. */
  #open: Sink<T>[] = []
  /** The sinks that have committed in this run. */
  #committed: string[] = []
  /** Why the run was aborted: no call that returns later goes on with other sinks. */
  #error: FeedError | undefined
  readonly write = (item: T) => atAll(this.#sinks, sink => sink.write(item))

  constructor(sinks: readonly Sink<T>[]) {
    this.#sinks = sinks
    this.writes = sinks.flatMap(({ writes }) => writes ?? [])
  }

  async open(): Promise<void> {
    this.#open = []
    this.#committed = []
    this.#error = undefined
    for (const sink of this.#sinks) {
      if (this.#error !== undefined) throw this.#error
      // A sink whose `open` fails is aborted too.
      this.#open.push(sink)
      await atAll([sink], () => sink.open?.())
    }
  }

  prepare(): void | Promise<void> {
    return atAll(this.#sinks, sink => sink.prepare?.())
  }

  commit(): Promise<void> {
    const close = (sink: Sink<T>) => void this.#open.splice(this.#open.indexOf(sink), 1)
    // Each of them ends here: it commits, or it is aborted.
    const parts = this.#open.map(sink => {
      const label = this.#labelOf(sink)
      const commit = async () => {
        if (this.#error !== undefined) throw this.#error
        await sink.commit()
        close(sink)
        this.#committed.push(label)
      }
      const abort = (error: FeedError) => {
        if (this.#error === undefined) close(sink)
        return sink.abort(error)
      }
      return [label, { name: sink.name, commit, abort }] as const
    })
    return commitParts(new Map(parts))
  }

  /**
   * Aborts every sink, also after one of them has failed to abort.
   * @throws FeedError SINK_PARTLY_COMMITTED where the commit of a sink behind others has not returned
   */
  async abort(error: FeedError): Promise<void> {
    this.#error = error
    await atAll(this.#open, sink => sink.abort(error))
    const [failed, ...aborted] = this.#open.map(sink => this.#labelOf(sink))
    const committed = this.#committed
    if (failed === undefined || committed.length === 0) return
    const message = `${committed.join(', ')} had committed`
    throw new FeedError('SINK_PARTLY_COMMITTED', message, { committed, failed, aborted })
  }

  /** Several sinks may have the same name, so the label has the position in the list too. */
  #labelOf(sink: Sink<T>): string {
    return `sink ${this.#sinks.indexOf(sink) + 1} (${sink.name})`
  }
}

/**
 * Calls every sink, and waits for all of them before it throws the first failure, with the name of
 * its sink: a sink that still writes cannot be aborted. Returns a promise only where a sink does.
 */
function atAll<T>(
  sinks: readonly Sink<T>[],
  call: (sink: Sink<T>) => void | Promise<void>,
): void | Promise<void> {
  const pending: Promise<void>[] = []
  for (const sink of sinks) {
    const failed = (error: unknown) => Promise.reject(asFeedError(error, sink.name))
    try {
      const called = call(sink)
      if (isPromise<void>(called)) pending.push(called.then(undefined, failed))
    } catch (error) {
      pending.push(failed(error))
    }
  }
  if (pending.length > 0) return allOf(pending)
}

async function allOf(pending: readonly Promise<void>[]): Promise<void> {
  const failed = (await Promise.allSettled(pending)).find(({ status }) => status === 'rejected')
  if (failed?.status === 'rejected') throw failed.reason
}
