// The next start of all workers, where no booking can have made it.

import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { type RequestLimit, requestLimit } from '../../../src/integrations/queue'
import { runsWithService } from '../../services'
import { QueueShop } from './queue-shop'

const DISTANCE_MS = 10

describe.runIf(await runsWithService('redis'))('a limit of requests', () => {
  let shop: QueueShop
  let limit: RequestLimit
  let key: string
  beforeEach(async () => {
    shop = await QueueShop.open()
    limit = await requestLimit({ queue: shop.queue, perSecond: 1_000 / DISTANCE_MS })
    key = `feedmill:${shop.queue.name}:requests:next`
  })
  afterEach(async () => {
    await limit.close()
    await shop.close()
  })
  const turn = (limitMs: number) =>
    limit.sharedTurn({ signal: new AbortController().signal, limitMs })
  /** The start in Redis, in milliseconds from the clock of the server. */
  const startsIn = async () => {
    const [seconds = 0, micros = 0] = (await shop.redis.time()).map(Number)
    return (
      parseInt((await shop.redis.get(key)) ?? '0', 10) / 1_000 - seconds * 1_000 - micros / 1_000
    )
  }

  test.each(['9'.repeat(30), 'text', '-5', '', '1 1 1'])(
    'fault 167: a start of %j counts as none',
    async start => {
      await shop.redis.set(key, start)
      expect(await turn(1_000)).toBe(true)
      expect(await startsIn()).toBeLessThan(1_000)
    },
  )

  test('fault 167: a start is reset where no booking can have made it, and only there', async () => {
    const waits = fc.integer({ min: 1, max: 60_000 })
    await fc.assert(
      fc.asyncProperty(waits, waits, waits, async (allowedMs, aheadMs, limitMs) => {
        // A start that a booking made whose clock has been set back since.
        const startMs = Date.now() + aheadMs
        await shop.redis.set(key, `${startMs * 1_000} ${allowedMs * 1_000}`)
        const isKept = aheadMs <= allowedMs + DISTANCE_MS - 5
        const isReset = aheadMs > allowedMs + DISTANCE_MS + 500
        fc.pre(isKept || isReset)
        if (isKept && aheadMs > 30) {
          // One that comes later than its own limit is refused, and changes nothing.
          expect(await turn(1)).toBe(false)
          expect(await startsIn()).toBeGreaterThan(aheadMs - 5_000)
        }
        if (isReset) {
          expect(await turn(limitMs)).toBe(true)
          expect(await startsIn()).toBeLessThan(DISTANCE_MS + 1)
        }
      }),
      { numRuns: 60 },
    )
  })

  test('fault 167: a start without what its booking allowed is reset past the limit of the next', async () => {
    await shop.redis.set(key, String((Date.now() + 3_600_000) * 1_000))
    expect(await turn(1_000)).toBe(true)
    expect(await turn(1_000)).toBe(true)
    expect(await startsIn()).toBeLessThan(1_000)
  })

  test('callers with other limits keep the distances of each other', async () => {
    const patient = Array.from({ length: 20 }, () => turn(10_000))
    await patient[0]
    // The next free start is past this limit, and a booking has made it.
    expect(await turn(1)).toBe(false)
    expect(await Promise.all(patient)).toEqual(Array(20).fill(true))
  })
})
