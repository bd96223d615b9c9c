// A day of a fleet of workers in virtual time. The calendar of `sync` says when a file of a category
// can be applied; a worker that is free takes the category that has waited longest, and applies what
// is ready, file after file, because the files of a category must come in order.
//
//   requests   a bucket that all workers share, and a quota a day
//   download   each worker has a line of its own
//   rows       the worker parses while the database takes the rows: the slower of the two counts
//   database   some transactions at full speed; a worker waits while all are taken

import type { FileId } from '../../src/sync/file-id'
import { type CategoryPlan, planCategory } from '../../src/sync/plan/calendar'
import { calendarLimits, windowOf } from '../../src/sync/plan/calendar-files'
import { EventQueue } from './event-queue'
import type { FleetInputs } from './fleet-inputs'
import { type FleetCategory, rowsOf } from './fleet-world'

export interface FleetOptions {
  readonly categories: readonly FleetCategory[]
  readonly inputs: FleetInputs
  readonly workers: number
  readonly startMs: number
  /** `steady`: every category is up to date at the start. `empty`: each needs its bootstraps. */
  readonly start: 'steady' | 'empty'
  readonly hours: number
}

export interface FleetResult {
  readonly workers: number
  /** Time since the watermark, over all categories and minutes of the day, in milliseconds. */
  readonly lagMs: readonly number[]
  /** Time from the publication of a file to its rows being visible, in milliseconds. */
  readonly delayMs: readonly number[]
  readonly files: number
  readonly rows: number
  readonly requests: number
  /** The share of the day for which each resource was in use. */
  readonly use: Readonly<Record<Resource, number>>
}

/** `one category`: the busiest one, whose files come in order, however many workers there are. */
export type Resource =
  | 'workers'
  | 'database'
  | 'one category'
  | 'requests a second'
  | 'requests a day'

const HOUR_MS = 3_600_000
const SAMPLE_MS = 10 * 60_000

export function simulateFleet(options: FleetOptions): FleetResult {
  return new Fleet(options).run()
}

interface Standing {
  readonly category: FleetCategory
  readonly done: FileId[]
  watermarkMs: number | undefined
  /** Time for which a worker had the category. */
  busyMs: number
}

class Fleet {
  readonly #options: FleetOptions
  readonly #events: EventQueue
  readonly #endMs: number
  readonly #standings: readonly Standing[]
  /** Categories that wait for a worker, in order. */
  readonly #waiting: Standing[] = []
  /** Categories that a worker has, with the time since when. */
  readonly #working = new Map<Standing, number>()
  #freeWorkers: number
  /** When each transaction of the database is free again. */
  readonly #lanes: number[]
  /** When the shared bucket of requests is free again. */
  #requestsFreeMs: number
  readonly #busyMs = { workers: 0, database: 0 }
  readonly #lagMs: number[] = []
  readonly #delayMs: number[] = []
  #rows = 0
  #requests = 0

  constructor(options: FleetOptions) {
    const { startMs, workers, inputs, hours } = options
    this.#options = options
    this.#events = new EventQueue(startMs)
    this.#endMs = startMs + hours * HOUR_MS
    this.#standings = options.categories.map(category => this.#begin(category))
    this.#freeWorkers = workers
    this.#lanes = Array.from({ length: inputs.databaseLanes.value }, () => startMs)
    this.#requestsFreeMs = startMs
  }

