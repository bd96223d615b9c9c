// Synchronisations with a bootstrap that would remove most rows: an empty answer, a file that is
// cut short, the file of another category.
// Long: it makes and synchronises files of many thousand rows.

import { gzipSync } from 'node:zlib'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { fileIdKey } from '../../../src/sync/file-id'
import type { StateChange } from '../../../src/sync/folder/change-log'
import type { SyncOptions } from '../../../src/sync/sync-options'
import { SimulatedMachine } from '../simulated-machine'
import { DAY_MS, HOUR_MS, type Seen, SmallShop, seenIn } from '../small-run'

const START = Date.parse('2026-03-01T07:00:00Z')
const NOW = START + 2 * DAY_MS + 10 * HOUR_MS
/** The lost hour, after which the calendar asks for a new bootstrap. */
const GAP = START + DAY_MS + 20 * HOUR_MS
const LATER = GAP + 7 * DAY_MS + 2 * HOUR_MS
const GENERATED = new Date(LATER - 30 * HOUR_MS).toUTCString()
const NOT_FOUND = {
  category: 'REQUEST',
  domain: 'API_FEED',
  errorId: 13007,
  message: 'The feed file cannot be found.',
}

type Answer = (request: Request) => Response

const shops: SmallShop[] = []
afterEach(() => Promise.all(shops.splice(0).map(shop => shop.close())))

let answers: { item?: Answer; item_group?: Answer }
/** One service and one state for all tests, each of which goes on from a copy of the state. */
const shop: SmallShop = new SmallShop(
  {
    world: { seed: 3, items: 260, churn: 40, start: new Date(START), hours: 300 },
    bootstrapAt: 'daily',
  },
  NOW,
  {
    between: (request, forward) => {
      const { pathname, searchParams } = new URL(request.url)
      if (searchParams.get('snapshot_date') === new Date(GAP).toISOString())
        return Response.json(NOT_FOUND, { status: 400 })
      const feed = pathname.split('/').at(-1) as 'item' | 'item_group'
      const answer =
        shop.nowMs === LATER && searchParams.get('feed_scope') === 'ALL_ACTIVE'
          ? answers[feed]
          : undefined
      return answer?.(request) ?? forward(request)
    },
  },
)
afterAll(() => shop.close())

const runOn = (machine: SimulatedMachine, options: Partial<SyncOptions> = {}) =>
  shop.sync(machine.start(), {
    changes: 'none',
    keepFileBytes: 0,
    retry: { patienceMs: 1 },
    ...options,
  })

const inNeed = new SimulatedMachine(1)
beforeAll(async () => {
  answers = { item: () => Response.json(NOT_FOUND, { status: 400 }) }
  await runOn(inNeed).summary
  shop.nowMs = LATER
  await runOn(inNeed).summary
}, 60_000)

/**
 * A state of many items that needs a new bootstrap, and a service whose bootstraps the test
 * chooses.
 */
async function stateInNeed() {
  answers = { item: () => Response.json(NOT_FOUND, { status: 400 }) }
  const machine = inNeed.copy(1)
  const run = (options: Partial<SyncOptions> = {}) => runOn(machine, options)
  const seen = () => seenIn(machine.start(), LATER)
  const before = await seen()
  expect(before.items.length).toBeGreaterThan(100)
  return { answers, run, seen, before }
}

function served(
  file: Uint8Array,
  headers: Record<string, string> = { 'last-modified': GENERATED },
): Answer {
  return request => {
    const [, first, last] = /^bytes=(\d+)-(\d+)$/.exec(request.headers.get('range') ?? '') ?? []
    const end = Math.min(Number(last) + 1, file.length)
    const body = Uint8Array.from(file.subarray(Number(first), end))
    return new Response(body, {
      status: 206,
      headers: { 'content-range': `${first}-${end - 1}/${file.length}`, ...headers },
    })
  }
}

const fileOf = (itemIds: readonly string[], key = 'itemId') =>
  Uint8Array.from(gzipSync([`${key}\ttitle`, ...itemIds.map(id => `${id}\ttitle`), ''].join('\n')))

const idsOf = (items: readonly string[]): string[] => items.map(item => JSON.parse(item)[0].itemId)

/** Returns the ledger entry of the newest bootstrap of items. */
const deletedIn = ({ ledger }: Seen): number =>
  JSON.parse(ledger.findLast(entry => entry.includes('/item/ALL_ACTIVE')) ?? '')[1].rows.deleted

