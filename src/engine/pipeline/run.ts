// One run of a pipeline: a chain of drivers over the machines of its stages (core/machine.ts), and
// one outcome. The run pulls items out of the last driver; no stream stands between two stages. A
// run ends when its consumer settles it (`finish`, after the last item was used) or at the first
// failure.
//
// If you change when a run ends, also change stages/stage.ts (a stage outside a pipeline) and
// test/engine/pipeline/.

import type { StageCounters } from '../core/counters'
import { Kept } from '../core/kept'
import { Driver, type Inputs, NO_INPUTS } from '../core/machine'
import { DONE, isPromise, PAUSE, type Step, turnIfDue } from '../core/steps'
import type { RunStage } from '../diagnostics/channels'
import { RunWatch } from '../diagnostics/run-watch'
import { aborted, asFeedError, FeedError } from '../errors'
import { type NoPromise, noPromise } from '../options'
import type { Stage } from '../stages/stage'
import { inTime, listenable } from '../stages/wait'
import type { SinkCounts } from './sink'

export interface PipelineSummary {
  /** The counters of the stages in the order of the chain, the source first. */
  readonly stages: readonly StageCounters[]
  readonly elapsedMs: number
  /**
   * The size of the file that the source reads, compressed or not, where the source knows it. The
   * `bytesOut` of the source counts towards it.
   */
  readonly fileBytes?: number | undefined
  /** What the sink did with the rows, once it has committed, where it counts them. */
  readonly sink?: SinkCounts | undefined
}

export interface PipelineOptions {
  /**
   * Aborting the signal ends the run with ABORTED and releases everything at once. A call of yours
   * that does not return is left after a moment, and the error names a sink that it concerns; where
   * the sink was in its commit, the error has `mayBeCommitted`. Default: none.
   */
  readonly signal?: AbortSignal
  /** Called every `progressMs` during the run, and once at its end. Default: none. */
  readonly onProgress?: (progress: PipelineSummary) => NoPromise
  /** Milliseconds between two calls of `onProgress`. Default: 250. */
  readonly progressMs?: number
  /**
   * Called once when a run is over, behind the commit of its sink, with the error if it failed.
   * Default: none.
   */
  readonly onSettled?: (summary: PipelineSummary, error?: FeedError) => NoPromise
}

/** Any stage. The item types are erased here, because the builder has checked them. */
export type AnyStage = Stage<never, unknown>

/** How long an aborted run waits for what stages still write, such as the end of a quarantine. */
const LAST_WORK_MS = 400

/** A step as the reader of a run gets it. */
type RunStep = Step<unknown> | Promise<Step<unknown>>

