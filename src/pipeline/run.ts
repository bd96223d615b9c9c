// One run of a pipeline: the machines of its stages on top of each other, and one settlement. It
// pulls items out of the last one; nothing stands between two stages but the calls of
// core/machine.ts. A run is settled by its consumer (`close`, after the last item was used) or by
// the first failure.
//
// If you change when a run ends, also change stages/stage.ts (a stage alone) and test/pipeline/.

import type { StageCounters } from '../core/counters'
import { eventLoopTurn, isTurnDue } from '../core/event-loop'
import { Driver, type Inputs, NO_INPUTS, ReadAhead } from '../core/machine'
import { DONE, isPromise, PAUSE, type Step } from '../core/steps'
import { asFeedError, FeedError } from '../errors'
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

/** A step of a run, for its reader. */
type RunStep = Step<unknown> | Promise<Step<unknown>>

export class Run {
  readonly #stages: readonly AnyStage[]
  readonly #output: Inputs<unknown>
  readonly #options: PipelineOptions
  readonly #startedAt = performance.now()
  readonly #onAbort = () =>
    this.fail(
      new FeedError(
        'ABORTED',
        'the run was aborted',
        { stage: 'pipeline' },
        { cause: this.#options.signal?.reason },
      ),
    )
  #timer: NodeJS.Timeout | undefined
  /** Ends the step that is waited for. */
  #wake: (() => void) | undefined
  #isClosed = false
  #settled = false
  #error: FeedError | undefined

  constructor(stages: readonly AnyStage[], options: PipelineOptions) {
    stages.forEach(refuseUsed)
    this.#stages = stages
    this.#options = options
    this.#output = composed(stages, error => this.fail(error))
    this.#watch()
  }

  get error(): FeedError | undefined {
    return this.#error
  }

  get summary(): PipelineSummary {
    return {
      stages: this.#stages.map(stage => stage.counters),
      elapsedMs: performance.now() - this.#startedAt,
    }
  }

  /**
   * The next item, at once where it is there. Called again only when the last step has come.
   * @throws FeedError that of the run
   */
  next(): RunStep {
    try {
      while (!this.#isClosed) {
        if (isTurnDue(performance.now())) return this.#after(eventLoopTurn())
        const step = this.#output.next() ?? DONE
        if (isPromise(step)) return this.#after(step)
        if (step.done || step.value !== PAUSE) return this.#told(step)
      }
    } catch (error) {
      this.fail(asFeedError(error, 'pipeline'))
    }
    return this.#told(DONE)
  }

  /** Ends the run with an error, the first one counts. Its reader gets it. */
  fail(error: FeedError): void {
    if (this.#settled || this.#error !== undefined) return
    this.#error = error
    this.#closeStages()
    this.#settle()
  }

  /** Ends the run for its consumer: no more is wanted. */
  close(): void {
    this.#closeStages()
    this.#settle()
  }

  /**
   * The consumer has used the last item.
   * @throws FeedError where the run has failed in the meantime
   */
  finish(): void {
    this.close()
    if (this.#error !== undefined) throw this.#error
  }

  /** What was waited for, or the end of the run, whichever comes first. */
  #after(waiting: Promise<Step<unknown> | undefined>): Promise<Step<unknown>> {
    return new Promise((resolve, reject) => {
      const goOn = (step?: Step<unknown>) => {
        if (this.#wake !== wake) return
        this.#wake = undefined
        try {
          if (step && (step.done || step.value !== PAUSE)) resolve(this.#told(step))
          else resolve(this.next())
        } catch (error) {
          reject(error)
        }
      }
      const wake = () => goOn()
      this.#wake = wake
      waiting.then(goOn, error => {
        this.fail(asFeedError(error, 'pipeline'))
        goOn()
      })
    })
  }

  /** A step that came before the run has failed is told no more. */
  #told(step: Step<unknown>): Step<unknown> {
    if (this.#error !== undefined) throw this.#error
    return this.#isClosed ? DONE : step
  }

  /** What has ended is left as it is: its result may still be read (SnapshotMerger). */
  #closeStages(): void {
    if (this.#isClosed) return
    this.#isClosed = true
    this.#output.close()
    this.#wake?.()
  }

  #watch(): void {
    const { onProgress, progressMs = 250 } = this.#options
    const signal = listenable(this.#options.signal)
    if (signal?.aborted) this.#onAbort()
    else signal?.addEventListener('abort', this.#onAbort, { once: true })
    if (onProgress && !this.#settled)
      this.#timer = setInterval(
        () => this.#tell(summary => onProgress(summary)),
        progressMs,
      ).unref()
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

/** The machines of the stages, each over the one before it. */
function composed(stages: readonly AnyStage[], fail: (error: FeedError) => void): Inputs<unknown> {
  let inputs: Inputs<never> = NO_INPUTS
  stages.forEach((stage, n) => {
    const driver = new Driver<never, unknown>(stage.machineFor({ fail }), stage.counters, inputs)
    const isLent = stages[n + 1]?.borrowsInputs === true && stage.lendOutputs()
    inputs = (isLent ? driver : new ReadAhead(driver)) as Inputs<never>
  })
  return inputs
}

function refuseUsed(stage: AnyStage, n: number, stages: readonly AnyStage[]): void {
  if (!stage.used && stages.indexOf(stage) === n) return
  throw new FeedError(
    'STAGE_REUSED',
    `${stage.name} has run already, or stands in the chain twice: give the pipeline a function that makes one`,
    { stage: stage.name },
  )
}