const closed = () => new ReadableStream({ start: controller => controller.close() })

describe('fault 89: an empty answer', () => {
  test.each<[string, Answer]>([
    ['of length 0', () => new Response(null, { headers: { 'content-length': '0' } })],
    [
      'of length 0 with a date',
      () =>
        new Response(null, {
          headers: { 'content-length': '0', 'last-modified': GENERATED, etag: '"e"' },
        }),
    ],
    ['that is chunked', () => new Response(closed())],
    [
      'that is chunked with a date',
      () => new Response(closed(), { headers: { 'last-modified': GENERATED } }),
    ],
  ])(
    'fault 89: a 200 without a byte, %s, removes nothing, and the next run with the right file goes on',
    async (_, answer) => {
      const { answers, run, seen, before } = await stateInNeed()
      answers.item = answer
      const { failed } = await run().summary
      expect(failed).toMatchObject([{ error: { code: 'SYNC_FILE_FAILED', retryable: true } }])
      expect(await seen()).toEqual(before)
      delete answers.item
      const { failed: none, categories } = await run().summary
      expect([none, categories[0]!.gone]).toEqual([[], []])
      expect((await seen()).ledger.length).toBeGreaterThan(before.ledger.length)
    },
  )

  test('fault 89: an empty answer for a snapshot does not count as an hour without changes', async () => {
    const world = { seed: 3, items: 30, churn: 40, start: new Date(START), hours: 120 }
    let isEmpty = true
    const hour = START + HOUR_MS
    const shop = new SmallShop({ world, bootstrapAt: new Date(START) }, START + 5 * HOUR_MS, {
      between: (request, forward) =>
        isEmpty &&
        new URL(request.url).searchParams.get('snapshot_date') === new Date(hour).toISOString()
          ? new Response(null, { headers: { 'content-length': '0', 'last-modified': GENERATED } })
          : forward(request),
    })
    shops.push(shop)
    const machine = new SimulatedMachine(2)
    const early = await shop.sync(machine.start(), { retry: { patienceMs: 1 } }).summary
    expect([early.categories[0]!.watermark?.getTime(), early.failed.length]).toEqual([hour, 1])
    isEmpty = false
    const late = await shop.sync(machine.start()).summary
    expect([late.categories[0]!.watermark?.getTime(), late.failed.length]).toEqual([
      START + 4 * HOUR_MS,
      0,
    ])
  })

  test.each<[string, Answer]>([
    [
      '204 with a date',
      () => new Response(null, { status: 204, headers: { 'last-modified': GENERATED } }),
    ],
    ['204 without a date', () => new Response(null, { status: 204 })],
    ['total of 0', () => new Response(null, { status: 416, headers: { 'content-range': '*/0' } })],
  ])(
    'fault 89: the proof that there is no content, a %s, empties the category',
    async (_, answer) => {
      const { answers, run, seen, before } = await stateInNeed()
      answers.item = answer
      expect((await run().summary).failed).toEqual([])
      expect(deletedIn(await seen())).toBe(before.items.length)
    },
  )
})

