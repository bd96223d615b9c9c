// Jobs that somebody has damaged in Redis: each fails and is named, and its category runs again.

import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { queueStatus, unscheduleCategories } from '../../../src/integrations/queue'
import { runsWithService } from '../../services'
import { QueueShop, TARGET, until } from './queue-shop'

const MARKETPLACE = 'MKT_US'
const SCHEDULER = `${MARKETPLACE}/220`

/** What somebody may do to the first job of a scheduler, by its key in Redis. */
const DAMAGES: readonly (readonly [string, (shop: QueueShop, key: string) => Promise<unknown>])[] =
  [
    ['data that is no JSON', ({ redis }, key) => redis.hset(key, 'data', '{not json')],
    ['empty data', ({ redis }, key) => redis.hset(key, 'data', '')],
    ['data that is null', ({ redis }, key) => redis.hset(key, 'data', 'null')],
    ['data that is a list', ({ redis }, key) => redis.hset(key, 'data', '["220"]')],
    ['data without a category', ({ redis }, key) => redis.hset(key, 'data', '{"marketplace":"M"}')],
    ['no data', ({ redis }, key) => redis.hdel(key, 'data')],
    ['options that are no JSON', ({ redis }, key) => redis.hset(key, 'opts', 'x')],
    ['options that are null', ({ redis }, key) => redis.hset(key, 'opts', 'null')],
    ['options without a time', ({ redis }, key) => redis.hset(key, 'opts', '{"attempts":3}')],
    ['no options', ({ redis }, key) => redis.hdel(key, 'opts')],
    ['progress that is no JSON', ({ redis }, key) => redis.hset(key, 'progress', '{')],
    ['a parent that is no JSON', ({ redis }, key) => redis.hset(key, 'parent', '{')],
    [
      'a text in its place',
      async ({ redis }, key) => [await redis.del(key), await redis.set(key, 'x')],
    ],
    [
      'a list in its place',
      async ({ redis }, key) => [await redis.del(key), await redis.rpush(key, 'x')],
    ],
  ]

describe.runIf(await runsWithService('redis'))('a damaged job', () => {
  let shop: QueueShop
  beforeEach(async () => {
    shop = await QueueShop.open()
  })
  afterEach(() => shop.close())
  const schedule = (options = {}) => shop.schedule({ target: TARGET, ...options })
  const keyOf = (part: string) => `feedmill:${shop.queue.name}:${part}`

  test.each(DAMAGES)(
    'fault 167: %s fails and is named, and the next job runs',
    async (_, damage) => {
      await schedule({ everyMs: 500 })
      const [id = ''] = await shop.redis.lrange(keyOf('wait'), 0, -1)
      await damage(shop, keyOf(id))
      const { told } = await shop.worker()
      const { message, error } = await told('failed')
      expect(message).toMatchObject({ marketplace: MARKETPLACE, categoryId: '220', job: id })
      expect(error).toMatchObject({ code: 'QUEUE_FAILED', retryable: false })
      expect(error?.message).toContain(`the job ${id} has damaged data`)
      const { failures } = await queueStatus(shop.queue)
      expect(failures).toMatchObject([
        { marketplace: MARKETPLACE, categoryId: '220', reason: expect.stringContaining(id) },
      ])
      await until(() => shop.files().length > 4)
      expect((await queueStatus(shop.queue)).jobs.failed).toBe(1)
    },
  )

  test('fault 167: a damaged scheduler fails each of its jobs until it is scheduled again', async () => {
    await schedule({ everyMs: 400 })
    await shop.redis.hset(keyOf(`repeat:${SCHEDULER}`), 'data', '{not json')
    const { told, reports } = await shop.worker()
    // The first job was made before.
    await until(() => shop.files().length > 4)
    expect((await told('failed', 3)).message).toMatchObject({
      marketplace: MARKETPLACE,
      categoryId: '220',
      code: 'QUEUE_FAILED',
    })
    await schedule({ everyMs: 400 })
    const before = reports.length
    const again = () => reports.slice(before).some(({ message }) => message.state === 'completed')
    await until(again)
    const failed = (await queueStatus(shop.queue)).jobs.failed
    await told('completed', 4)
    expect((await queueStatus(shop.queue)).jobs.failed).toBe(failed)
  })

  test('fault 167: a job beside a damaged one runs, by the same worker', async () => {
    await schedule({ categories: ['220', '267'] })
    for (const id of (await shop.redis.lrange(keyOf('wait'), 0, -1)).filter(id =>
      id.includes('/267:'),
    ))
      await shop.redis.hset(keyOf(id), 'opts', '{')
    const { told } = await shop.worker()
    await told('failed')
    await told('delayed')
    expect([shop.files('220').length > 4, shop.files('267').length]).toEqual([true, 0])
    const chosen = { queue: shop.queue, marketplace: MARKETPLACE, categories: ['220', '267'] }
    expect(await unscheduleCategories(chosen)).toEqual(['220', '267'])
  })

  test.each(['completed', 'failed'] as const)(
    'fault 167: a job in front of a damaged one is told as %s',
    async state => {
      await schedule({ everyMs: 3_000 })
      const [id] = await shop.redis.lrange(keyOf('wait'), 0, -1)
      await shop.redis.hset(keyOf('bad'), { name: 'category', data: '{}', opts: '{' })
      // Jobs are taken from the other end.
      await shop.redis.lpush(keyOf('wait'), 'bad')
      const beforeEntry = () => {
        if (state === 'failed') throw new RangeError('no')
      }
      const { reports } = await shop.worker({ files: { beforeEntry } })
      const ends = () =>
        reports.filter(({ message }) => message.job === id || message.job === 'bad')
      await until(() => ends().length === 4)
      expect(ends().map(({ message }) => [message.job, message.state])).toEqual([
        [id, 'started'],
        [id, state],
        ['bad', 'started'],
        ['bad', 'failed'],
      ])
    },
  )
})
