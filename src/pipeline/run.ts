// One run of a pipeline: the stages wired and watched; one settlement; everything destroyed on failure or abort.
// A run is settled by its consumer (`close`, after the last item was used) or by the first failure.

import { asFeedError, FeedError } from '../errors'
import type { StageCounters } from '../stages/counters'
import type { Source } from '../stages/source'
import type { Stage } from '../stages/stage'
import { listenable } from '../stages/wait'

export interface PipelineSummary {
  /** Counters in the order of the chain, the source first. */
  readonly stages: readonly StageCounters[]
  readonly elapsedMs: number
}

export interface PipelineOptions {
  /** Aborting it ends the run with ABORTED; everything is released at once. */
  readonly signal?: AbortSignal
  /** Called every `progressMs` while the run lasts, and once at its end. */
  readonly onProgress?: (progress: PipelineSummary) => void
  /** Milliseconds between two calls of `onProgress`; 250 by default. */
  readonly progressMs?: number
  /** Called once when a run ends, well or not. */
  readonly onSettled?: (summary: PipelineSummary, error?: FeedError) => void
}

/** Any stage: what flows between stages is erased here, the builder has checked it. */
export type AnyStage = Stage<never, unknown>

export class Run {
  /** As they were given. */
  readonly #stages: readonly AnyStage[]
  /** What carries the items: neighbours that offer it are one. */
  readonly #wired: readonly AnyStage[]
  readonly #options: PipelineOptions
  readonly #startedAt = performance.now()
  readonly #onAbort = () =>
    this.fail(new FeedError('ABORTED', 'the run was aborted', { stage: 'pipeline' }, { cause: this.#options.signal?.reason }))
  #timer: NodeJS.Timeout | undefined
  #settled = false
  #error: FeedError | undefined

  constructor(stages: readonly AnyStage[], options: PipelineOptions) {
    stages.forEach(refuseUsed)
    this.#stages = stages
    this.#wired = fused(stages)
    this.#options = options
    for (const stage of this.#wired) stage.on('error', (error: unknown) => this.fail(asFeedError(error, stage.name)))
    // Before the stages are joined: a source that never waits works from there on.
    this.#watch()
    this.#wired.slice(1).forEach((stage, n) => {
      join(this.#wired[n]!, stage)
    })
  }

  /** The last stage: whoever consumes the run reads it. */
  get output(): AnyStage {
    return this.#wired[this.#wired.length - 1]!
  }

  get error(): FeedError | undefined {
    return this.#error
  }

  get summary(): PipelineSummary {
    return { stages: this.#stages.map(stage => stage.counters), elapsedMs: performance.now() - this.#startedAt }
  }

  /** Ends the run with an error, the first one counts. The reader of `output` gets it. */
  fail(error: FeedError): void {
    if (this.#settled || this.#error !== undefined) return
    this.#error = error
    this.#destroyStages(error)
    this.#settle()
  }

  /** Ends the run for its consumer: no more is wanted. */
  close(): void {
    this.#destroyStages()
    this.#settle()
  }

  /** The consumer has used the last item. @throws FeedError where the run has failed in the meantime */
  finish(): void {
    this.close()
    if (this.#error !== undefined) throw this.#error
  }

  /** From the last on, so that the reader gets `error` and not what a neighbour makes of it. */
  #destroyStages(error?: FeedError): void {
    for (const stage of [...this.#wired].reverse()) stage.destroy(stage === this.output ? error : undefined)
    // Those of which another does the work.
    for (const stage of this.#stages) stage.destroy()
  }

  #watch(): void {
    const { onProgress, progressMs = 250 } = this.#options
    const signal = listenable(this.#options.signal)
    if (signal?.aborted) this.#onAbort()
    else signal?.addEventListener('abort', this.#onAbort, { once: true })
    if (onProgress && !this.#settled) this.#timer = setInterval(() => this.#tell(summary => onProgress(summary)), progressMs).unref()
  }

  #tell(callback: (summary: PipelineSummary, error?: FeedError) => void): void {
    try {
      callback(this.summary, this.#error)
    } catch (cause) {
      const error = asFeedError(cause, 'pipeline')
      if (this.#settled) this.#error ??= error
      else this.fail(error)
    }
  }

  #settle(): void {
    if (this.#settled) return
    this.#settled = true
    clearInterval(this.#timer)
    this.#options.signal?.removeEventListener('abort', this.#onAbort)
    const { onProgress, onSettled } = this.#options
    if (onProgress) this.#tell(summary => onProgress(summary))
    if (onSettled) this.#tell(onSettled)
  }
}

/** The stages, with one in place of two where the two offer it and nobody listens to either. */
function fused(stages: readonly AnyStage[]): AnyStage[] {
  const wired: AnyStage[] = []
  for (const stage of stages) {
    const before = wired.at(-1)
    // By shape: another copy of the package may know nothing of it.
    const both = before && isUnheard(before) && isUnheard(stage) ? before.fuseWith?.(stage) : undefined
    if (!before || !both) wired.push(stage)
    else {
      wired.splice(-1, 1, both)
      before.retire(both)
      stage.retire(both)
    }
  }
  return wired
}

function isUnheard(stage: AnyStage): boolean {
  return stage.eventNames().length === 0
}

/**
 * What flows from `from` flows into `to`. A stage that ends before its input does destroys what stands before it; one that is
 * destroyed from outside before its end fails what stands after it, which would wait for that end for ever.
 */
function join(from: AnyStage, to: AnyStage): void {
  to.on('end', () => from.destroy())
  to.on('close', () => from.destroy())
  from.on('close', () => {
    if (!from.emittedEnd) to.destroy(new FeedError('STAGE_DESTROYED', `${from.name} was destroyed before its end`, { stage: from.name }))
  })
  // By shape: not every stage is a source.
  const { leadsTo } = from as { leadsTo?: Source<unknown>['leadsTo'] }
  leadsTo?.call(from, to)
  from.pipe(to)
}

function refuseUsed(stage: AnyStage, n: number, stages: readonly AnyStage[]): void {
  if (!stage.used && stages.indexOf(stage) === n) return
  throw new FeedError(
    'STAGE_REUSED',
    `${stage.name} has run already, or stands in the chain twice: give the pipeline a function that makes one`,
    { stage: stage.name },
  )
}
