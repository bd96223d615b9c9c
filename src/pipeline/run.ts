// One run of a pipeline: the stages wired and watched; one settlement; everything destroyed on failure or abort.
// A run is settled by its consumer (`close`, after the last item was used) or by the first failure.

import { asFeedError, FeedError } from '../errors'
import type { StageCounters } from '../stages/counters'
import type { Stage } from '../stages/stage'

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
  readonly stages: readonly AnyStage[]
  readonly #options: PipelineOptions
  readonly #startedAt = performance.now()
  readonly #onAbort = () =>
    this.fail(new FeedError('ABORTED', 'the run was aborted', { stage: 'pipeline' }, { cause: this.#options.signal?.reason }))
  #timer: NodeJS.Timeout | undefined
  #settled = false
  #error: FeedError | undefined

  constructor(stages: readonly AnyStage[], options: PipelineOptions) {
    for (const stage of stages) refuseUsed(stage)
    this.stages = stages
    this.#options = options
    for (const stage of stages) stage.on('error', (error: unknown) => this.fail(asFeedError(error, stage.name)))
    stages.slice(1).forEach((stage, n) => {
      join(stages[n]!, stage)
    })
    this.#watch()
  }

  /** The last stage: whoever consumes the run reads it. */
  get output(): AnyStage {
    return this.stages[this.stages.length - 1]!
  }

  get error(): FeedError | undefined {
    return this.#error
  }

  get summary(): PipelineSummary {
    return { stages: this.stages.map(stage => stage.counters), elapsedMs: performance.now() - this.#startedAt }
  }

  /** Ends the run with an error, the first one counts. The reader of `output` gets it. */
  fail(error: FeedError): void {
    if (this.#settled || this.#error !== undefined) return
    this.#error = error
    for (const stage of this.stages) stage.destroy(stage === this.output ? error : undefined)
    this.#settle()
  }

  /** Ends the run for its consumer: all was read, or no more is wanted. */
  close(): void {
    for (const stage of this.stages) stage.destroy()
    this.#settle()
  }

  #watch(): void {
    const { signal, onProgress, progressMs = 250 } = this.#options
    if (signal?.aborted) this.#onAbort()
    else signal?.addEventListener('abort', this.#onAbort, { once: true })
    if (onProgress && !this.#settled) this.#timer = setInterval(() => onProgress(this.summary), progressMs).unref()
  }

  #settle(): void {
    if (this.#settled) return
    this.#settled = true
    clearInterval(this.#timer)
    this.#options.signal?.removeEventListener('abort', this.#onAbort)
    this.#options.onProgress?.(this.summary)
    this.#options.onSettled?.(this.summary, this.#error)
  }
}

/** What flows from `from` flows into `to`; a stage that ends before its input does destroys what stands before it. */
function join(from: AnyStage, to: AnyStage): void {
  to.on('end', () => from.destroy())
  to.on('close', () => from.destroy())
  from.pipe(to)
}

function refuseUsed(stage: AnyStage): void {
  if (!stage.used) return
  throw new FeedError('STAGE_REUSED', `${stage.name} has run already: give the pipeline a function that makes one`, { stage: stage.name })
}
