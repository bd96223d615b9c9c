// A service on a socket, a queue of its own in Redis, and a place for the rows: what the tests of
// queues share. Keys begin with the name of the queue, and `close` removes them.

import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Redis } from 'ioredis'
import { createEmulator, type Emulator, type WorldOptions } from '../../../src/emulator'
import type {
  FeedWorker,
  JobReport,
  QueueOptions,
  WorkerOptions,
} from '../../../src/integrations/queue'
import {
  type ScheduleOptions,
  scheduleCategories,
  startWorker,
} from '../../../src/integrations/queue'
import {
  createFeedService,
  defineProfile,
  type FeedService,
  type FeedServiceOptions,
} from '../../../src/service'
import { FAST } from '../../service/emulated'
import { SERVICES } from '../../services'
import { type FileTargetOptions, filesIn, fileTarget } from './file-target'

const START = new Date('2026-03-01T07:00:00Z')
const HOUR_MS = 3_600_000
/** The next file comes in less than an hour. */
const HOURS = 5.3
export const NOW = new Date(+START + HOURS * HOUR_MS)
export const CATEGORIES = ['220', '267']
/** The name of the target of {@link fileTarget}. */
export const TARGET = 'files'

let lastQueue = 0

export class QueueShop {
  readonly emulator: Emulator
  readonly url: string
  readonly queue: QueueOptions & { readonly name: string }
  readonly folder: string
  readonly redis: Redis
  /** The time of the service. */
  readonly now: Date
  readonly #closing: (() => unknown)[] = []

  private constructor(
    emulator: Emulator,
    url: string,
    folder: string,
    redisUrl: string,
    now: Date,
  ) {
    this.emulator = emulator
    this.url = url
    this.folder = folder
    this.now = now
    this.queue = { url: redisUrl, name: `test-${process.pid}-${++lastQueue}`, timeoutMs: 10_000 }
    this.redis = new Redis(redisUrl, { maxRetriesPerRequest: null })
    this.redis.on('error', () => {})
  }

  /** @param hours the age of the world in hours, between two files */
  static async open(
    redisUrl: string = SERVICES.redis.url,
    world: Partial<WorldOptions> = {},
    hours = HOURS,
  ): Promise<QueueShop> {
    const small = { seed: 3, items: 30, churn: 20, hours: 48, categories: CATEGORIES, ...world }
    const now = new Date(+START + hours * HOUR_MS)
    const emulator = createEmulator({ world: { ...small, start: START }, bootstrapAt: START, now })
    const { url } = await emulator.listen()
    const folder = await mkdtemp(join(tmpdir(), 'feedmill-queue-'))
    return new QueueShop(emulator, url, folder, redisUrl, now)
  }

  /** Schedules the category 220 of the shop, or what the options say. */
  schedule(options: Partial<ScheduleOptions> = {}): Promise<void> {
    const category = { marketplace: 'MKT_US', categories: ['220'] }
    return scheduleCategories({ queue: this.queue, ...category, ...options })
  }

  service(options: FeedServiceOptions = {}): FeedService {
    const { clientId, clientSecret, scopeBase } = this.emulator
    const tokenUrl = this.url + this.emulator.tokenPath
    const profile = defineProfile({ baseUrl: this.url, tokenUrl, scopeBase })
    const service = createFeedService(
      profile,
      { clientId, clientSecret },
      { ...FAST, now: this.now, ...options },
    )
    this.#closing.push(() => service.close())
    return service
  }

  /** Starts a worker in this process, and tells what its jobs did. */
  async worker(
    options: Partial<WorkerOptions> & { readonly files?: FileTargetOptions } = {},
  ): Promise<{ readonly worker: FeedWorker; readonly reports: JobReport[]; told: Told }> {
    const reports: JobReport[] = []
    const { files, ...others } = options
    const worker = await startWorker({
      queue: this.queue,
      target: fileTarget(this.folder, files),
      service: others.service ?? this.service(),
      // A busy machine may delay the renewal of a short lock.
      lockMs: 10_000,
      drainMs: 5_000,
      retry: { patienceMs: 4, backoffBaseMs: 0, backoffCapMs: 1 },
      onJob: report => {
        reports.push(report)
      },
      ...others,
    })
    this.#closing.unshift(() => worker.close())
    return { worker, reports, told: told(reports) }
  }

  /** The keys of the applied files of a category. */
  files(categoryId = '220'): string[] {
    return filesIn(this.folder, categoryId)
  }

  /** Every key of the queue with all that it holds, as one text. */
  async contentOfRedis(): Promise<string> {
    const keys = await this.redis.keys(`feedmill:${this.queue.name}:*`)
    const values = await Promise.all(keys.map(key => this.#valueOf(key)))
    return JSON.stringify([keys, values])
  }

  async #valueOf(key: string): Promise<unknown> {
    switch (await this.redis.type(key)) {
      case 'hash':
        return this.redis.hgetall(key)
      case 'list':
        return this.redis.lrange(key, 0, -1)
      case 'zset':
        return this.redis.zrange(key, '0', '-1')
      case 'stream':
        return this.redis.xrange(key, '-', '+')
      default:
        return this.redis.get(key)
    }
  }

  /**
   * Cuts connections to this queue, and no other ones.
   * @param chosen returns those to cut, by their lines of CLIENT LIST; all by default
   */
  async cutConnections(chosen = (lines: string[]) => lines): Promise<void> {
    const name = this.queue.name
    const names = [name, Buffer.from(name).toString('base64')]
    const clients = String(await this.redis.client('LIST')).split('\n')
    const own = clients.filter(line => names.some(each => line.includes(each)))
    for (const client of chosen(own)) {
      const id = /\bid=(\d+)/.exec(client)?.[1]
      if (id !== undefined) await this.redis.client('KILL', 'ID', id)
    }
  }

  async close(): Promise<void> {
    for (const close of this.#closing) await close()
    const keys = await this.redis.keys(`feedmill:${this.queue.name}:*`)
    if (keys.length > 0) await this.redis.del(...keys)
    this.redis.disconnect()
    await this.emulator.close()
    await rm(this.folder, { recursive: true, force: true })
  }
}

export type State = JobReport['message']['state']
export type Told = (state: State, count?: number) => Promise<JobReport>

function told(reports: readonly JobReport[]): Told {
  return async (state, count = 1) => {
    const found = () => reports.filter(({ message }) => message.state === state)
    await until(() => found().length >= count)
    return found()[count - 1]!
  }
}

/** Waits until something is so. The time limit of the test ends the wait. */
export async function until(isSo: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await isSo())) await new Promise(resolve => setTimeout(resolve, 10))
}
