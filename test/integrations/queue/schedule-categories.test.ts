// Schedulers in a queue, and its status, in a real Redis.

import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import {
  queueStatus,
  scheduleCategories,
  unscheduleCategories,
} from '../../../src/integrations/queue'
import { runsWithService } from '../../services'
import { CATEGORIES, QueueShop, TARGET } from './queue-shop'

const MARKETPLACE = 'MKT_US'

describe.runIf(await runsWithService('redis'))('schedulers', () => {
  let shop: QueueShop
  beforeEach(async () => {
    shop = await QueueShop.open()
  })
  afterEach(() => shop.close())
  const schedule = (options = {}) =>
    shop.schedule({ categories: CATEGORIES, target: TARGET, ...options })

  test('a repeated call changes nothing', async () => {
    await schedule()
    const first = await queueStatus(shop.queue)
    expect(first.jobs).toEqual({ waiting: 2, active: 0, delayed: 0, completed: 0, failed: 0 })
    expect(first.categories.map(({ categoryId }) => categoryId).sort()).toEqual(CATEGORIES)
    expect(first.categories[0]).toMatchObject({ marketplace: MARKETPLACE, target: TARGET })
    const keys = (await shop.redis.keys(`feedmill:${shop.queue.name}:*`)).sort()
    await schedule()
    expect(await queueStatus(shop.queue)).toEqual(first)
    expect((await shop.redis.keys(`feedmill:${shop.queue.name}:*`)).sort()).toEqual(keys)
  })

  test('the status of a queue that nobody has set up is empty, and leaves no key', async () => {
    expect(await queueStatus(shop.queue)).toMatchObject({ categories: [], workers: [] })
    expect(await shop.redis.keys(`feedmill:${shop.queue.name}:*`)).toEqual([])
  })

  test('a call with another time replaces the schedulers', async () => {
    await schedule()
    await schedule({ everyMs: 60_000, categories: ['220'] })
    const status = await queueStatus(shop.queue)
    expect([status.jobs.waiting + status.jobs.delayed, status.categories.length]).toEqual([2, 2])
  })

  test('fault 167: categories of another target are not taken over', async () => {
    await schedule({ categories: ['267'] })
    const before = await shop.contentOfRedis()
    for (const target of ['other', undefined]) {
      const error = await schedule({ target }).catch((thrown: Error) => thrown)
      expect(error).toMatchObject({ code: 'OPTION_INVALID', context: { option: 'target' } })
      expect(String(error)).toMatch(/files, for which MKT_US 267 is scheduled: unschedule it first/)
      // Neither of the two categories has changed.
      expect(await shop.contentOfRedis()).toBe(before)
    }
    const chosen = { queue: shop.queue, marketplace: MARKETPLACE, categories: ['267'] }
    await unscheduleCategories(chosen)
    await schedule({ target: 'other' })
    const { categories } = await queueStatus(shop.queue)
    expect(categories.map(({ target }) => target)).toEqual(['other', 'other'])
  })

  test('fault 167: a category of any target may get one, and a damaged one is scheduled again', async () => {
    await schedule({ target: undefined })
    await schedule()
    const key = `feedmill:${shop.queue.name}:repeat:${MARKETPLACE}/220`
    await shop.redis.hset(key, 'data', '{not json')
    await schedule({ target: TARGET })
    const { categories, jobs } = await queueStatus(shop.queue)
    expect(categories.map(({ target }) => target)).toEqual([TARGET, TARGET])
    expect(jobs.waiting).toBe(2)
  })

  test('fault 167: of two targets at the same time one has the category, and the other knows', async () => {
    const targets = ['one', 'two', 'three']
    for (let round = 0; round < 12; round++) {
      const chosen = { queue: shop.queue, marketplace: MARKETPLACE, categories: ['220'] }
      const calls = targets.map(target => schedule({ categories: ['220'], target }))
      const ends = await Promise.allSettled(calls)
      const winners = targets.filter((_, n) => ends[n]?.status === 'fulfilled')
      const { categories } = await queueStatus(shop.queue)
      expect(winners).toEqual(categories.map(({ target }) => target))
      expect(winners).toHaveLength(1)
      await unscheduleCategories(chosen)
    }
    const keys = await shop.redis.keys(`feedmill:${shop.queue.name}:*`)
    expect(keys.filter(key => key.endsWith(':scheduling'))).toEqual([])
  })

  test('unscheduled categories have neither schedulers nor jobs', async () => {
    await schedule()
    const options = { queue: shop.queue, marketplace: MARKETPLACE }
    expect(await unscheduleCategories({ ...options, categories: ['220', '999'] })).toEqual(['220'])
    const status = await queueStatus(shop.queue)
    expect(status.categories.map(({ categoryId }) => categoryId)).toEqual(['267'])
    expect(status.jobs.waiting).toBe(1)
    expect(await unscheduleCategories({ ...options, categories: ['267'] })).toEqual(['267'])
    expect((await queueStatus(shop.queue)).jobs.waiting).toBe(0)
  })

  test('fault 165: a target with a password is refused, and stands nowhere', async () => {
    const target = 'postgres://shop:pw-7f3a9c@db.example/shop'
    const error = await schedule({ target }).catch((thrown: Error) => thrown)
    expect(error).toMatchObject({ code: 'OPTION_INVALID', context: { option: 'target' } })
    expect(JSON.stringify(error)).not.toContain('pw-7f3a9c')
    expect(await shop.contentOfRedis()).not.toContain('pw-7f3a9c')
  })

  test('a password of the queue is in no key, and in no error', async () => {
    const password = 'pw-7f3a9c'
    const url = shop.queue.url.replace('redis://', `redis://default:${password}@`)
    const queue = { ...shop.queue, url, timeoutMs: 300 }
    const error = await scheduleCategories({
      queue,
      marketplace: MARKETPLACE,
      categories: CATEGORIES,
    }).catch((thrown: Error) => thrown)
    // A server without a password may accept any.
    if (error instanceof Error) {
      expect(error).toMatchObject({ code: 'QUEUE_FAILED', retryable: true })
      expect(JSON.stringify(error) + error.message).not.toContain(password)
    }
    expect(await shop.contentOfRedis()).not.toContain(password)
  })
})

