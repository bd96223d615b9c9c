// Where a queue is, and the adapter of bullmq and ioredis, which are optional packages: they are
// loaded with the first connection. This file owns connections, their time limit and what is said
// about them: the address in messages and channels has no credentials. Types of the packages are
// for this folder only: no public declaration names them.

import type { Job, Queue, Worker } from 'bullmq'
import type { Redis } from 'ioredis'
import {
  asFeedError,
  closing,
  excerpt,
  FeedError,
  is,
  type OptionTable,
  optionInvalid,
  queueTopic,
  readOptions,
  Secrets,
  waitFor,
} from '../../engine/index'
import type { FeedSource } from '../../sync/index'

/** What a job has in Redis. It holds no credential. */
export interface JobData {
  readonly marketplace: string
  readonly categoryId: string
  /** The name of the target that the category is scheduled for. */
  readonly target?: string
}

/** What a completed job leaves in Redis; nothing of a job without a run. */
export interface JobResult {
  readonly watermark?: string
  readonly files?: number
  readonly rows?: number
}

export type { Redis }
export type CategoryQueue = Queue<JobData, JobResult>
export type QueueWorker = Worker<JobData, JobResult>
export type QueueJob = Job<JobData, JobResult>

/** Number of events that the server keeps for a queue. Nothing here reads them. */
const EVENTS_KEPT = 1_000

/** An open connection, with the package that works over it. */
export interface QueueConnection {
  readonly bullmq: typeof import('bullmq')
  readonly redis: Redis
  readonly queue: CategoryQueue
  /** Does one operation within the time limit. @throws FeedError QUEUE_FAILED */
  within<T>(operation: string, work: Promise<T>): Promise<T>
  /** Ends the connection at once. */
  close(): Promise<void>
}

export interface ConnectionUse {
  /** Called with QUEUE_FAILED when the connection is lost for longer than `timeoutMs`. */
  readonly onLost?: (error: FeedError<'QUEUE_FAILED'>) => void
  /** True where the settings of the queue are written too; a reader leaves no key behind. */
  readonly setsUp?: boolean
  /** True where a server that may evict keys is refused. Default: as `setsUp`. */
  readonly keeps?: boolean
}

/** @throws FeedError QUEUE_FAILED, DEPENDENCY_MISSING */
export async function connectQueue(
  settings: QueueSettings,
  { onLost = () => {}, setsUp = false, keeps = setsUp }: ConnectionUse = {},
): Promise<QueueConnection> {
  const { Redis, bullmq } = await loadPackages()
  const { url, password, name, timeoutMs } = settings
  const redis = new Redis(url, {
    ...(password !== undefined && { password }),
    // A worker waits for its server as long as it takes; `timeoutMs` ends the wait.
    maxRetriesPerRequest: null,
    connectTimeout: timeoutMs,
    // CLIENT LIST shows whose connection it is.
    connectionName: `${KEY_PREFIX}:${name}`,
  })
  const connection = watchConnection(redis, settings, onLost)
  const ready = connection.ready.then(() => (keeps ? refuseEviction(redis, settings) : undefined))
  await within(settings, 'connect', ready, () => connection.lastError()).catch(error => {
    connection.stop()
    redis.disconnect()
    throw error
  })
  const queue: CategoryQueue = new bullmq.Queue(name, {
    connection: redis,
    prefix: KEY_PREFIX,
    skipMetasUpdate: !setsUp,
    streams: { events: { maxLen: EVENTS_KEPT } },
  })
  // The connection tells its failures itself. An event without a listener would end the process.
  queue.on('error', () => {})
  return {
    bullmq,
    redis,
    queue,
    within: (operation, work) => within(settings, operation, work, () => undefined),
    close: async () => {
      connection.stop()
      await queue.close().catch(() => {})
      redis.disconnect()
    },
  }
}

/**
 * A server that evicts keys would lose schedulers and jobs without a word. INFO says so also where
 * CONFIG is not allowed; a server that allows neither is taken as it is.
 */
async function refuseEviction(redis: Redis, settings: QueueSettings): Promise<void> {
  const info = await redis.info('memory').catch(() => '')
  const policy = /^maxmemory_policy:(\S*)/m.exec(info)?.[1] ?? 'noeviction'
  if (policy === 'noeviction') return
  throw queueFailed(
    settings,
    'connect',
    `the server may evict keys (maxmemory-policy ${policy}): set maxmemory-policy to noeviction`,
    false,
  )
}

