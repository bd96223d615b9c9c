// Files that leave the service while they wait for their turn. The clock passes the end of a day
// (07:00 UTC) at some request of a first run, and the oldest file of priorities is too old from
// then on.
// Long: it synchronises a small world some seventy times.

import { afterEach, expect, test } from 'vitest'
import type { CheckMode } from '../../../src/service/clients/request-checks'
import { fileIdKey } from '../../../src/sync/file-id'
import type { SyncEvent } from '../../../src/sync/run/sync-events'
import { SimulatedMachine } from '../simulated-machine'
import { HOUR_MS, SmallShop, seenIn } from '../small-run'

const START = new Date('2026-03-01T07:00:00Z')
const END_OF_DAY = new Date('2026-03-20T07:00:00Z')
/** The oldest day of priorities at one minute before that time: 14 days before the day then. */
const LEAVING = 'date=20260305'

const shops: SmallShop[] = []
afterEach(() => Promise.all(shops.splice(0).map(shop => shop.close())))

interface Trial {
  /** The clock passes the end of the day before this download, from 0. */
  readonly at: number
  readonly checks?: CheckMode
  /** The answer to a request for the file that leaves; by default that of the service. */
  readonly status?: number
  /** Part of the query of a file that is answered so too, although the service has it. */
  readonly alsoRefused?: string
}

async function firstRun({ at, checks = 'forms', status, alsoRefused }: Trial) {
  let downloads = 0
  const shop: SmallShop = new SmallShop(
    {
      world: { seed: 3, items: 20, churn: 20, start: START, hours: 500 },
      bootstrapAt: new Date(+END_OF_DAY - 4 * HOUR_MS),
    },
    +END_OF_DAY - 60_000,
    {
      service: { checks },
      between: (request, forward) => {
        const { search, pathname } = new URL(request.url)
        if (!pathname.startsWith('/buy/feed/v1_beta')) return forward(request)
        if (downloads++ >= at) shop.nowMs = Math.max(shop.nowMs, +END_OF_DAY + 1_000)
        const isPriority = pathname.includes('item_priority')
        const hasLeft = search.includes(LEAVING) && shop.nowMs > +END_OF_DAY
        const isRefused = hasLeft || (alsoRefused !== undefined && search.includes(alsoRefused))
        return status !== undefined && isPriority && isRefused
          ? new Response('<html>Not here</html>', { status })
          : forward(request)
      },
    },
  )
  shops.push(shop)
  const machine = new SimulatedMachine(0)
  const run = shop.sync(machine.start())
  const events: SyncEvent[] = []
  for await (const event of run) events.push(event)
  const summary = await run.summary
  return { shop, machine, events, summary, downloads }
}

test('fault 142: a file that leaves the service before its turn counts as one that was never listed', async () => {
  const { downloads, summary } = await firstRun({ at: 1_000 })
  expect([summary.failed, downloads > 14]).toEqual([[], true])
  const ends = new Set<string>()
  for (const trial of [{}, { checks: 'all' }, { status: 404 }, { status: 410 }] as const)
    for (let at = 0; at <= downloads; at++) {
      const { events, summary: of, shop, machine } = await firstRun({ at, ...trial })
      const told = events.filter(({ type }) => type === 'failed' || type === 'missing')
      const named = [
        at,
        trial,
        of.failed,
        told.map(event => 'file' in event && fileIdKey(event.file)),
      ]
      expect(named).toEqual([at, trial, [], []])
      const [category] = of.categories
      expect([category?.missing, category?.gone]).toEqual([[], []])
      const files = of.categories.map(({ done }) => done)
      ends.add(String(files))
      expect((await seenIn(machine.start(), shop.nowMs)).ledger.length).toBe(files[0])
      await shops.pop()?.close()
    }
  // Some runs had the file, and some came too late for it.
  expect(ends.size).toBeGreaterThan(1)
})

test('fault 142: a file within its lifetime that is not there stays a failure', async () => {
  for (const status of [404, 410]) {
    const { summary } = await firstRun({ at: 3, status, alsoRefused: 'date=20260306' })
    expect(summary.failed).toMatchObject([
      { file: { feed: 'item_priority', date: '20260306' }, error: { code: 'SYNC_FILE_FAILED' } },
    ])
  }
})

test('fault 142: a file that has left and fails in another way stays a failure', async () => {
  const { summary } = await firstRun({ at: 3, status: 403 })
  expect(summary.failed.map(({ file }) => file)).toMatchObject([{ date: '20260305' }])
})
