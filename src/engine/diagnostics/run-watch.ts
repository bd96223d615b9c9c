// What the channels say about one run: its start, its end, and which work belongs to it. The work
// of a run finds its number by the asynchronous context of Node, which is entered only for a run
// that began while a channel had a subscriber.

import { AsyncLocalStorage } from 'node:async_hooks'
import type { FeedError } from '../errors'
import {
  type DiagnosticsMessages,
  isAnyoneWatching,
  type RunStage,
  runStartTopic,
  runTopic,
  type SyncResult,
} from './channels'

type Kind = DiagnosticsMessages['feedmill:run']['kind']

const current = new AsyncLocalStorage<number>()
let lastRun = 0

/** Returns the field `run` of a message about the work that is being done. */
export function ofRun(): { readonly run?: number } {
  const run = current.getStore()
  return run === undefined ? {} : { run }
}

export class RunWatch {
  /** True where the work of the run has to go through {@link within}. */
  readonly isWatched = isAnyoneWatching()
  readonly #run = ++lastRun
  readonly #kind: Kind
  readonly #parent: number | undefined
  readonly #startedAt = performance.now()

  constructor(kind: Kind) {
    this.#kind = kind
    if (!this.isWatched) return
    this.#parent = current.getStore()
    if (runStartTopic.hasSubscribers) runStartTopic.publish(this.#who())
  }

  /** Does a part of the work of the run. */
  within<T>(work: () => T): T {
    return this.isWatched ? current.run(this.#run, work) : work()
  }

  /** @param hasEnded false where the reader left the run before its end */
  settled(
    hasEnded: boolean,
    error: FeedError | undefined,
    summary: () => { readonly stages?: readonly RunStage[]; readonly sync?: SyncResult },
  ): void {
    if (!runTopic.hasSubscribers) return
    const code = error?.code
    const failure = code === 'ABORTED' ? 'aborted' : 'failed'
    const success = hasEnded ? 'completed' : 'stopped'
    runTopic.publish({
      ...this.#who(),
      outcome: code === undefined ? success : failure,
      ...(code !== undefined && { code }),
      durationMs: performance.now() - this.#startedAt,
      ...summary(),
    })
  }

  #who(): DiagnosticsMessages['feedmill:run:start'] {
    const parent = this.#parent
    return { run: this.#run, kind: this.#kind, ...(parent !== undefined && { parent }) }
  }
}
