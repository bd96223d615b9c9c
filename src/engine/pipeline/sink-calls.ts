// The calls of one run to its sink. A run that is aborted waits for a moment only for a call that
// does not return; it then aborts the sink all the same, and says in its error what is left.

import { isPromise } from '../core/steps'
import { aborted, FeedError, messageOf } from '../errors'
import { inTime } from '../stages/wait'
import type { Sink } from './sink'

type Call = 'open' | 'write' | 'prepare' | 'commit' | 'abort'

const ABORTED = 'the run was aborted'
/** Sinks with a call of an aborted run that has not returned: its abort would end another run. */
const waiting = new WeakSet<object>()

export class SinkCalls<T> {
  readonly #sink: Sink<T>
  readonly #signal: AbortSignal | undefined
  #late: { readonly call: Call; readonly work: PromiseLike<void> } | undefined
  /** True where a call has not returned when the run ends. */
  #isLeft = false
  /** True where the abort has succeeded: the sink may be opened again. */
  isAborted = false

  /** @throws FeedError SINK_FAILED */
  constructor(sink: Sink<T>, signal: AbortSignal | undefined) {
    this.#sink = sink
    this.#signal = signal
    if (!waiting.has(sink)) return
    const { name } = sink
    const reason = 'a call of an aborted run has not returned'
    const message = `${name} cannot be opened: ${reason}: make another sink`
    throw new FeedError('SINK_FAILED', message, { sink: name, target: name, reason })
  }

  /** Resolves when a call has returned. @throws what the call throws; FeedError ABORTED */
  wait(call: Call, work: void | Promise<void>): void | Promise<void> {
    if (this.#signal === undefined || !isPromise<void>(work)) return work
    return inTime(work, this.#signal, () => {
      this.#late = { call, work }
      return this.#aborted()
    })
  }

  /** @throws FeedError ABORTED */
  refuseAborted(): void {
    if (this.#signal?.aborted) throw this.#aborted()
  }

  /**
   * Aborts the sink; and again when a call that the run has left returns, which may have opened what
   * the first abort could not close.
   * @returns the error of the run: the first failure, or ABORTED with what could not be undone
   */
  async abort(error: FeedError): Promise<FeedError> {
    const sink = this.#sink
    const late = this.#late
    const abort = async () => sink.abort(error)
    const first = abort()
    const again = () => first.catch(() => {}).then(abort)
    const rest = late?.call === 'commit' ? late.work : late?.work.then(again, again)
    const left = [await this.#left('abort', first), late && (await this.#left(late.call, rest!))]
    this.isAborted = left[0] === undefined
    if (this.#isLeft) {
      waiting.add(sink)
      void Promise.allSettled([first, rest]).then(() => waiting.delete(sink))
    }
    const mayBeCommitted = late?.call === 'commit'
    if (mayBeCommitted)
      left.push('what it wrote may have been committed: look before you write it again')
    const words = left.filter(word => word !== undefined)
    if (words.length === 0 || !this.#signal?.aborted) return error
    const [before, cause] =
      error.code === 'ABORTED'
        ? [error.message, error.cause]
        : [`${ABORTED}; ${error.message}`, error]
    const context = { stage: 'pipeline', ...(mayBeCommitted && { mayBeCommitted }) }
    return new FeedError('ABORTED', [before, ...words].join('; '), context, { cause })
  }

  /** Returns what a call of the sink leaves behind an abort. */
  async #left(call: Call, work: PromiseLike<void>): Promise<string | undefined> {
    const { name } = this.#sink
    let isLate = false
    const onLate = () => {
      isLate = this.#isLeft = true
      return this.#aborted()
    }
    try {
      await inTime(work, this.#signal, onLate)
      return undefined
    } catch (cause) {
      if (isLate) return `${name} has not returned from its ${call}`
      return `${name} failed in its ${call === 'commit' ? call : 'abort'}: ${messageOf(cause)}`
    }
  }

  #aborted(): FeedError<'ABORTED'> {
    return aborted('pipeline', ABORTED, this.#signal?.reason)
  }
}
