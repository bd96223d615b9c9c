// A worker in a process of its own (child-worker.ts), which a test kills, stops and continues.

import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect } from 'vitest'
import { builtScripts } from '../../built-scripts'
import type { ChildOrder } from './child-worker'
import { type QueueShop, until } from './queue-shop'

/** How long a job belongs to a worker that gives no sign. */
export const LOCK_MS = 300

let built: string

/** Builds the script of the worker once for a test file. */
export function buildsChildren(): void {
  beforeAll(async () => {
    built = await builtScripts('queue', {
      'child-worker': 'test/integrations/queue/child-worker.ts',
    })
  }, 60_000)
  afterAll(() => rm(built, { recursive: true, force: true }))
}

/** A worker of a shop. By default it stops itself before the entry of its second file. */
export class Child {
  readonly process: ChildProcess
  readonly closed: Promise<unknown>
  output = ''

  constructor(shop: QueueShop, order: Partial<ChildOrder> = {}) {
    const { emulator, url, queue, folder, now } = shop
    const { clientId, clientSecret, scopeBase, tokenPath } = emulator
    const whole: ChildOrder = {
      profile: { baseUrl: url, tokenUrl: url + tokenPath, scopeBase },
      credentials: { clientId, clientSecret },
      queue,
      folder,
      nowMs: +now,
      lockMs: LOCK_MS,
      leaseMs: LOCK_MS,
      stopsAt: 2,
      ...order,
    }
    const words = [join(built, 'child-worker.js'), JSON.stringify(whole)]
    this.process = spawn(process.execPath, words, { stdio: ['ignore', 'pipe', 'pipe'] })
    for (const stream of [this.process.stdout, this.process.stderr])
      stream?.on('data', part => {
        this.output += part
      })
    this.closed = once(this.process, 'close')
  }

  get isOver(): boolean {
    return this.process.exitCode !== null || this.process.signalCode !== null
  }

  async says(text: string): Promise<void> {
    await until(() => {
      if (this.process.exitCode !== null) expect(this.output).toContain(text)
      return this.output.includes(text)
    })
  }

  async kill(): Promise<void> {
    this.process.kill('SIGKILL')
    await this.closed
  }
}

/** Keeps a number of workers: one that has ended is replaced, as whoever runs workers does. */
export class Fleet {
  /** What workers have said that have ended by themselves. */
  readonly ended: string[] = []
  readonly #shop: QueueShop
  readonly #order: Partial<ChildOrder>
  readonly #running = new Set<Child>()
  #isOver = false

  constructor(shop: QueueShop, count: number, order: Partial<ChildOrder>) {
    this.#shop = shop
    this.#order = order
    for (let n = 0; n < count; n++) this.#start()
  }

  one(): Child {
    const running = [...this.#running]
    return running[Math.floor(Math.random() * running.length)]!
  }

  kill(): void {
    this.#isOver = true
    for (const { process } of this.#running) process.kill('SIGKILL')
  }

  /** Waits for the end of all workers, which nothing may keep. */
  async end(): Promise<void> {
    this.#isOver = true
    const running = [...this.#running]
    for (const { process } of running) process.kill('SIGTERM')
    await Promise.all(running.map(({ closed }) => closed))
  }

  #start(): void {
    const worker = new Child(this.#shop, this.#order)
    this.#running.add(worker)
    worker.closed.then(() => {
      this.#running.delete(worker)
      if (this.#isOver) return
      if (worker.process.signalCode === null) this.ended.push(worker.output)
      this.#start()
    })
  }
}
