// Two fleets of workers with different targets on one Redis, while workers are killed and the server
// of Redis is frozen and restarted. The time between two jobs of a category is an hour, so that
// nothing but the jobs themselves brings a category on. Afterwards each category has its files, in
// its own target alone, and comes again at its time. `npm run test:crash` kills forty times.

import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { queueStatus, scheduleCategories } from '../../../src/integrations/queue'
import { runCategory } from '../../../src/sync'
import { runsWith } from '../../tools'
import { buildsChildren, Fleet } from './child'
import { filesIn, fileTarget } from './file-target'
import { type OwnServer, ownRedis } from './own-servers'
import { QueueShop, until } from './queue-shop'

const ALL = process.env.FEEDMILL_CRASH === 'all'
const MARKETPLACE = 'MKT_US'
/** The categories of each target. */
const TARGETS = { one: ['220', '267', '281'], two: ['293', '550', '619'] } as const
type Target = keyof typeof TARGETS
const NAMES = Object.keys(TARGETS) as Target[]
const CATEGORIES = [...TARGETS.one, ...TARGETS.two]
const WORKERS = 2
const HOURS = ALL ? 40.3 : 4.3
const WORLD = { seed: 9, items: 60, churn: 20, hours: 96, categories: CATEGORIES }
const FILE_MS = ALL ? 120 : 60
const TIMEOUT_MS = 2_000

/** How often each comes. */
const WAYS = {
  'SIGKILL of a worker': ALL ? 40 : 4,
  'a freeze of Redis': ALL ? 2 : 0,
  'a freeze of Redis past its limit': ALL ? 2 : 1,
  'a restart of Redis': ALL ? 4 : 1,
} as const
type Way = keyof typeof WAYS

buildsChildren()

describe.runIf(runsWith('redis-server'))('two fleets', () => {
  let redis: OwnServer
  let shop: QueueShop
  const fleets: Fleet[] = []
  beforeAll(async () => {
    redis = await ownRedis()
    shop = await QueueShop.open(redis.url, WORLD, HOURS)
  })
  afterAll(async () => {
    for (const fleet of fleets) fleet.kill()
    redis?.thaw()
    await shop?.close()
    await redis?.close()
  })

  test(
    'fault 167: each job is done by a worker of its target, whatever is killed and frozen',
    async () => {
      const undisturbed = join(shop.folder, 'undisturbed')
      for (const categoryId of CATEGORIES) {
        const target = fileTarget(undisturbed)
        const options = { service: shop.service(), marketplace: MARKETPLACE, target }
        const { missing, failed } = await runCategory(categoryId, options)
        expect([missing, failed]).toEqual([[], []])
      }
      const expected = (categoryId: string) => filesIn(undisturbed, categoryId)
      const count = CATEGORIES.flatMap(expected).length

      const folderOf = (target: Target) => join(shop.folder, target)
      const queue = { ...shop.queue, timeoutMs: TIMEOUT_MS }
      for (const target of NAMES) {
        const categories = TARGETS[target]
        await scheduleCategories({ queue, marketplace: MARKETPLACE, categories, target })
      }
      for (const target of NAMES) {
        const order = { queue, folder: folderOf(target), target, fileMs: FILE_MS, stopsAt: 0 }
        fleets.push(new Fleet(shop, WORKERS, order))
      }
      const applied = () =>
        NAMES.flatMap(target => CATEGORIES.flatMap(each => filesIn(folderOf(target), each))).length
      const startedAt = performance.now()
      const ways = waysOf()
      let atWork = 0
      for (const [n, way] of ways.entries()) {
        await until(() => applied() >= Math.floor((0.9 * count * n) / ways.length))
        await pause(Math.random() * FILE_MS)
        if (applied() < count) atWork++
        await disturb(way)
      }
      await until(() => applied() >= count)
      const isDue = async () => {
        const { jobs, categories } = await queueStatus(shop.queue)
        const areThere = categories.every(({ nextAt }) => nextAt !== undefined)
        return jobs.active + jobs.waiting === 0 && areThere
      }
      await until(isDue)
      for (const fleet of fleets) await fleet.end()
      const seconds = ((performance.now() - startedAt) / 1_000).toFixed(0)
      if (ALL) console.log(`${atWork} of ${ways.length} met work: ${count} files in ${seconds} s`)
      expect(atWork).toBeGreaterThanOrEqual(0.7 * ways.length)

      for (const target of NAMES)
        for (const categoryId of CATEGORIES) {
          const isOwn = (TARGETS[target] as readonly string[]).includes(categoryId)
          const files = isOwn ? expected(categoryId) : []
          expect([categoryId, filesIn(folderOf(target), categoryId)]).toEqual([categoryId, files])
        }
      const { jobs, categories } = await queueStatus(shop.queue)
      expect(jobs).toMatchObject({ waiting: 0, active: 0, failed: 0 })
      expect(categories.map(({ categoryId }) => categoryId).sort()).toEqual(CATEGORIES)
      // Each category has a job that comes for the next file, in less than an hour.
      const nextMs = categories.map(({ nextAt }) => Number(nextAt) - Date.now())
      expect(Math.max(...nextMs)).toBeLessThan(3_000_000)
      // No worker has ended without a word, and a frozen Redis has ended each one.
      const ended = endedOf(fleets)
      expect(ended.filter(output => !/FeedError: the queue .* failed/.test(output))).toEqual([])
      expect(ended.length).toBeGreaterThanOrEqual(WAYS['a freeze of Redis past its limit'])
    },
    ALL ? 900_000 : 60_000,
  )

  async function disturb(way: Way): Promise<void> {
    switch (way) {
      case 'SIGKILL of a worker':
        return fleets[Math.floor(Math.random() * fleets.length)]!.one().kill()
      case 'a freeze of Redis':
        redis.freeze()
        await pause(TIMEOUT_MS / 2)
        return redis.thaw()
      case 'a freeze of Redis past its limit': {
        // A worker that starts while the server is frozen has its whole time limit before it.
        const before = endedOf(fleets).length
        redis.freeze()
        await until(() => endedOf(fleets).length > before)
        return redis.thaw()
      }
      case 'a restart of Redis':
        return redis.restart()
    }
  }
})

function endedOf(fleets: readonly Fleet[]): string[] {
  return fleets.flatMap(fleet => fleet.ended)
}

function waysOf(): Way[] {
  const ways = Object.entries(WAYS).flatMap(([way, times]) =>
    new Array<Way>(times).fill(way as Way),
  )
  return ways.sort(() => Math.random() - 0.5)
}

function pause(ms: number): Promise<void> {
  return new Promise(resolve => setTimeout(resolve, ms))
}
