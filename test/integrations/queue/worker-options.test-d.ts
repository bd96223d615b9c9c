// A worker has a service or feeds, and a call for a queue names categories or feeds, never both.

import { test } from 'vitest'
import { defineSchema, int32, text } from '../../../src/index'
import {
  scheduleCategories,
  startWorker,
  unscheduleCategories,
} from '../../../src/integrations/queue'
import type { FeedService } from '../../../src/service'
import { type FeedSource, runCategory, type SyncTarget } from '../../../src/sync'

const stock = defineSchema({ name: 'stock', columns: { sku: text(), count: int32() } })
const prices = defineSchema({ name: 'prices', columns: { id: text(), price: text() } })

test('the options of workers and schedules', () => {
  const queue = { url: 'redis://127.0.0.1:9' }
  const categories = ['220']
  const marketplace = 'MKT_US'
  return async (
    service: FeedService,
    target: SyncTarget,
    one: FeedSource<typeof stock.columns>,
    other: FeedSource<typeof prices.columns>,
  ) => {
    const sources = [one, other]
    await startWorker({ queue, target, service })
    await startWorker({ queue, target, sources, maxBadShare: 1 })
    await scheduleCategories({ queue, marketplace, categories })
    await scheduleCategories({ queue, sources: [...sources, { name: 'third' }], target: 'x' })
    await unscheduleCategories({ queue, sources })
    await runCategory('220', { service, marketplace, target })
    await runCategory(one, { target })
    // @ts-expect-error: a worker has one of the two
    await startWorker({ queue, target, service, sources })
    // @ts-expect-error: nor none of them
    await startWorker({ queue, target })
    // @ts-expect-error: a feed has no marketplace
    await scheduleCategories({ queue, marketplace, categories, sources })
    // @ts-expect-error: a feed has no marketplace
    await unscheduleCategories({ queue, marketplace, sources })
    // @ts-expect-error: a feed has no service
    await runCategory(one, { target, service })
  }
})