/** Opens a connection for one piece of work. @throws FeedError QUEUE_FAILED, DEPENDENCY_MISSING */
export async function withQueue<T>(
  settings: QueueSettings,
  operation: string,
  work: (queue: CategoryQueue, redis: Redis) => Promise<T>,
): Promise<T> {
  const opened = await connectQueue(settings, { setsUp: operation === 'schedule' })
  return closing(opened, ({ within, queue, redis }) => within(operation, work(queue, redis)))
}

/** A job of a list; undefined where Redis has it no longer, or something else in its place. */
export interface FoundJob {
  readonly id: string
  readonly job: QueueJob | undefined
}

/** Reads each job by itself: one that is damaged says nothing about the others. */
export async function jobsIn(
  queue: CategoryQueue,
  state: 'waiting' | 'delayed' | 'active' | 'failed',
  most = 0,
): Promise<FoundJob[]> {
  const ids = await queue.getRanges([state], 0, most - 1)
  const found = ids.map(async id => ({ id, job: await queue.getJob(id).catch(() => undefined) }))
  return Promise.all(found)
}

/** How the answers begin of a server that wants a password, or another one. */
const PASSWORD_REFUSED = /^(NOAUTH|WRONGPASS|ERR (invalid password|AUTH))/

function watchConnection(
  redis: Redis,
  settings: QueueSettings,
  onLost: (error: FeedError<'QUEUE_FAILED'>) => void,
) {
  const { timeoutMs, shown, secrets } = settings
  let lastError: unknown
  let isReady = false
  let timer: NodeJS.Timeout | undefined
  const tell = (state: 'connected' | 'lost') => {
    if (!queueTopic.hasSubscribers) return
    const reason =
      state === 'lost' && lastError !== undefined ? secrets.cover(reasonOf(lastError)) : undefined
    queueTopic.publish({ queue: shown, state, ...(reason !== undefined && { reason }) })
  }
  const answered = () => {
    clearTimeout(timer)
    timer = undefined
  }
  const expectAnswer = (operation: string) => {
    const onLimit = () => {
      const error = queueFailed(settings, operation, lastError ?? `no answer in ${timeoutMs} ms`)
      // A process that was stopped reads first what has arrived in the meantime.
      setImmediate(() => timer !== undefined && onLost(error))
    }
    timer ??= setTimeout(onLimit, timeoutMs)
  }
  // A server that is stopped keeps its connections open and does not answer.
  const beat = setInterval(() => {
    if (!isReady || timer !== undefined) return
    expectAnswer('ping')
    redis.ping().then(answered, () => {})
  }, timeoutMs / 4)
  const ready = new Promise<void>((resolve, reject) => {
    redis.on('ready', () => {
      answered()
      lastError = undefined
      isReady = true
      tell('connected')
      resolve()
    })
    redis.on('error', error => {
      lastError = error
      const [refusal] = PASSWORD_REFUSED.exec(error.message) ?? []
      const cure = 'give the password of the server in queue.url or queue.password'
      if (refusal !== undefined)
        reject(queueFailed(settings, 'connect', `${refusal}: ${cure}`, false))
    })
  })
  redis.on('close', () => {
    if (isReady) tell('lost')
    isReady = false
    expectAnswer('reconnect')
  })
  return {
    ready,
    lastError: () => lastError,
    stop: () => {
      redis.removeAllListeners('close')
      clearInterval(beat)
      answered()
    },
  }
}

async function within<T>(
  settings: QueueSettings,
  operation: string,
  work: Promise<T>,
  cause: () => unknown,
): Promise<T> {
  const { timeoutMs: limitMs } = settings
  const onLimit = () => queueFailed(settings, operation, cause() ?? `no answer in ${limitMs} ms`)
  const { signal } = new AbortController()
  try {
    return await waitFor(work, { signal, limitMs, onLimit })
  } catch (error) {
    throw FeedError.is(error) ? error : queueFailed(settings, operation, error)
  }
}

export function queueFailed(
  { shown, secrets }: QueueSettings,
  operation: string,
  cause: unknown,
  retryable = true,
): FeedError<'QUEUE_FAILED'> {
  const reason = reasonOf(cause)
  // The command of an answer may have the password.
  if (cause instanceof Error) Reflect.deleteProperty(cause, 'command')
  const message = `the queue ${shown} failed (${operation}): ${reason}`
  const context = { queue: shown, operation, reason }
  return secrets.covered(new FeedError('QUEUE_FAILED', message, context, { cause, retryable }))
}

