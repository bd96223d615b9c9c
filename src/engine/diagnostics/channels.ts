// The channels of node:diagnostics_channel on which the library says what it does, with the type of
// each message. Other files publish; nothing here knows a stage or a service. A publisher asks
// `hasSubscribers` before it makes a message, so a channel without subscribers costs one check.
//
// Plain channels are used and not `tracingChannel`, which is experimental in Node 20 and describes
// one call of a function. A run is many calls, and the body of a request ends after its call.
//
// If you change a message, also change src/guide/watching.md.

import { channel, subscribe, unsubscribe } from 'node:diagnostics_channel'
import type { ErrorCode } from '../errors'

/**
 * The channels of `node:diagnostics_channel` on which feedmill publishes, with the type of each
 * message. `run` is the number of the run that did the work, unique in the process; it is left out
 * outside of a run, and for a run that began while no channel had a subscriber. Messages hold no
 * token, no secret and no content of a row. New fields and channels may be added; a field keeps its
 * name, type and unit.
 *
 * @example
 * ```ts
 * import { subscribe, unsubscribe } from 'node:diagnostics_channel'
 * import { type DiagnosticsMessages, FileSource, pipeline } from 'feedmill'
 * // given: path
 *
 * const onRun = (message: unknown) => {
 *   const { kind, outcome } = message as DiagnosticsMessages['feedmill:run']
 *   console.log(kind, outcome)
 * }
 * subscribe('feedmill:run', onRun)
 * await pipeline(new FileSource(path)).forEach(() => {})
 * unsubscribe('feedmill:run', onRun)
 * // => pipeline completed
 * ```
 */
export interface DiagnosticsMessages {
  /**
   * An HTTP request has ended: its body was read or discarded, or it failed. Redirects that the
   * transport follows belong to their request.
   */
  'feedmill:request': {
    readonly run?: number
    readonly method: 'GET' | 'POST'
    /** The address without user info and without secrets in its query. */
    readonly url: string
    /** The status of the response; left out where none came. */
    readonly status?: number
    /** Bytes of the body that were received, as the server sent them. */
    readonly bytes: number
    /** Milliseconds from the start of the request to its end. A wait for a turn is not included. */
    readonly durationMs: number
    /** Number of this attempt since the last progress, from 1. */
    readonly attempt: number
    /** The code of the error that ended the request; left out for a body read or discarded. */
    readonly code?: ErrorCode
  }
  /** A request or a file has failed and will be repeated. */
  'feedmill:retry': {
    readonly run?: number
    /** The address as in `feedmill:request`; left out for the repetition of a whole file. */
    readonly url?: string
    /** The code of the failure. */
    readonly code: ErrorCode
    /** The HTTP status of the failure; left out where it is no HTTP_STATUS. */
    readonly status?: number
    /** Failures since the last progress. */
    readonly failures: number
    /** Milliseconds until the repetition. */
    readonly delayMs: number
  }
  /** The client-credentials flow has got a token. Token functions of a caller are not reported. */
  'feedmill:token': {
    readonly run?: number
    /** The full name of the scope. */
    readonly scope: string
    /** Why the token was requested: there was none, it was about to expire, or it was refused. */
    readonly reason: 'first' | 'expiring' | 'refused'
    /** The lifetime in seconds; left out where the endpoint does not state it. */
    readonly lifetimeSeconds?: number
  }
  /** A thread that inflates has started or ended. */
  'feedmill:worker': {
    readonly run?: number
    readonly state: 'started' | 'ended'
    /** Number of these threads that run now. */
    readonly workers: number
    /** True where the thread ended by a failure; left out for a start. */
    readonly failed?: boolean
  }
  /** A stage has given one item: a batch of rows, a block of bytes, or any other item. */
  'feedmill:batch': {
    readonly run?: number
    /** The name of the stage. */
    readonly stage: string
    /** Number of rows in the item; 0 where it is no batch. */
    readonly rows: number
    /** Bytes of the item; 0 where it has no size. */
    readonly bytes: number
  }
  /** All rows of a file are committed to a state folder. */
  'feedmill:file': {
    readonly run?: number
    readonly marketplace: string
    readonly categoryId: string
    /** One of the four feeds; `own` for a feed of your own, whose name is `categoryId`. */
    readonly feed: 'item' | 'item_group' | 'item_snapshot' | 'item_priority' | 'own'
    readonly kind: 'bootstrap' | 'daily' | 'hourly' | 'full' | 'changes'
    /** The identity of the file, as `fileIdKey` gives it. */
    readonly file: string
    /** Number of rows by their effect on the state. */
    readonly rows: Readonly<
      Record<'inserted' | 'updated' | 'deleted' | 'unchanged' | 'stale', number>
    >
    /** Number of rows that were left out because they are invalid. */
    readonly badRows: number
    /** Size of the compressed file in bytes. */
    readonly bytes: number
    /**
     * The watermark of the category after the file. Left out before the first bootstrap, and for a
     * file that a killed run left behind and the next run or reader has finished.
     */
    readonly watermark?: Date
  }
  /** The watermark of a category is known for the first time in a synchronisation, or has moved. */
  'feedmill:watermark': {
    readonly run?: number
    readonly marketplace: string
    readonly categoryId: string
    readonly watermark: Date
  }
  /**
   * A worker has taken a job of a queue, or has let go of it. `delayed` says that the job comes
   * again at `nextAt`, `retried` that it failed and is repeated then, `failed` that it is not
   * repeated before the next job of its scheduler, and `stopped` that another worker continues it:
   * this one is closing, or has lost its lock.
   */
  'feedmill:job': {
    readonly run?: number
    readonly state: 'started' | 'completed' | 'delayed' | 'retried' | 'failed' | 'stopped'
    /** The name of the queue. */
    readonly queue: string
    /** The identifier of the job in the queue. */
    readonly job: string
    readonly marketplace: string
    readonly categoryId: string
    /** Number of this attempt, from 1. A delay is no attempt. */
    readonly attempt: number
    /** Milliseconds since the job was started by this worker; left out for `started`. */
    readonly durationMs?: number
    /** The code of the error; left out where there is none. */
    readonly code?: ErrorCode
    /** When the job comes again; left out for other states than `delayed` and `retried`. */
    readonly nextAt?: Date
  }
  /** The connection to the server of a queue was made or lost. */
  'feedmill:queue': {
    /** The address without credentials, and the name of the queue. */
    readonly queue: string
    readonly state: 'connected' | 'lost'
    /** Why the connection was lost, where that is known. */
    readonly reason?: string
  }
  /** A run has begun: one reading of a pipeline, one synchronisation, or one job of a queue. */
  'feedmill:run:start': {
    readonly run: number
    readonly kind: 'pipeline' | 'sync' | 'job'
    /** The run inside which this one began; left out where there is none. */
    readonly parent?: number
  }
  /**
   * A run has settled. `stopped` says that its reader left it before its end, and `aborted` that
   * its signal fired. A sink commits after its pipeline has settled.
   */
  'feedmill:run': {
    readonly run: number
    readonly kind: 'pipeline' | 'sync' | 'job'
    readonly parent?: number
    readonly outcome: 'completed' | 'stopped' | 'aborted' | 'failed'
    /** The code of the error; left out where there is none. */
    readonly code?: ErrorCode
    readonly durationMs: number
    /** What each stage of a pipeline has given, in the order of the chain. */
    readonly stages?: readonly RunStage[]
    /** What a synchronisation has done; left out where it failed. */
    readonly sync?: SyncResult
  }
}