export class Run {
  readonly #stages: readonly AnyStage[]
  readonly #output: Inputs<unknown>
  readonly #options: PipelineOptions
  readonly #startedAt = performance.now()
  readonly #watched = new RunWatch('pipeline')
  /** The next step, inside the run as the diagnostics channels know it. */
  readonly #watchedStep = () => this.#step()
  readonly #onAbort = () =>
    this.fail(aborted('pipeline', 'the run was aborted', this.#options.signal?.reason))
  #timer: NodeJS.Timeout | undefined
  /** Resolves the step that the reader waits for. */
  #wake: (() => void) | undefined
  #isClosed = false
  #settling: Promise<void> | undefined
  #ended: Promise<void> | undefined
  error: FeedError | undefined
  /** True where the reader settles the run, behind the abort of its sink. */
  hasSink = false
  /** What the sink of the run has done. */
  sinkCounts: SinkCounts | undefined

  /** @param keeps true where the reader keeps the items when it asks for others */
  constructor(stages: readonly AnyStage[], options: PipelineOptions, keeps = false) {
    stages.forEach(refuseUsed)
    this.#stages = stages
    this.#options = options
    this.#output = composed(stages, keeps, error => this.fail(error))
    this.#watch()
  }

  get summary(): PipelineSummary {
    return {
      stages: this.#stages.map(stage => stage.counters),
      elapsedMs: performance.now() - this.#startedAt,
      fileBytes: this.#stages[0]!.fileBytes,
      sink: this.sinkCounts,
    }
  }

  /**
   * Returns the next item, without a promise where it is there. The caller waits for the last step
   * before it calls again.
   * @throws FeedError the error of the run
   */
  next(): RunStep {
    return this.#watched.isWatched ? this.#watched.within(this.#watchedStep) : this.#step()
  }

  #step(): RunStep {
    try {
      while (!this.#isClosed) {
        const step = turnIfDue() ?? this.#output.next() ?? DONE
        if (isPromise(step)) return this.#after(step)
        if (step.done || step.value !== PAUSE) return this.#checked(step)
      }
    } catch (error) {
      this.fail(asFeedError(error, 'pipeline'))
    }
    return this.#checked(DONE)
  }

  /** Ends the run with an error. Only the first error counts; the reader of the run gets it. */
  fail(error: FeedError): void {
    if (this.#settling !== undefined || this.error !== undefined) return
    this.error = this.covered(error)
    if (this.hasSink) this.#closeStages()
    else void this.settle()
  }

  /**
   * Closes the stages, and waits for what they still write.
   * @throws FeedError the error of the run
   */
  async close(): Promise<void> {
    this.#closeStages()
    await this.#lastWork()
    if (this.error !== undefined) throw this.error
  }

  /**
   * Closes the stages, waits for what they still write, and reports the outcome, once.
   * @param hasEnded false where the consumer wants no more items, or has failed
   */
  settle(hasEnded = false): Promise<void> {
    this.#closeStages()
    return (this.#settling ??= this.#settle(hasEnded))
  }

  /**
   * Settles the run after its consumer has used the last item.
   * @throws FeedError the error of the run
   */
  async finish(): Promise<PipelineSummary> {
    await this.settle(true)
    if (this.error !== undefined) throw this.error
    return this.summary
  }

  /** Returns the step that is waited for, or the end of the run, whichever comes first. */
  #after(waiting: Promise<Step<unknown> | undefined>): Promise<Step<unknown>> {
    return new Promise((resolve, reject) => {
      const goOn = (step?: Step<unknown>) => {
        if (this.#wake !== wake) return
        this.#wake = undefined
        try {
          if (step && (step.done || step.value !== PAUSE)) resolve(this.#checked(step))
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

  /** A step that was made before the run failed is not passed on. */
  #checked(step: Step<unknown>): Step<unknown> {
    if (this.error !== undefined) throw this.error
    return this.#isClosed ? DONE : step
  }

  /**
   * Closes the last driver, which closes its machine and the driver before it, and so on. A stage
   * that has ended is left alone, because its result may still be read (SnapshotMerger).
   */
  #closeStages(): void {
    if (this.#isClosed) return
    this.#isClosed = true
    clearInterval(this.#timer)
    this.#options.signal?.removeEventListener('abort', this.#onAbort)
    this.#output.close()
    this.#wake?.()
  }

  /** Undefined where no stage has to be waited for. A failure is the error of a run without one. */
  #lastWork(): Promise<void> | undefined {
    const pending = this.#stages.flatMap(({ lastWork }) => lastWork ?? [])
    if (pending.length === 0) return undefined
    const { signal } = this.#options
    const onLate = () => {
      const message = 'the run was aborted, and what its stages still write has not ended'
      return (this.error = aborted('pipeline', message, signal?.reason))
    }
    return (this.#ended ??= inTime(Promise.all(pending), signal, onLate, LAST_WORK_MS).then(
      () => {},
      error => void (this.error ??= this.covered(asFeedError(error, 'pipeline'))),
    ))
  }

  /** A stage may find in the data what a server repeats of the requests of another. */
  covered(error: FeedError): FeedError {
    return this.#stages.reduce((shown, { secrets }) => secrets?.covered(shown) ?? shown, error)
  }

  async #settle(hasEnded: boolean): Promise<void> {
    const lastWork = this.#lastWork()
    if (lastWork !== undefined) await lastWork
    const { onProgress, onSettled } = this.#options
    if (onProgress) this.#callBack('onProgress', summary => onProgress(summary))
    if (onSettled) this.#callBack('onSettled', onSettled)
    this.#watched.settled(hasEnded, this.error, () => ({ stages: this.#stages.map(runStage) }))
  }

  #watch(): void {
    const { onProgress, progressMs = 250 } = this.#options
    const signal = listenable(this.#options.signal)
    if (signal?.aborted) this.#onAbort()
    else signal?.addEventListener('abort', this.#onAbort, { once: true })
    if (onProgress && !this.#isClosed)
      this.#timer = setInterval(
        () => this.#callBack('onProgress', summary => onProgress(summary)),
        progressMs,
      ).unref()
  }

  #callBack(name: string, callback: NonNullable<PipelineOptions['onSettled']>): void {
    try {
      noPromise(name, callback(this.summary, this.error))
    } catch (cause) {
      const error = asFeedError(cause, 'pipeline')
      if (this.#isClosed) this.error ??= error
      else this.fail(error)
    }
  }
}

function runStage({ counters }: AnyStage): RunStage {
  const { stage, rowsOut: rows, bytesOut: bytes, busyMs } = counters
  return { stage, rows, bytes, busyMs }
}

/**
 * Makes a driver for each stage, each over the driver before it. No driver is asked for an item
 * before the last one is used, because the stage before may then write to the memory of that item. A
 * stage that keeps its inputs gets copies of bytes, unless the stage before never does so.
 */
function composed(
  stages: readonly AnyStage[],
  keeps: boolean,
  fail: (error: FeedError) => void,
): Inputs<unknown> {
  stages.reduceRight<Uint8Array | undefined>((start, stage) => stage.requireStart(start), undefined)
  for (const stage of stages) {
    stage.source = stages[0]!
    stage.origin ??= stages[0]!.origin
  }
  // The last stage comes first, because a stage may borrow only where it lends (ChunkReassembler).
  stages.reduceRight((next, stage) => {
    if (next.borrowsInputs === true) stage.lendOutputs()
    return stage
  })
  let inputs: Inputs<never> = NO_INPUTS
  stages.forEach((stage, n) => {
    const driver = new Driver<never, unknown>(stage.machineFor({ fail }), stage.counters, inputs)
    const next = stages[n + 1]
    const isKept = next === undefined ? keeps : next.borrowsInputs !== true
    inputs = (isKept && stage.ownsOutputs !== true ? new Kept(driver) : driver) as Inputs<never>
  })
  return inputs
}

function refuseUsed(stage: AnyStage, n: number, stages: readonly AnyStage[]): void {
  if (!stage.used && stages.indexOf(stage) === n) return
  const message = `${stage.name} has run already, or stands in the chain twice: give the pipeline a function that makes one`
  throw new FeedError('STAGE_REUSED', message, { stage: stage.name })
}