describe('fault 89: a good file that lacks existing items', () => {
  test.each<[string, (ids: readonly string[]) => readonly string[], number]>([
    ['a header line alone', () => [], 1],
    ['a third of the items', ids => ids.slice(0, ids.length / 3), 2 / 3],
    ['as many items of another category', ids => ids.map(id => `other-${id}`), 1],
    [
      'a third of the items, each many times',
      ids => Array.from({ length: 9 }, () => ids.slice(0, ids.length / 3)).flat(),
      2 / 3,
    ],
  ])(
    'fault 89: %s: nothing of it is applied, and the next run with the right file goes on',
    async (_, chosen, share) => {
      const { answers, run, seen, before } = await stateInNeed()
      const ids = idsOf(before.items)
      answers.item = served(fileOf(chosen(ids)))
      const events: string[] = []
      let told = 0
      const write = (changes: readonly StateChange[]) => {
        told += changes.filter(({ file }) => fileIdKey(file).includes('/item/ALL_ACTIVE')).length
      }
      const started = run({ changes: { write } })
      for await (const event of started) if (event.type === 'failed') events.push(event.error.code)
      // The refused file tells a sink nothing.
      expect(told).toBe(0)
      const { failed } = await started.summary
      expect(events).toEqual(['SYNC_REMOVAL_REFUSED'])
      const [{ error }] = failed as [(typeof failed)[0]]
      expect(error).toMatchObject({ code: 'SYNC_REMOVAL_REFUSED', retryable: true })
      expect(error.context).toMatchObject({
        category: 'MKT_US/220/',
        rowsBefore: ids.length,
        maxRemovedShare: 0.5,
      })
      const { rowsRemoved } = error.context as { rowsRemoved: number }
      expect(Math.abs(rowsRemoved - ids.length * share)).toBeLessThan(2)
      expect(error.message).toMatch(/would remove \d+ of \d+ items.*maxRemovedShare: 1/)
      expect(await seen()).toEqual(before)
      delete answers.item
      expect((await run().summary).failed).toEqual([])
      expect((await seen()).watermark).not.toBe(before.watermark)
    },
  )

  test('fault 89: the caller sets the bound', async () => {
    const { answers, run, seen, before } = await stateInNeed()
    const ids = idsOf(before.items)
    answers.item = served(fileOf(ids.slice(0, Math.round(ids.length * 0.6))))
    for (const maxRemovedShare of [0, 0.3]) {
      expect((await run({ maxRemovedShare }).summary).failed).toMatchObject([
        { error: { code: 'SYNC_REMOVAL_REFUSED' } },
      ])
      expect(await seen()).toEqual(before)
    }
    expect((await run().summary).failed).toEqual([])
    expect(await seen()).not.toEqual(before)
  })

  test('fault 89: a share of 1 allows every removal', async () => {
    const { answers, run, seen, before } = await stateInNeed()
    answers.item = served(fileOf([]))
    expect((await run({ maxRemovedShare: 1 }).summary).failed).toEqual([])
    expect(deletedIn(await seen())).toBe(before.items.length)
  })

  test('fault 89: nothing is refused in a state of fewer than 100 items', async () => {
    const world = { seed: 3, items: 30, churn: 40, start: new Date(START), hours: 300 }
    const shop: SmallShop = new SmallShop({ world, bootstrapAt: 'daily' }, NOW, {
      between: (request, forward) => {
        const { pathname, searchParams } = new URL(request.url)
        if (searchParams.get('snapshot_date') === new Date(GAP).toISOString())
          return Response.json(NOT_FOUND, { status: 400 })
        const isLate =
          shop.nowMs === LATER &&
          pathname.endsWith('/item') &&
          searchParams.get('feed_scope') === 'ALL_ACTIVE'
        return isLate ? served(fileOf([]))(request) : forward(request)
      },
    })
    shops.push(shop)
    const machine = new SimulatedMachine(3)
    await shop.sync(machine.start()).summary
    shop.nowMs = LATER
    expect((await shop.sync(machine.start()).summary).failed).toEqual([])
  })

  test('fault 89: a following run does not fetch the refused file again, and takes the next one', async () => {
    const { answers, run, seen, before } = await stateInNeed()
    let [file, fetched, looks, fetchedOfRefused] = [served(fileOf([])), 0, 0, 0]
    answers.item = request => {
      // The first request asks for the first bytes only.
      if (request.headers.get('range') !== 'bytes=0-63') fetched++
      return file(request)
    }
    for await (const event of run({ mode: 'follow', pollMs: 1 })) {
      const isBootstrap =
        'file' in event &&
        event.file.feed === 'item' &&
        'scope' in event.file &&
        event.file.scope === 'ALL_ACTIVE'
      if (isBootstrap && event.type === 'done') break
      if (!isBootstrap || event.type !== 'missing' || ++looks !== 5) continue
      fetchedOfRefused = fetched
      file = served(fileOf(idsOf(before.items)), {
        'last-modified': new Date(LATER - 29 * HOUR_MS).toUTCString(),
      })
    }
    expect(fetchedOfRefused).toBe(1)
    expect(deletedIn(await seen())).toBe(0)
  })
})

test('an option out of its range is refused at the call', async () => {
  const { run } = await stateInNeed()
  for (const maxRemovedShare of [-0.1, 1.1, Number.NaN, '0.5' as never]) {
    expect(() => run({ maxRemovedShare })).toThrow(
      expect.objectContaining({
        code: 'OPTION_INVALID',
        context: expect.objectContaining({ option: 'maxRemovedShare' }),
      }),
    )
  }
})