function reasonOf(cause: unknown): string {
  if (typeof cause === 'string') return cause
  const { code } = cause as { readonly code?: unknown }
  return typeof code === 'string' ? code : excerpt(asFeedError(cause, 'queue').message)
}

/** @throws FeedError DEPENDENCY_MISSING, with the command that installs the packages */
async function loadPackages() {
  try {
    const { Redis } = await import('ioredis')
    return { Redis, bullmq: await import('bullmq') }
  } catch (cause) {
    const context = { package: 'bullmq ioredis', neededFor: 'feedmill/queue' }
    const message = `${context.neededFor} needs the packages bullmq and ioredis: npm install bullmq@^6 ioredis@^6`
    throw new FeedError('DEPENDENCY_MISSING', message, context, { cause })
  }
}

/** Where a queue is. */
export interface QueueOptions {
  /**
   * The address of the Redis server: `redis://host:6379/0`, or `rediss://` for TLS. Keys begin with
   * `feedmill:` and the name of the queue.
   */
  readonly url: string
  /** The password, where `url` has none. Default: none. */
  readonly password?: string
  /** The name of the queue: letters, digits, `-` and `_`. Default: `feedmill`. */
  readonly name?: string
  /**
   * The limit of a connection that is being made or made again, and of each operation, in
   * milliseconds. Default: 30,000.
   */
  readonly timeoutMs?: number
}

const QUEUE = {
  url: redisUrl,
  password: [is.secretText],
  name: [queueName, 'feedmill'],
  timeoutMs: [is.durationMs(), 30_000],
} satisfies OptionTable<QueueOptions>

export type QueueSettings = ReturnType<typeof queueSettings>

/** What all keys in Redis begin with; the name of the queue follows. */
export const KEY_PREFIX = 'feedmill'

/** @throws FeedError OPTION_INVALID, without the address, which may have a password */
export function queueSettings(options: QueueOptions) {
  const { url: address, password, name, timeoutMs } = readOptions(options, QUEUE, 'queue')
  const { url } = options
  const secrets = new Secrets()
  secrets.rememberUrl(url)
  if (password !== undefined) secrets.rememberForGood(password)
  return {
    url,
    password,
    secrets,
    name,
    timeoutMs,
    /** The address and the name of the queue, without credentials. */
    shown: `${address.protocol}//${address.host}${address.pathname} ${name}`,
  }
}

/** The error does not show the address, which may have a password. */
function redisUrl(option: string, text: string): URL {
  const url = typeof text === 'string' && URL.canParse(text) ? new URL(text) : undefined
  if (url !== undefined && /^rediss?:\/\//i.test(text) && url.port !== '0') return url
  throw optionInvalid(option, 'an address such as redis://host:6379', undefined)
}

function queueName(option: string, name: string): string {
  if (/^[\w-]{1,100}$/.test(is.filledText(option, name))) return name
  throw optionInvalid(option, 'letters, digits, - and _, at most 100', name)
}

/** The identifier of a category's scheduler, which is the name of the category in the queue. */
export function schedulerId(marketplace: string, categoryId: string): string {
  return `${marketplace}/${categoryId}`
}

/** @throws FeedError OPTION_INVALID unless the name can be part of a scheduler's identifier */
export function identifier(option: string, name: string): string {
  if (typeof name === 'string' && /^[\w.-]{1,100}$/.test(name)) return name
  throw optionInvalid(option, 'letters, digits, -, . and _', name)
}

/** Returns the names of feeds, which differ. @throws FeedError OPTION_INVALID */
export function feedNames(option: string, feeds: readonly Pick<FeedSource, 'name'>[]): string[] {
  const names = is.arrayOf(option, feeds).map((feed, n) => {
    const { name } = is.anObject(`${option}[${n}]`, feed)
    return identifier(`${option}[${n}].name`, name)
  })
  if (names.length === 0) throw optionInvalid(option, 'an array of one feed or more', feeds)
  const again = names.findIndex((name, n) => names.indexOf(name) < n)
  if (again < 0) return names
  const place = `${option}[${again}].name`
  throw optionInvalid(place, 'a name that no other feed of the array has', names[again])
}

/** Returns the categories, each of them once. @throws FeedError OPTION_INVALID */
export function someIdentifiers(option: string, names: readonly string[]): readonly string[] {
  if (!Array.isArray(names) || names.length === 0)
    throw optionInvalid(option, 'an array of one category or more', names)
  return [...new Set(names.map(name => identifier(option, name)))]
}
