// Workers in processes of their own, which are killed, stopped and continued, and a restart of
// Redis. The target counts the files: nothing may be lost and nothing applied twice.

import { rm } from 'node:fs/promises'
import { afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { queueStatus, scheduleCategories } from '../../../src/integrations/queue'
import { runsWithService } from '../../services'
import { runsWith } from '../../tools'
import { buildsChildren, Child, LOCK_MS } from './child'
import type { ChildOrder } from './child-worker'
import { ownRedis } from './own-servers'
import { CATEGORIES, QueueShop, until } from './queue-shop'

buildsChildren()

const schedule = (shop: QueueShop, categories: readonly string[] = ['220']) =>
  scheduleCategories({ queue: shop.queue, marketplace: 'MKT_US', categories, backoffMs: 20 })

/** What a run without any disturbance applies. */
async function undisturbed(): Promise<string[]> {
  const shop = await QueueShop.open()
  try {
    await schedule(shop)
    await (await shop.worker()).told('delayed')
    return shop.files()
  } finally {
    await shop.close()
  }
}

describe.runIf(await runsWithService('redis'))('a worker in a process', () => {
  let shop: QueueShop
  let expected: string[]
  const children: Child[] = []
  const child = (order: Partial<ChildOrder> = {}) => {
    const one = new Child(shop, order)
    children.push(one)
    return one
  }
  beforeAll(async () => {
    expected = await undisturbed()
    expect(expected.length).toBeGreaterThan(4)
  })
  beforeEach(async () => {
    shop = await QueueShop.open()
  })
  afterEach(async () => {
    for (const one of children.splice(0)) await one.kill()
    await shop.close()
  })

  test('that is killed is replaced when its lock runs out', async () => {
    await schedule(shop)
    const killed = child()
    await killed.says('stopping')
    expect(shop.files().length).toBe(1)
    await killed.kill()
    const { told } = await shop.worker({ lockMs: LOCK_MS })
    await told('delayed')
    expect(shop.files()).toEqual(expected)
  })

  test('that is stopped past its lock and continued changes nothing', async () => {
    await schedule(shop)
    const stopped = child()
    await stopped.says('stopping')
    const { reports } = await shop.worker({ lockMs: LOCK_MS })
    await until(() => reports.some(({ result }) => result !== undefined))
    expect(shop.files()).toEqual(expected)
    const before = await queueStatus(shop.queue)
    stopped.process.kill('SIGCONT')
    // The target refuses its file, and the queue refuses what it says about the job.
    await stopped.says('closed')
    stopped.process.kill('SIGTERM')
    await stopped.says('drained')
    await stopped.closed
    expect(shop.files()).toEqual(expected)
    expect(stopped.output).not.toMatch(/completed|delayed|retried|failed/)
    const after = await queueStatus(shop.queue)
    expect(after.jobs).toEqual(before.jobs)
    expect(after.categories).toEqual(before.categories)
  })

  test('drains at SIGTERM, and its job goes on elsewhere', async () => {
    await schedule(shop)
    const drained = child({ stopsAt: 3, waits: true })
    await drained.says('stopping')
    drained.process.kill('SIGTERM')
    await drained.says('drained')
    const [code] = (await drained.closed) as [number]
    expect([code, shop.files().length]).toEqual([0, 2])
    const { told } = await shop.worker({ lockMs: LOCK_MS })
    await told('delayed')
    expect(shop.files()).toEqual(expected)
  })

  test('many workers that die in turn lose and double nothing', async () => {
    await schedule(shop, CATEGORIES)
    for (const stopsAt of [1, 2, 3]) {
      const dying = child({ stopsAt })
      await dying.says('stopping')
      await dying.kill()
    }
    const { told } = await shop.worker({ concurrency: 2, lockMs: LOCK_MS })
    await told('delayed', 2)
    for (const categoryId of CATEGORIES) {
      const files = shop.files(categoryId)
      expect([files.length, new Set(files).size]).toEqual([expected.length, expected.length])
    }
  })
})

describe.runIf(runsWith('redis-server'))('a restart of Redis', () => {
  test('loses and doubles nothing', async () => {
    const server = await ownRedis()
    const shop = await QueueShop.open(server.url)
    try {
      await schedule(shop)
      let files = 0
      const beforeEntry = async () => {
        if (++files === 2) await server.restart()
      }
      const { told } = await shop.worker({ files: { beforeEntry } })
      await told('delayed')
      const applied = shop.files()
      expect(new Set(applied).size).toBe(applied.length)
      expect(applied.length).toBeGreaterThan(4)
      const { categories, jobs } = await queueStatus(shop.queue)
      expect([categories.length, jobs.delayed, jobs.failed]).toEqual([1, 2, 0])
    } finally {
      await shop.close()
      await server.close()
    }
  })

  test('a server that stays away ends the worker with its code', async () => {
    const server = await ownRedis()
    const shop = await QueueShop.open(server.url)
    const queue = { ...shop.queue, timeoutMs: 1_000 }
    const { worker } = await shop.worker({ queue, drainMs: 500 })
    await server.close()
    await expect(worker.ended).rejects.toMatchObject({
      code: 'QUEUE_FAILED',
      retryable: true,
      context: { operation: 'reconnect', reason: expect.stringMatching(/^ECONN/) },
    })
    shop.redis.disconnect()
    await shop.emulator.close()
    await rm(shop.folder, { recursive: true, force: true })
  })
})