/** What one stage gave in a run. */
export interface RunStage {
  readonly stage: string
  readonly rows: number
  readonly bytes: number
  /** Milliseconds inside the stage's own work, including the wait for its own I/O. */
  readonly busyMs: number
}

/** What a synchronisation did. */
export interface SyncResult {
  /** Number of files that were applied. */
  readonly files: number
  /** Number of files that could not be fetched or applied. */
  readonly failedFiles: number
  /** Number of rows that were merged. */
  readonly rows: number
  /** Number of compressed bytes that were received. */
  readonly bytes: number
}

export type DiagnosticsName = keyof DiagnosticsMessages

interface Topic<Message> {
  readonly hasSubscribers: boolean
  publish(message: Message): void
}

function topic<Name extends DiagnosticsName>(name: Name): Topic<DiagnosticsMessages[Name]> {
  return channel(name)
}

export const requestTopic = topic('feedmill:request')
export const retryTopic = topic('feedmill:retry')
export const tokenTopic = topic('feedmill:token')
export const workerTopic = topic('feedmill:worker')
export const batchTopic = topic('feedmill:batch')
export const fileTopic = topic('feedmill:file')
export const watermarkTopic = topic('feedmill:watermark')
export const jobTopic = topic('feedmill:job')
export const queueTopic = topic('feedmill:queue')
export const runStartTopic = topic('feedmill:run:start')
export const runTopic = topic('feedmill:run')

const TOPICS: readonly Topic<never>[] = [
  requestTopic,
  retryTopic,
  tokenTopic,
  workerTopic,
  batchTopic,
  fileTopic,
  watermarkTopic,
  jobTopic,
  queueTopic,
  runStartTopic,
  runTopic,
]

/** Returns true where any channel has a subscriber. */
export function isAnyoneWatching(): boolean {
  return TOPICS.some(({ hasSubscribers }) => hasSubscribers)
}

/** A function for some of the channels. */
export type Listeners = {
  readonly [Name in DiagnosticsName]?: (message: DiagnosticsMessages[Name]) => void
}

/** Ends a subscription. A second call does nothing. Also for `using`. */
export interface StopWatching extends Disposable {
  (): void
}

/** Subscribes each listener to its channel, and returns the function that ends that. */
export function listen(listeners: Listeners): StopWatching {
  const heard = Object.entries(listeners) as [DiagnosticsName, (message: unknown) => void][]
  for (const [name, listener] of heard) subscribe(name, listener)
  const stop = () => {
    for (const [name, listener] of heard) unsubscribe(name, listener)
  }
  return Object.assign(stop, { [Symbol.dispose]: stop })
}
