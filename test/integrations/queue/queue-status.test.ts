// What a queue tells of itself where somebody else has written into it.

import { Queue } from 'bullmq'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import {
  queueStatus,
  scheduleCategories,
  startWorker,
  unscheduleCategories,
} from '../../../src/integrations/queue'
import { runsWithService } from '../../services'
import { MemoryPlace, memoryTarget } from '../../sync/target/memory-target'
import { runsWith } from '../../tools'
import { ownRedis } from './own-servers'
import { QueueShop, until } from './queue-shop'

const MARKETPLACE = 'MKT_US'
const POISON: readonly unknown[] = [
  null,
  'text',
  [],
  {},
  { marketplace: 5, categoryId: {} },
  { marketplace: 'M'.repeat(1e6), categoryId: '220' },
  { marketplace: MARKETPLACE, categoryId: '220', target: { toString: 1 } },
]

describe.runIf(await runsWithService('redis'))('a queue with damaged jobs', () => {
  let shop: QueueShop
  let queue: Queue
  beforeEach(async () => {
    shop = await QueueShop.open()
    queue = new Queue(shop.queue.name, { connection: shop.redis, prefix: 'feedmill' })
  })
  afterEach(async () => {
    await queue.close()
    await shop.close()
  })
  const schedule = (categories: string[]) =>
    scheduleCategories({ queue: shop.queue, marketplace: MARKETPLACE, categories })

  test('fault 121: damaged jobs fail, the others run, and the status shows both', async () => {
    for (const data of POISON) await queue.add('category', data)
    await schedule(['220'])
    const { reports } = await shop.worker()
    const states = () => reports.map(({ message }) => message.state)
    await until(() => states().filter(state => state === 'failed').length === POISON.length)
    await until(() => states().includes('delayed'))
    const { failures, categories, jobs } = await queueStatus(shop.queue)
    expect(failures).toHaveLength(POISON.length)
    expect(failures.filter(({ reason }) => /is damaged: remove it/.test(reason))).toHaveLength(6)
    expect(categories).toMatchObject([{ marketplace: MARKETPLACE, categoryId: '220' }])
    expect(jobs.failed).toBe(POISON.length)
  })

  test('fault 121: what cannot be read blinds neither the status nor unscheduling', async () => {
    await schedule(['220', '267'])
    const key = `feedmill:${shop.queue.name}`
    await shop.redis.hset(`${key}:repeat:${MARKETPLACE}/267`, 'data', '{not json')
    await shop.redis.hset(`${key}:gone`, 'data', '{not json')
    await shop.redis.zadd(`${key}:failed`, 1, 'gone', 2, 'missing')
    await shop.redis.lpush(`${key}:wait`, 'gone')
    const { failures, categories } = await queueStatus(shop.queue)
    expect(failures.map(({ reason }) => reason)).toEqual([
      'the job missing is damaged: remove it',
      'the job gone is damaged: remove it',
    ])
    expect(categories.map(({ categoryId }) => categoryId).sort()).toEqual(['220', '267'])
    const chosen = { queue: shop.queue, marketplace: MARKETPLACE, categories: ['220'] }
    expect(await unscheduleCategories(chosen)).toEqual(['220'])
  })
})

test.each(['redis:x', 'redis:', 'rediss:/0', 'http://host', 'redis://host:0'])(
  'an address without a server is refused at the call (%s)',
  async url => {
    await expect(queueStatus({ url })).rejects.toMatchObject({
      code: 'OPTION_INVALID',
      context: { option: 'queue.url' },
    })
  },
)

test.runIf(runsWith('redis-server'))(
  'fault 121: a server that may evict keys is refused where jobs are kept, and can still be read',
  async () => {
    const server = await ownRedis('allkeys-lru')
    const shop = await QueueShop.open(server.url)
    const refused = {
      code: 'QUEUE_FAILED',
      retryable: false,
      message: expect.stringContaining('set maxmemory-policy to noeviction'),
    }
    const chosen = { queue: shop.queue, marketplace: MARKETPLACE, categories: ['220'] }
    await expect(scheduleCategories(chosen)).rejects.toMatchObject(refused)
    const service = shop.service()
    const target = memoryTarget(new MemoryPlace())
    await expect(startWorker({ queue: shop.queue, service, target })).rejects.toMatchObject(refused)
    expect(await queueStatus(shop.queue)).toMatchObject({ categories: [] })
    await service.close()
    await shop.close()
    await server.close()
  },
)