  run(): FleetResult {
    const { startMs, workers, inputs, hours } = this.#options
    for (const standing of this.#standings) this.#look(standing)
    for (let atMs = startMs; atMs <= this.#endMs; atMs += SAMPLE_MS)
      this.#events.at(atMs, () => this.#sample())
    this.#events.runUntil(this.#endMs)
    for (const standing of [...this.#working.keys()]) this.#release(standing)
    const busiest = Math.max(...this.#standings.map(({ busyMs }) => busyMs))
    const dayMs = this.#endMs - startMs
    return {
      workers,
      lagMs: this.#lagMs.sort((a, b) => a - b),
      delayMs: this.#delayMs.sort((a, b) => a - b),
      files: this.#delayMs.length,
      rows: this.#rows,
      requests: this.#requests,
      use: {
        workers: this.#busyMs.workers / (dayMs * workers),
        'one category': busiest / dayMs,
        database: this.#busyMs.database / (dayMs * inputs.databaseLanes.value),
        'requests a second': this.#requests / (inputs.requestsPerSecond.value * hours * 3600),
        'requests a day': this.#requests / (inputs.requestsPerDay.value * (hours / 24)),
      },
    }
  }

  #begin(category: FleetCategory): Standing {
    const { start, startMs } = this.#options
    const standing: Standing = { category, done: [], watermarkMs: undefined, busyMs: 0 }
    if (start === 'empty') return standing
    const { marketplace, categoryId } = category
    const generation = new Date(startMs - 24 * HOUR_MS).toISOString()
    for (const feed of ['item', 'item_group'] as const)
      standing.done.push({ marketplace, categoryId, feed, scope: 'ALL_ACTIVE', generation })
    for (let plan = this.#plan(standing); plan.ready.length > 0; plan = this.#plan(standing))
      standing.done.push(...plan.ready)
    standing.watermarkMs = this.#plan(standing).watermark?.getTime()
    return standing
  }

  #plan({ category: { marketplace, categoryId }, done }: Standing) {
    const now = new Date(this.#events.nowMs)
    return planCategory({ marketplace, categoryId, now, done })
  }

  /** Gives a category to a worker, or comes back when its next file is published. */
  #look(standing: Standing, plan = this.#plan(standing)): void {
    const { ready, waiting } = plan
    if (ready.length > 0) {
      this.#waiting.push(standing)
      this.#serve()
      return
    }
    const times = waiting.flatMap(({ from }) => from?.getTime() ?? [])
    if (times.length > 0) this.#events.at(Math.min(...times), () => this.#look(standing))
  }

  #serve(): void {
    if (this.#freeWorkers === 0) return
    const standing = this.#waiting.shift()
    if (standing === undefined) return
    this.#freeWorkers--
    this.#working.set(standing, this.#events.nowMs)
    this.#work(standing, this.#plan(standing))
  }

  /** Applies what is ready in a category, file after file, and then frees the worker. */
  #work(standing: Standing, plan: CategoryPlan): void {
    const [id] = plan.ready
    if (id === undefined) {
      this.#release(standing)
      this.#look(standing, plan)
      this.#serve()
      return
    }
    const publishedMs = Math.max(this.#publishedMs(id), this.#options.startMs)
    const rows = rowsOf(id, standing.category, this.#options.inputs)
    this.#events.at(this.#endOf(rows), () => {
      standing.done.push('scope' in id ? dated(id, publishedMs) : id)
      const next = this.#plan(standing)
      standing.watermarkMs = next.watermark?.getTime()
      this.#rows += rows
      this.#delayMs.push(this.#events.nowMs - publishedMs)
      this.#work(standing, next)
    })
  }

  #release(standing: Standing): void {
    const heldMs = this.#events.nowMs - (this.#working.get(standing) ?? this.#events.nowMs)
    this.#busyMs.workers += heldMs
    standing.busyMs += heldMs
    this.#working.delete(standing)
    this.#freeWorkers++
  }

  /** Takes the resources that a file needs, and returns when its rows are visible. */
  #endOf(rows: number): number {
    const { inputs } = this.#options
    const bytes = rows * inputs.gzipBytesPerRow.value
    const requests = Math.ceil(bytes / inputs.rangeBytes.value)
    this.#requests += requests
    this.#requestsFreeMs =
      Math.max(this.#requestsFreeMs, this.#events.nowMs) +
      (requests * 1000) / inputs.requestsPerSecond.value
    const fetchedMs = this.#requestsFreeMs + (bytes * 1000) / inputs.downloadBytesPerSecond.value
    const lane = this.#lanes.indexOf(Math.min(...this.#lanes))
    const beginMs = Math.max(fetchedMs, this.#lanes[lane]!)
    const slower = Math.min(inputs.databaseRowsPerSecond.value, inputs.parseRowsPerSecond.value)
    const endMs = beginMs + (rows * 1000) / slower
    this.#lanes[lane] = endMs
    this.#busyMs.database += Math.min(endMs, this.#endMs) - Math.min(beginMs, this.#endMs)
    return endMs
  }

  #publishedMs(id: FileId): number {
    if ('scope' in id && id.scope === 'ALL_ACTIVE') return this.#options.startMs
    return windowOf(id as Parameters<typeof windowOf>[0], calendarLimits()).fromMs
  }

  #sample(): void {
    for (const { watermarkMs } of this.#standings)
      this.#lagMs.push(this.#events.nowMs - (watermarkMs ?? this.#options.startMs - 24 * HOUR_MS))
  }
}

/** A bootstrap is known by its time. */
function dated(id: Extract<FileId, { scope: string }>, publishedMs: number): FileId {
  return id.scope === 'ALL_ACTIVE' ? { ...id, generation: new Date(publishedMs).toISOString() } : id
}
