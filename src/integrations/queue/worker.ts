// A worker: it takes the jobs of a queue and runs their categories. This file owns the worker's life
// and what is said about its jobs; worker-options.ts checks what a worker is given, and has what its
// jobs run; category-job.ts decides what becomes of a job.

import { hostname } from 'node:os'
import {
  type AnyFeedError,
  asFeedError,
  excerpt,
  FeedError,
  jobTopic,
  ofRun,
  RunWatch,
  waitFor,
} from '../../engine/index'
import type { CategoryResult } from '../../sync/index'
import {
  categoryOf,
  type Ending,
  endingOf,
  endingOfError,
  endingOfOther,
  isDamaged,
  storableError,
} from './category-job'
import { mendJobs } from './damaged-jobs'
import {
  connectQueue,
  type JobResult,
  KEY_PREFIX,
  type QueueConnection,
  type QueueJob,
  type QueueWorker,
  queueFailed,
} from './redis-connection'
import {
  type FeedWorkerOptions,
  type JobReport,
  type WorkerOptions,
  workerSettings,
} from './worker-options'

/** A worker that takes jobs until it is closed. Also for `await using`. */
export interface FeedWorker extends AsyncDisposable {
  /**
   * Resolves when the worker is closed. Rejects with QUEUE_FAILED when the connection was lost, or
   * the server did not answer, for longer than the `timeoutMs` of the queue; the worker has then
   * stopped.
   */
  readonly ended: Promise<void>
  /**
   * Takes no more jobs and stops those under way: their runs are aborted, their targets roll back
   * the file that is being applied and free the locks, and their jobs go back into the queue.
   */
  close(): Promise<void>
}

/**
 * How often a job may outlive its worker. A job past it fails, because it may be what ends the
 * workers; one of a scheduler never does, because its category would wait for the next job.
 */
const LOST_WORKERS = 5

/**
 * Starts a worker, of the categories of a service or of feeds of your own (`sources`). Any number of
 * workers on any number of machines can have the same queue. Each needs the credentials of the service
 * or the feeds, and of the target, itself: Redis has none of them. A job of a feed that the worker
 * does not have fails with QUEUE_FAILED, after its attempts.
 * @throws FeedError OPTION_INVALID, QUEUE_FAILED, DEPENDENCY_MISSING
 */
export async function startWorker(options: WorkerOptions): Promise<FeedWorker>
export async function startWorker(options: FeedWorkerOptions): Promise<FeedWorker>
export async function startWorker(options: WorkerOptions | FeedWorkerOptions): Promise<FeedWorker> {
  const settings = workerSettings(options)
  const lost = new AbortController()
  const connection = await connectQueue(settings.queue, {
    onLost: error => lost.abort(error),
    keeps: true,
  })
  return new RunningWorker({ ...settings, connection, lost: lost.signal })
}

interface WorkerParts extends ReturnType<typeof workerSettings> {
  readonly connection: QueueConnection
  /** Aborted with QUEUE_FAILED. */
  readonly lost: AbortSignal
}

/** What a job that is under way has told so far. */
interface UnderWay {
  readonly watch: RunWatch
  readonly startedMs: number
  result?: CategoryResult
}

class RunningWorker implements FeedWorker {
  readonly ended: Promise<void>
  readonly #parts: WorkerParts
  readonly #worker: QueueWorker
  readonly #draining = new AbortController()
  readonly #jobs = new WeakMap<QueueJob, UnderWay>()
  readonly #runs = new Set<Promise<CategoryResult>>()
  #mending: Promise<void> = Promise.resolve()
  #closing: Promise<void> | undefined
  #end: (error?: FeedError) => void = () => {}