test('a server that does not answer fails within the time limit', async () => {
  // Port 9 (discard) has no server on loopback.
  const queue = { url: 'redis://user:secret-word@127.0.0.1:9', timeoutMs: 200 }
  const error = await queueStatus(queue).catch((thrown: Error) => thrown)
  expect(error).toMatchObject({
    code: 'QUEUE_FAILED',
    retryable: true,
    context: {
      queue: 'redis://127.0.0.1:9 feedmill',
      operation: 'connect',
      reason: 'ECONNREFUSED',
    },
  })
  expect(String(error)).not.toContain('secret-word')
})

test.each([
  ['queue.url', { url: 'http://127.0.0.1' }],
  ['queue.url', { url: 'redis secret' }],
  ['queue.name', { url: 'redis://127.0.0.1', name: 'a:b' }],
  ['queue.timeoutMs', { url: 'redis://127.0.0.1', timeoutMs: 0 }],
])('a wrong %s is refused before any connection', async (option, queue) => {
  await expect(queueStatus(queue)).rejects.toMatchObject({
    code: 'OPTION_INVALID',
    context: { option },
  })
})

test.each([
  ['categories', { categories: [] }],
  ['categories', { categories: ['a/b'] }],
  ['marketplace', { marketplace: '' }],
  ['attempts', { attempts: 0 }],
  ['target', { target: '' }],
  ['everyMs', { everyMs: -1 }],
])('a wrong %s is refused before any connection', async (option, wrong) => {
  const queue = { url: 'redis://127.0.0.1:9' }
  const given = { queue, marketplace: MARKETPLACE, categories: ['220'], ...wrong }
  await expect(scheduleCategories(given)).rejects.toMatchObject({
    code: 'OPTION_INVALID',
    context: { option },
  })
})
