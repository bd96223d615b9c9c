// Workers in this process over a real Redis, an emulated service and a target of files.

import { existsSync, rmSync } from 'node:fs'
import { Queue } from 'bullmq'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { FeedError } from '../../../src/engine/errors'
import {
  queueStatus,
  requestLimit,
  startWorker,
  unscheduleCategories,
  type WorkerOptions,
} from '../../../src/integrations/queue'
import { sync } from '../../../src/sync'
import { Recorded } from '../../engine/diagnostics/recorded'
import { emulated } from '../../service/emulated'
import { runsWithService } from '../../services'
import { MemoryPlace, memoryTarget } from '../../sync/target/memory-target'
import { filesIn, fileTarget } from './file-target'
import { CATEGORIES, NOW, QueueShop, TARGET, until } from './queue-shop'

const MARKETPLACE = 'MKT_US'

describe.runIf(await runsWithService('redis'))('a worker', () => {
  let shop: QueueShop
  beforeEach(async () => {
    shop = await QueueShop.open()
  })
  afterEach(() => shop.close())
  const schedule = (options = {}) => shop.schedule({ backoffMs: 20, ...options })
  /** The files that one synchronisation in one process applies. */
  const expected = async (categoryId = '220') => {
    const place = new MemoryPlace()
    const categories = [categoryId]
    const files: string[] = []
    const run = sync({
      service: shop.service(),
      marketplace: MARKETPLACE,
      categories,
      target: memoryTarget(place),
    })
    await run.summary
    for (const { files: applied } of place.contents.values())
      files.push(...applied.map(({ id }) => JSON.stringify(id)))
    return files.length
  }

  test('runs each category as one process would, and delays its job to the next file', async () => {
    using told = new Recorded()
    await schedule({ categories: CATEGORIES, target: TARGET })
    const one = await shop.worker()
    const other = await shop.worker()
    const reports = () => [...one.reports, ...other.reports]
    const delayed = () => reports().filter(({ message }) => message.state === 'delayed')
    await until(() => delayed().length === 2)
    for (const categoryId of CATEGORIES) {
      const files = shop.files(categoryId)
      expect(files.length).toBe(await expected(categoryId))
      expect(new Set(files).size).toBe(files.length)
    }
    const { result, message } = delayed()[0]!
    const inMs = Number(message.nextAt) - Date.now()
    expect(Math.abs(inMs - (Number(result?.nextAt) - +NOW))).toBeLessThan(30_000)
    const status = await queueStatus(shop.queue)
    expect(status.workers.length).toBe(2)
    expect(status.jobs).toEqual({ waiting: 0, active: 0, delayed: 4, completed: 0, failed: 0 })
    const due = status.categories.map(({ nextAt }) => Number(nextAt))
    expect(due.every(at => at - Date.now() > 0 && at - Date.now() < 3_600_000)).toBe(true)
    expect(
      reports()
        .map(({ message: { state } }) => state)
        .sort(),
    ).toEqual(['delayed', 'delayed', 'started', 'started'])
    expect(told.of('feedmill:job').length).toBe(4)
    // A synchronisation is inside the run of its job.
    const runs = told.of('feedmill:run')
    const jobs = runs.filter(({ kind }) => kind === 'job').map(({ run }) => run)
    const inside = runs.filter(({ kind, parent }) => kind === 'sync' && parent !== undefined)
    expect(inside.map(({ parent }) => parent).sort()).toEqual(jobs.sort())
    expect(told.of('feedmill:job').map(({ run }) => jobs.includes(run ?? 0))).not.toContain(false)
  })

  test('completes a job where the next file comes after the next job', async () => {
    await schedule({ everyMs: 200 })
    const { told } = await shop.worker()
    const { result } = await told('completed', 2)
    expect(result).toMatchObject({ files: 0, failed: [], missing: [] })
    expect(shop.files().length).toBe(await expected())
  })

  test('Redis has no secret, no token and no content of a row', async () => {
    await schedule()
    const { told } = await shop.worker()
    await told('delayed')
    const content = await shop.contentOfRedis()
    expect(content).toContain('220')
    const { clientSecret, clientId } = shop.emulator
    for (const secret of [clientSecret, clientId, 'Bearer', shop.url]) {
      expect(content).not.toContain(secret)
    }
  })

  test('repeats a job that failed, and fails one that no repetition helps', async () => {
    await schedule({ attempts: 3 })
    let failures = 0
    const beforeEntry = () => {
      if (++failures <= 2)
        throw new FeedError('HTTP_TRANSPORT', 'the database is away', { url: '' })
    }
    const { told, worker } = await shop.worker({ files: { beforeEntry } })
    expect((await told('retried', 2)).message).toMatchObject({ attempt: 2, code: 'HTTP_TRANSPORT' })
    expect((await told('delayed')).message.attempt).toBe(3)
    await worker.close()
    expect((await queueStatus(shop.queue)).workers).toEqual([])

    await schedule({ categories: ['267'] })
    const refused = await shop.worker({
      files: {
        beforeEntry: () => {
          throw new RangeError('password=hunter2')
        },
      },
    })
    const { message, error } = await refused.told('failed')
    expect([message.attempt, message.code, error?.message]).toEqual([
      1,
      'STAGE_FAILED',
      'sync: password=hunter2',
    ])
    const { failures: failed, jobs } = await queueStatus(shop.queue)
    expect([failed.length, jobs.failed]).toEqual([1, 1])
    expect(failed[0]).toMatchObject({ categoryId: '267' })
    expect(failed[0]?.reason).toMatch(/^STAGE_FAILED: a failure outside/)
    // The text of a foreign error may have anything.
    expect(await shop.contentOfRedis()).not.toContain('hunter2')
  })

  test('fault 167: a job of another target goes to a worker of that target', async () => {
    const ofTarget = (name: string, folder: string) => ({ ...fileTarget(folder), name })
    const other = `${shop.folder}-other`
    await schedule({ categories: ['220'], target: 'one' })
    await schedule({ categories: ['267'], target: 'two' })
    const first = await shop.worker({ target: ofTarget('one', shop.folder) })
    const { message, error } = await first.told('delayed', 2)
    const told = [message, (await first.told('delayed')).message]
    expect(told.map(({ categoryId }) => categoryId).sort()).toEqual(['220', '267'])
    // The worker of the other target is the only one that is missing.
    await until(() => first.reports.filter(({ error: why }) => why !== undefined).length >= 2)
    const put = first.reports.find(({ error: why }) => why !== undefined)
    expect(put?.message).toMatchObject({ state: 'delayed', categoryId: '267' })
    expect(put?.error).toMatchObject({ code: 'OPTION_INVALID', context: { option: 'target' } })
    expect(error === undefined || error === put?.error).toBe(true)
    const second = await shop.worker({ target: ofTarget('two', other) })
    const done = () => second.reports.find(({ result }) => result !== undefined)
    await until(() => done() !== undefined)
    expect(done()?.message).toMatchObject({ state: 'delayed', categoryId: '267' })
    expect([shop.files('220').length, shop.files('267').length]).toEqual([await expected(), 0])
    expect(filesIn(other, '267').length).toBe(await expected('267'))
    const states = [...first.reports, ...second.reports].map(each => each.message.state)
    expect(states).not.toContain('failed')
    rmSync(other, { recursive: true })
  })

  test('fault 167: a job by hand for another target waits for a worker of that target', async () => {
    const queue = new Queue(shop.queue.name, { connection: shop.redis, prefix: 'feedmill' })
    await queue.add('category', { marketplace: MARKETPLACE, categoryId: '220', target: 'two' })
    const { reports, told, worker } = await shop.worker()
    expect((await told('delayed')).error).toMatchObject({ context: { option: 'target' } })
    await worker.close()
    expect(reports.some(({ message }) => message.state === 'completed')).toBe(false)
    await (await shop.worker({ target: { ...fileTarget(shop.folder), name: 'two' } })).told(
      'completed',
    )
    expect(shop.files().length).toBe(await expected())
    await queue.close()
  })

  test('comes again later where another run writes the category', async () => {
    let free = () => {}
    const held = new Promise<void>(resolve => {
      free = resolve
    })
    const target = fileTarget(shop.folder, {
      beforeEntry: () => held,
    })
    const run = sync({
      service: shop.service(),
      marketplace: MARKETPLACE,
      categories: ['220'],
      target,
    })
    await until(async () => existsSync(`${shop.folder}/220/lock`))
    await schedule()
    const { told, reports } = await shop.worker({ lockMs: 300 })
    expect((await told('delayed')).message.code).toBe('STATE_LOCKED')
    free()
    await run.summary
    const files = shop.files().length
    await until(() => reports.some(({ result }) => result !== undefined))
    expect(shop.files().length).toBe(files)
  })

  test('looks for the jobs of lost workers four times within a lock', async () => {
    await shop.worker({ lockMs: 10_000 })
    let untilNextMs = 0
    await until(async () => {
      untilNextMs = await shop.redis.pttl(`feedmill:${shop.queue.name}:stalled-check`)
      return untilNextMs > 0
    })
    expect(untilNextMs).toBeLessThanOrEqual(2_500)
  })

  test('drains: the file under way is not applied, and another worker continues at once', async () => {
    await schedule()
    let reached = () => {}
    const third = new Promise<void>(resolve => {
      reached = resolve
    })
    let files = 0
    const { worker, told } = await shop.worker({
      files: {
        beforeEntry: async ({ signal }) => {
          if (++files < 3) return
          reached()
          await new Promise(resolve => signal.addEventListener('abort', resolve))
        },
      },
    })
    await third
    await worker.close()
    await worker.ended
    await told('stopped')
    expect(shop.files().length).toBe(2)
    expect((await queueStatus(shop.queue)).jobs).toMatchObject({ waiting: 1, active: 0 })
    const next = await shop.worker()
    await next.told('delayed')
    expect(shop.files().length).toBe(await expected())
  })

  test('goes on after CLIENT KILL, and applies no file twice', async () => {
    using told = new Recorded()
    await schedule()
    let kills = 0
    const beforeEntry = async () => {
      kills++
      await shop.cutConnections()
    }
    const { told: report } = await shop.worker({ files: { beforeEntry } })
    await report('delayed')
    expect(kills).toBeGreaterThan(3)
    const files = shop.files()
    expect([files.length, new Set(files).size]).toEqual([await expected(), files.length])
    expect(told.of('feedmill:queue').map(({ state }) => state)).toContain('lost')
  })

  test('an unscheduled category ends with the job under way', async () => {
    await schedule()
    const beforeEntry = async () => {
      const options = { queue: shop.queue, marketplace: MARKETPLACE, categories: ['220'] }
      await unscheduleCategories(options)
    }
    const { told } = await shop.worker({ files: { beforeEntry } })
    await told('completed')
    expect((await queueStatus(shop.queue)).jobs).toMatchObject({ waiting: 0, delayed: 0 })
  })

  test('workers share a limit of requests a day, and their jobs wait for the next one', async () => {
    await schedule()
    const limit = await requestLimit({ queue: shop.queue, perDay: 3, perSecond: 1_000 })
    let requests = 0
    const counted: typeof limit.sharedTurn = async limits => {
      const isMine = await limit.sharedTurn(limits)
      requests++
      return isMine
    }
    const service = shop.service({ sharedTurn: counted })
    await shop.worker({ service })
    // The next day begins after the scheduler's next job, unless it is near.
    await until(async () => (await queueStatus(shop.queue)).jobs.active === 0 && requests === 3)
    expect(requests).toBe(3)
    const again = await requestLimit({ queue: shop.queue, perDay: 3 })
    const { signal } = new AbortController()
    await expect(again.sharedTurn({ signal, limitMs: 1_000 })).rejects.toMatchObject({
      code: 'QUEUE_DAILY_LIMIT',
      context: { perDay: 3, until: expect.stringMatching(/T00:00:00.000Z$/) },
    })
    await again.close()
    await limit.close()
  })

  test('requests of two connections start at even distances', async () => {
    const limits = await Promise.all(
      [0, 1].map(() => requestLimit({ queue: shop.queue, perSecond: 100 })),
    )
    const { signal } = new AbortController()
    const turns = limits.flatMap(limit =>
      Array.from({ length: 5 }, () => limit.sharedTurn({ signal, limitMs: 1_000 })),
    )
    expect(await Promise.all(turns)).toEqual(Array(10).fill(true))
    // The next start is known to Redis: ten distances of 10 ms after the first.
    const late = Array.from({ length: 30 }, () => limits[0]!.sharedTurn({ signal, limitMs: 50 }))
    expect(await Promise.all(late)).toContain(false)
    for (const limit of limits) await limit.close()
  })
})

test.each([
  ['concurrency', { concurrency: 0 }],
  ['lockMs', { lockMs: 1 }],
  ['memoryBytes', { memoryBytes: 1 }],
  ['target', { target: {} }],
  ['folder', { folder: 'x' }],
])('a wrong %s is refused before any connection', async (option, wrong) => {
  const { service } = emulated()
  const target = fileTarget('nowhere')
  const given = { queue: { url: 'redis://127.0.0.1:9' }, service, target, ...wrong }
  await expect(startWorker(given as WorkerOptions)).rejects.toMatchObject({
    code: 'OPTION_INVALID',
    context: { option },
  })
})