  constructor(parts: WorkerParts) {
    this.#parts = parts
    const { connection, queue, limits, lost } = parts
    this.ended = new Promise((resolve, reject) => {
      this.#end = error => (error === undefined ? resolve() : reject(error))
    })
    this.ended.catch(() => {})
    // BullMQ passes a signal to a function of three parameters only.
    const process = (job: QueueJob, token?: string, signal?: AbortSignal) =>
      this.#process(job, token ?? '', signal)
    this.#worker = new connection.bullmq.Worker(queue.name, process, {
      connection: connection.redis,
      prefix: KEY_PREFIX,
      name: `${hostname()}:${globalThis.process.pid}`,
      concurrency: limits.concurrency,
      lockDuration: limits.lockMs,
      // BullMQ marks a job in one look and takes it in a later one, so looks as rare as locks
      // would double the time for which the job of a lost worker waits.
      stalledInterval: limits.lockMs / 4,
      maxStalledCount: LOST_WORKERS,
    })
    this.#listen()
    lost.addEventListener('abort', () => void this.#stop(lost.reason), { once: true })
  }

  close(): Promise<void> {
    return this.#stop(undefined)
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close()
  }

  #stop(error: FeedError | undefined): Promise<void> {
    this.#closing ??= this.#drain(error !== undefined).finally(() => this.#end(error))
    return this.#closing
  }

  async #drain(isForced: boolean): Promise<void> {
    const { connection, limits } = this.#parts
    this.#draining.abort()
    const { signal } = new AbortController()
    const onLimit = () => new FeedError('ABORTED', 'jobs did not stop in time', { stage: 'worker' })
    const runs = Promise.allSettled(this.#runs)
    const drained = Promise.all([runs, this.#worker.close(isForced)])
    // A job that does not stop in time loses its lock, and another worker continues it.
    await waitFor(drained, { signal, limitMs: limits.drainMs, onLimit }).catch(() => {})
    await connection.close()
  }

  #listen(): void {
    const worker = this.#worker
    worker.on('completed', job => this.#tell(job, 'completed'))
    worker.on('failed', (job, cause) => {
      if (job === undefined) return
      const error = asFeedError(cause.cause ?? cause, 'job')
      const isFinal = job.finishedOn !== undefined
      const nextAt = isFinal ? undefined : new Date(Date.now() + job.delay)
      this.#tell(job, isFinal ? 'failed' : 'retried', { error, ...(nextAt && { nextAt }) })
    })
    // The job belongs to another worker now. Its target refuses what this one still writes.
    worker.on('lockRenewalFailed', ids => {
      for (const id of ids) worker.cancelJob(id, 'the lock was lost')
    })
    // The connection tells its failures itself. Others come of jobs that cannot be started.
    worker.on('error', () => {
      const mend = () => mendJobs(this.#parts.connection)
      this.#mending = this.#mending.then(mend).catch(() => {})
    })
  }

  async #process(job: QueueJob, token: string, cancelled?: AbortSignal): Promise<JobResult> {
    const watch = new RunWatch('job')
    const underWay: UnderWay = { watch, startedMs: performance.now() }
    this.#jobs.set(job, underWay)
    // BullMQ would take the next job by the same call, and lose the end of this one where it cannot
    // read that job.
    const [complete, fail] = [job.moveToCompleted.bind(job), job.moveToFailed.bind(job)]
    job.moveToCompleted = (result, lock) => complete(result, lock, false)
    job.moveToFailed = (error, lock) => fail(error, lock, false)
    this.#tell(job, 'started')
    let failure: AnyFeedError | undefined
    try {
      const result = await watch.within(() => this.#run(job, token, cancelled))
      if (result === undefined) return {}
      underWay.result = result
      const { watermark, files, rows } = result
      return { files, rows, ...(watermark && { watermark: watermark.toISOString() }) }
    } catch (error) {
      const cause = (error as Error).cause ?? error
      if (FeedError.is(cause)) failure = cause
      throw error
    } finally {
      watch.settled(true, failure, () => ({}))
    }
  }

  /**
   * Runs the category, and moves the job where it does not complete. Returns undefined for a job
   * that completes without a run: the scheduler's next job comes before it could do anything.
   */
  async #run(
    job: QueueJob,
    token: string,
    cancelled?: AbortSignal,
  ): Promise<CategoryResult | undefined> {
    const { DelayedError, WaitingError, UnrecoverableError } = this.#parts.connection.bullmq
    const stop = new AbortController()
    const onStop = () => stop.abort()
    const signals = [this.#draining.signal, ...(cancelled ? [cancelled] : [])]
    for (const signal of signals) signal.addEventListener('abort', onStop, { once: true })
    if (signals.some(({ aborted }) => aborted)) onStop()
    let result: CategoryResult | undefined
    let ending: Ending
    try {
      this.#refuse(job)
      const other = endingOfOther(job, this.#parts.target, await this.#times(job))
      if (other === undefined) result = await this.#runCategory(job, stop.signal)
      ending = other ?? endingOf(result as CategoryResult, await this.#times(job))
    } catch (error) {
      if (stop.signal.aborted) {
        this.#tell(job, 'stopped')
        if (cancelled?.aborted) throw error
        await job.moveToWait(token)
        throw Object.assign(new WaitingError(), { cause: error })
      }
      ending = endingOfError(error, await this.#times(job))
    } finally {
      for (const signal of signals) signal.removeEventListener('abort', onStop)
    }
    switch (ending.kind) {
      case 'completed':
        return result
      case 'delayed': {
        await job.moveToDelayed(ending.untilMs, token)
        const { error } = ending
        this.#tell(job, 'delayed', {
          nextAt: new Date(ending.untilMs),
          ...(result && { result }),
          ...(error && { error }),
        })
        throw new DelayedError()
      }
      case 'failed': {
        const error = storableError(ending.error)
        if (error.retryable) throw error
        throw Object.assign(new UnrecoverableError(error.message), { cause: ending.error })
      }
    }
  }

  /** @throws FeedError QUEUE_FAILED for a job that no worker can run */
  #refuse({ id = '', data, repeatJobKey }: QueueJob): void {
    if (!isDamaged(data)) return
    const cure =
      repeatJobKey === undefined
        ? 'remove it'
        : 'the next job tries the category again; schedule the category where that fails too'
    const reason = `the job ${excerpt(id)} has damaged data: ${cure}`
    throw queueFailed(this.#parts.queue, 'start a job', reason, false)
  }

  async #runCategory(job: QueueJob, signal: AbortSignal): Promise<CategoryResult> {
    const category = categoryOf(job)
    const run = this.#parts.run(category, signal)
    if (run === undefined) {
      const { marketplace, categoryId } = category
      const reason = `this worker does not have ${marketplace}/${categoryId}: give all workers of a queue the same feeds, or the same service`
      // A worker that is being replaced may have it, or lack it no longer.
      throw queueFailed(this.#parts.queue, 'start a job', reason)
    }
    this.#runs.add(run)
    return run.finally(() => this.#runs.delete(run))
  }

  async #times(job: QueueJob) {
    const { connection, queue, now, limits } = this.#parts
    const schedulers = `${KEY_PREFIX}:${queue.name}:repeat`
    const next = await connection.redis.zscore(schedulers, job.repeatJobKey ?? '')
    return {
      nowMs: Date.now(),
      serviceNowMs: now(),
      nextJobMs: next === null ? undefined : Number(next),
      lockedDelayMs: limits.lockMs,
    }
  }

  #tell(
    job: QueueJob,
    state: JobReport['message']['state'],
    { nextAt, ...given }: Omit<JobReport, 'message'> & { readonly nextAt?: Date } = {},
  ): void {
    const { queue, onJob } = this.#parts
    if (onJob === undefined && !jobTopic.hasSubscribers) return
    const underWay = this.#jobs.get(job)
    const { marketplace, categoryId } = categoryOf(job)
    // A failed attempt is counted before it is told.
    const isOver = state === 'completed' || state === 'failed' || state === 'retried'
    const publish = () => {
      const message: JobReport['message'] = {
        ...ofRun(),
        state,
        queue: queue.name,
        job: job.id ?? '',
        marketplace,
        categoryId,
        attempt: job.attemptsMade + (isOver ? 0 : 1),
        ...(state !== 'started' &&
          underWay && { durationMs: performance.now() - underWay.startedMs }),
        ...(given.error && { code: given.error.code }),
        ...(nextAt && { nextAt }),
      }
      jobTopic.publish(message)
      const result = given.result ?? underWay?.result
      onJob?.({ message, ...given, ...(result && { result }) })
    }
    if (underWay === undefined) publish()
    else underWay.watch.within(publish)
  }
}
