// Whole synchronisations: their events, their end, the folder that they leave, and the next run in
// it. It is one piece, because each test needs the same whole runs.
// Long: it synchronises many small worlds.

import { afterEach, describe, expect, test } from 'vitest'
import type { EmulatorOptions } from '../../../src/emulator'
import { FeedError } from '../../../src/engine/errors'
import { type FileId, fileIdKey } from '../../../src/sync/file-id'
import type { Environment } from '../../../src/sync/folder/environment'
import type { SyncEvent, SyncSummary } from '../../../src/sync/run/sync-events'
import type { SyncOptions } from '../../../src/sync/sync-options'
import type { EmulatedOptions } from '../../service/emulated'
import { SimulatedMachine } from '../simulated-machine'
import { DAY_MS, FOLDER, HOUR_MS, NO_EARLIER_DAYS, SmallShop, seenIn } from '../small-run'

const START = new Date('2026-03-01T07:00:00Z')
/** A time when the service has the bootstraps and the snapshots of three hours. */
const NOW_MS = +START + 4 * HOUR_MS

const shops: SmallShop[] = []
afterEach(() => Promise.all(shops.splice(0).map(shop => shop.close())))

function shopWith(
  emulator: Partial<EmulatorOptions> = {},
  options: Omit<EmulatedOptions, 'emulator'> = {},
  nowMs = NOW_MS,
): SmallShop {
  const world = {
    seed: 3,
    items: 30,
    churn: 40,
    start: START,
    hours: 300,
    categories: ['220', '15032'],
  }
  const shop = new SmallShop({ world, bootstrapAt: START, ...emulator }, nowMs, options)
  shop.limits = NO_EARLIER_DAYS
  shops.push(shop)
  return shop
}

const downloads = (shop: SmallShop) =>
  shop.sent.filter(request => request.startsWith('GET /buy/feed/v1_beta'))
const codeOf = (error: unknown) => (FeedError.is(error) ? error.code : String(error))
const failureOf = (run: { readonly summary: Promise<SyncSummary> }) =>
  run.summary.then(() => 'none', codeOf)

async function eventsOf(run: AsyncIterable<SyncEvent>): Promise<SyncEvent[]> {
  const events: SyncEvent[] = []
  for await (const event of run) events.push(event)
  return events
}

describe('a run', () => {
  test('reports every file on its way and the watermark, and gives a summary', async () => {
    const shop = shopWith()
    const run = shop.sync(new SimulatedMachine(0).start())
    const events = await eventsOf(run)
    const of = (type: SyncEvent['type']) => events.filter(event => event.type === type)
    const names = [
      'item/ALL_ACTIVE',
      'item_group/ALL_ACTIVE',
      ...['07', '08', '09'].map(hour => `item_snapshot/2026-03-01T${hour}`),
    ]
    for (const type of ['fetching', 'proven', 'applying', 'done'] as const) {
      const files = of(type).map(event => ('file' in event ? fileIdKey(event.file) : ''))
      expect(files.map((file, n) => file.startsWith(`MKT_US/220/${names[n]}`))).toEqual(
        names.map(() => true),
      )
    }
    expect(
      of('watermark').map(event => event.type === 'watermark' && event.watermark.getTime()),
    ).toEqual([0, 1, 2, 3].map(hours => +START + hours * HOUR_MS))
    const { files, rows, bytes, failed, categories, secondsLeft } = await run.summary
    expect({ files, failed, secondsLeft }).toEqual({ files: 5, failed: [], secondsLeft: 0 })
    expect(rows).toBeGreaterThan(40)
    expect(bytes).toBeGreaterThan(5_000)
    expect(categories).toMatchObject([
      { categoryId: '220', done: 5, ready: 0, missing: [], gone: [] },
    ])
    expect(of('progress').length).toBeGreaterThan(0)
  })

  test('keeps several categories separate and complete', async () => {
    const shop = shopWith()
    const machine = new SimulatedMachine(0)
    const summary = await shop.sync(machine.start(), {
      categories: ['220', '15032', '220'],
      parallelFiles: 4,
    }).summary
    expect(summary.categories.map(({ categoryId, done }) => [categoryId, done])).toEqual([
      ['220', 5],
      ['15032', 5],
    ])
    const alone = new SimulatedMachine(0)
    await shop.sync(alone.start(), { categories: ['15032'] }).summary
    expect(await seenIn(machine.start(), NOW_MS, '15032')).toEqual(
      await seenIn(alone.start(), NOW_MS, '15032'),
    )
  })

  test('requests and changes nothing when it is repeated', async () => {
    const shop = shopWith()
    const machine = new SimulatedMachine(0)
    await shop.sync(machine.start()).summary
    const [before, asked] = [await seenIn(machine.start(), NOW_MS), downloads(shop).length]
    expect((await shop.sync(machine.start()).summary).files).toBe(0)
    expect([await seenIn(machine.start(), NOW_MS), downloads(shop).length]).toEqual([before, asked])
  })

  test('needs no reader, and stops when its reader leaves', async () => {
    const shop = shopWith()
    const machine = new SimulatedMachine(0)
    const run = shop.sync(machine.start())
    for await (const event of run) if (event.type === 'applying') break
    expect(await failureOf(run)).toBe('ABORTED')
    expect((await shop.sync(machine.start()).summary).categories).toMatchObject([{ done: 5 }])
  })

  test('leaves out the files of a time after `until`', async () => {
    const shop = shopWith()
    const { categories } = await shop.sync(new SimulatedMachine(0).start(), {
      until: new Date(+START + 2 * HOUR_MS),
    }).summary
    expect(categories[0]!.watermark).toEqual(new Date(+START + 2 * HOUR_MS))
  })
})

describe('a run that its signal stops', () => {
  test('ends with ABORTED at any event, releases everything, and the next run reaches the same end', async () => {
    const shop = shopWith()
    const whole = new SimulatedMachine(0)
    const all = await eventsOf(shop.sync(whole.start()))
    const expected = await seenIn(whole.start(), NOW_MS)
    for (let at = 0; at < all.length; at += 2) {
      const machine = new SimulatedMachine(at)
      const stop = new AbortController()
      const run = shop.sync(machine.start(), { signal: stop.signal })
      let seen = 0
      const reading = (async () => {
        for await (const _ of run) if (seen++ === at) stop.abort('enough')
      })().catch(codeOf)
      const outcome = await failureOf(run)
      await reading
      if (outcome === 'ABORTED') await shop.sync(machine.start()).summary
      expect([at, await seenIn(machine.start(), NOW_MS)]).toEqual([at, expected])
    }
  })

  test('touches nothing before its start', async () => {
    const machine = new SimulatedMachine(0)
    expect(await failureOf(shopWith().sync(machine.start(), { signal: AbortSignal.abort() }))).toBe(
      'ABORTED',
    )
    expect(machine.calls).toBe(0)
  })

  test('ends at once while it waits for files', async () => {
    const shop = shopWith()
    const stop = new AbortController()
    const run = shop.sync(new SimulatedMachine(0).start(), {
      mode: 'follow',
      pollMs: 600_000,
      signal: stop.signal,
    })
    for await (const event of run) {
      if (event.type === 'watermark' && event.watermark.getTime() === +START + 3 * HOUR_MS) break
    }
    expect(await failureOf(run)).toBe('ABORTED')
  })
})

describe('a download that was interrupted', () => {
  const ranges = (requests: readonly Request[]) =>
    requests.map(request => request.headers.get('range') ?? '')

  /** A service whose answers to downloads of the bootstrap fail from the n-th on, until `heal`. */
  function breaking(after: number, emulator: Partial<EmulatorOptions> = {}) {
    const state = { isBroken: true, requests: [] as Request[] }
    const shop = shopWith(emulator, {
      between: (request, forward) => {
        if (!request.url.includes('/item?feed_scope=ALL_ACTIVE')) return forward(request)
        state.requests.push(request)
        if (state.isBroken && state.requests.length > after)
          return Promise.reject(new FeedError('HTTP_TRANSPORT', 'reset', { url: '' }))
        return forward(request)
      },
    })
    return { shop, state }
  }

  const once: Partial<SyncOptions> = {
    retry: { patienceMs: 0 },
    ranges: { retry: { patienceMs: 0 }, concurrency: 1 },
  }

  test('continues at the byte behind the spooled ones', async () => {
    const { shop, state } = breaking(2)
    const machine = new SimulatedMachine(0)
    const first = await shop.sync(machine.start(), once).summary
    expect(first.failed).toMatchObject([
      { file: { feed: 'item' }, error: { code: 'SYNC_FILE_FAILED' } },
    ])
    expect(ranges(state.requests).slice(0, 2)).toEqual(['bytes=0-1999', 'bytes=2000-3999'])
    state.isBroken = false
    state.requests = []
    expect((await shop.sync(machine.start(), once).summary).failed).toEqual([])
    expect(ranges(state.requests)[0]).toBe('bytes=4000-5999')
  })

  test('begins anew when the file was replaced meanwhile', async () => {
    const { shop, state } = breaking(2, {
      faults: { rules: [{ route: '/buy/*', fault: 'replaced;skip=2' }] },
    })
    const machine = new SimulatedMachine(0)
    await shop.sync(machine.start(), once).summary
    state.isBroken = false
    state.requests = []
    expect(
      (await shop.sync(machine.start(), { ...once, retry: { patienceMs: 2 } }).summary).failed,
    ).toEqual([])
    expect(ranges(state.requests).slice(0, 2)).toEqual(['bytes=4000-5999', 'bytes=0-1999'])
  })

  test('requests nothing of a file that is complete', async () => {
    const { shop, state } = breaking(1_000)
    const machine = new SimulatedMachine(0)
    const stop = new AbortController()
    const run = shop.sync(machine.start(), { signal: stop.signal })
    for await (const event of run) if (event.type === 'proven') break
    await failureOf(run)
    state.requests = []
    await shop.sync(machine.start()).summary
    expect(state.requests).toEqual([])
  })
})

describe('a file that is incomplete', () => {
  test.each(['bit-flip;after=500', 'truncated;bytes=5'])(
    'fault 39: %s shows no rows, and holds the watermark',
    async fault => {
      const rules = [{ route: '/buy/feed/v1_beta/item_snapshot', fault }]
      const shop = shopWith({ faults: { rules } })
      const machine = new SimulatedMachine(0)
      const { failed, categories } = await shop.sync(machine.start(), { retry: { patienceMs: 2 } })
        .summary
      expect(failed[0]!.error).toMatchObject({ code: 'SYNC_FILE_FAILED', context: { attempts: 3 } })
      expect(codeOf(failed[0]!.error.cause)).toMatch(/^GZIP_/)
      expect(categories[0]!.watermark).toEqual(START)
      const { ledger, items } = await seenIn(machine.start(), NOW_MS)
      expect(ledger.map(line => line.includes('item_snapshot'))).toEqual([false, false])
      const bootstrapOnly = new SimulatedMachine(0)
      await shopWith().sync(bootstrapOnly.start(), { until: START }).summary
      expect(items).toEqual((await seenIn(bootstrapOnly.start(), NOW_MS)).items)
    },
  )

  test('is fetched anew, and succeeds after the fault', async () => {
    const shop = shopWith({
      faults: { rules: [{ route: '/buy/*', fault: 'bit-flip;after=1000;times=2' }] },
    })
    const { failed, categories } = await shop.sync(new SimulatedMachine(0).start(), {
      retry: { patienceMs: 3 },
    }).summary
    expect([failed, categories[0]!.done]).toEqual([[], 5])
  })
})

describe('fault 116: a run that could not fetch a file', () => {
  const unauthorized = (times: number) => ({
    faults: { rules: [{ route: '/buy/feed/v1_beta/item_group', fault: `401;times=${times}` }] },
  })

  test('fault 116: fails with the error of the file, after the other files are in the state', async () => {
    const shop = shopWith(unauthorized(1_000))
    const machine = new SimulatedMachine(0)
    const run = shop.sync(machine.start(), { strict: true, retry: { patienceMs: 2 } })
    const done: string[] = []
    const reading = (async () => {
      for await (const event of run) if (event.type === 'done') done.push(event.file.feed)
    })()
    const failure = {
      code: 'SYNC_FILE_FAILED',
      message: /item_group.*status 401/,
      context: { file: 'MKT_US/220/item_group/ALL_ACTIVE' },
    }
    await expect(reading).rejects.toMatchObject({
      ...failure,
      message: expect.stringMatching(failure.message),
    })
    await expect(run.summary).rejects.toMatchObject({ code: 'SYNC_FILE_FAILED' })
    expect(done).toEqual(['item', 'item_snapshot', 'item_snapshot', 'item_snapshot'])
  })

  test('fault 116: succeeds with `strict: false`, and with `follow`, which asks again', async () => {
    const shop = shopWith(unauthorized(1_000))
    const once = shop.sync(new SimulatedMachine(0).start(), {
      strict: false,
      retry: { patienceMs: 2 },
    })
    expect((await once.summary).failed).toHaveLength(1)
    const follow = shop.sync(new SimulatedMachine(0).start(), {
      strict: true,
      mode: 'follow',
      until: new Date(NOW_MS - 2 * HOUR_MS),
      retry: { patienceMs: 2 },
    })
    expect((await follow.summary).failed).toHaveLength(1)
  })

  test('fault 116: waits within the patience for tokens that are refused two times or more in a row', async () => {
    const shop = shopWith(unauthorized(4))
    const { categories } = await shop.sync(new SimulatedMachine(0).start(), {
      strict: true,
      retry: { patienceMs: 5 },
    }).summary
    expect(categories).toMatchObject([{ done: 5, ready: 0, missing: [] }])
  })
})

describe('a file that does not exist yet', () => {
  test('holds the later files, which are fetched ahead, while the run waits for it', async () => {
    let isThere = false
    const hour = encodeURIComponent('2026-03-01T08:00:00.000Z')
    const between: EmulatedOptions['between'] = (request, forward) => {
      if (isThere || !request.url.includes(hour)) return forward(request)
      return Response.json(
        { errorId: 13007, domain: 'API_FEED', category: 'REQUEST', message: 'not yet' },
        { status: 400 },
      )
    }
    const shop = shopWith({}, { between })
    const machine = new SimulatedMachine(0)
    const options = { ranges: { retry: { patienceMs: 0 } } }
    const first = await shop.sync(machine.start(), options).summary
    expect(first.failed).toEqual([])
    expect(first.categories).toMatchObject([
      { done: 3, ready: 1, missing: [{ hour: '2026-03-01T08:00:00.000Z' }] },
    ])
    expect(first.categories[0]!.watermark).toEqual(new Date(+START + HOUR_MS))
    const asked = downloads(shop).filter(request => request.includes('T09%3A00')).length
    expect(asked).toBeGreaterThan(0)

    const run = shop.sync(machine.start(), { ...options, pollMs: 10, waitLimitMs: 5_000 })
    for await (const event of run) if (event.type === 'missing') isThere = true
    expect((await run.summary).categories).toMatchObject([{ done: 5, ready: 0, missing: [] }])
    expect(downloads(shop).filter(request => request.includes('T09%3A00')).length).toBe(asked)
  })

  test('makes `once` wait up to its limit', async () => {
    const shop = shopWith({ bootstrapAt: new Date(+START + DAY_MS) })
    const { categories } = await shop.sync(new SimulatedMachine(0).start(), {
      pollMs: 5,
      waitLimitMs: 12,
      ranges: { retry: { patienceMs: 0 } },
    }).summary
    expect(categories).toMatchObject([{ done: 0, watermark: undefined }])
    expect(categories[0]!.missing.map(({ feed }) => feed).sort()).toEqual(['item', 'item_group'])
  })
})

test('`follow` continues with the files that come, up to `until`', async () => {
  const shop = shopWith()
  const machine = new SimulatedMachine(0)
  const run = shop.sync(machine.start(), {
    mode: 'follow',
    pollMs: 2,
    until: new Date(+START + 6 * HOUR_MS),
  })
  for await (const event of run)
    if (event.type === 'watermark')
      shop.nowMs = Math.max(shop.nowMs, event.watermark.getTime() + 2 * HOUR_MS)
  expect((await run.summary).categories[0]!.watermark).toEqual(new Date(+START + 6 * HOUR_MS))
})

describe('the folder', () => {
  test('fault 83: is refused to a second run while the first one uses it', async () => {
    const shop = shopWith()
    const environment = new SimulatedMachine(0).start()
    const first = shop.sync(environment, { mode: 'follow', pollMs: 600_000 })
    for await (const event of first) {
      if (event.type !== 'proven') continue
      expect(await failureOf(shop.sync(environment))).toBe('STATE_LOCKED')
      break
    }
    expect(await failureOf(first)).toBe('ABORTED')
    expect(await failureOf(shop.sync(environment))).toBe('none')
  })

  test.each([
    ['another marketplace', { marketplace: 'MKT_DE' }, 'marketplace'],
    ['another form', {}, 'format'],
    ['something else', {}, 'content'],
  ])('of %s is refused', async (_, options, what) => {
    const shop = shopWith()
    const machine = new SimulatedMachine(0)
    await shop.sync(machine.start()).summary
    const environment = machine.start()
    const texts: Record<string, string> = {
      format: '{"feedmill":"state","format":1,"marketplace":"MKT_US","service":""}',
      content: '{}',
    }
    await replace(environment, `${FOLDER}/state.json`, texts[what])
    const error = await shop.sync(environment, options).summary.catch(failure => failure)
    expect(error).toMatchObject({ code: 'STATE_FOREIGN', context: { path: FOLDER, what } })
  })

  test('with other files and no marker is refused, and stays unchanged', async () => {
    const machine = new SimulatedMachine(0)
    const environment = machine.start()
    await replace(environment, `${FOLDER}/letters.txt`, 'dear')
    expect(await failureOf(shopWith().sync(environment))).toBe('STATE_FOREIGN')
    expect([...machine.filesUnder(FOLDER).keys()]).toEqual([`${FOLDER}/letters.txt`])
  })

  test('with an unreadable marker is refused', async () => {
    const environment = new SimulatedMachine(0).start()
    await replace(environment, `${FOLDER}/state.json`, '{"feedm')
    expect(await failureOf(shopWith().sync(environment))).toBe('STATE_CORRUPT')
  })

  async function replace(
    environment: Environment,
    path: string,
    text: string | undefined,
  ): Promise<void> {
    if (text === undefined) return
    const file = await environment.files.edit(path)
    await file.truncate(0)
    await file.write(0, Buffer.from(text))
  }

  test('keeps the newest files up to its size limit', async () => {
    const shop = shopWith()
    const kept = async (keepFileBytes: number) => {
      const machine = new SimulatedMachine(0)
      await shop.sync(machine.start(), { keepFileBytes }).summary
      return [...machine.filesUnder(`${FOLDER}/files`).entries()]
    }
    const all = await kept(2 ** 30)
    expect(all).toHaveLength(5)
    const snapshots = all.filter(([path]) => path.includes('item_snapshot'))
    const bytes = snapshots.reduce((sum, [, text]) => sum + text.length, 0)
    expect(await kept(bytes)).toEqual(snapshots)
    expect(await kept(0)).toEqual([])
  })
})

function scopeOf(file: FileId): string {
  return 'scope' in file ? file.scope : ''
}

type ChangeOptions = Pick<SyncOptions, 'changes' | 'changeRows' | 'keepChangeBytes'>

describe('changes', () => {
  const synced = (shop: SmallShop, machine: SimulatedMachine, options: ChangeOptions) =>
    shop.sync(machine.start(), options)

  test('go to a sink, each with its file and row, and rows without effect are left out', async () => {
    const shop = shopWith({}, {}, NOW_MS + 20 * HOUR_MS)
    const told: string[] = []
    const write: Extract<SyncOptions['changes'], object>['write'] = changes => {
      for (const { part, kind, id, file, row } of changes)
        told.push(
          `${scopeOf(file)} ${file.feed} ${part} ${kind} ${id} ${row === null ? '' : row.text('title')}`,
        )
    }
    const machine = new SimulatedMachine(0)
    await synced(shop, machine, { changes: { write } }).summary
    // The first bootstrap is where the category begins.
    expect(told.some(line => line.startsWith('ALL_ACTIVE'))).toBe(false)
    for (const kind of ['inserted', 'updated', 'deleted'])
      expect(told.some(line => line.startsWith(` item_snapshot item ${kind}`))).toBe(true)
    expect(
      [...machine.filesUnder(FOLDER).keys()].filter(path => path.includes('/changes/')),
    ).toEqual([])
  })

  test("have the row before with changeRows: 'both', which is the row of the change before", async () => {
    const shop = shopWith({}, {}, NOW_MS + 20 * HOUR_MS)
    const rows = new Map<string, string>()
    let updates = 0
    const write: Extract<SyncOptions['changes'], object>['write'] = changes => {
      for (const { part, kind, id, row, before } of changes) {
        const key = `${part} ${id}`
        const text = before ? JSON.stringify(before.toObject()) : undefined
        // The rows of the first bootstrap are told as `before` only.
        const known = rows.has(key) ? rows.get(key) : text
        expect([key, kind, before === undefined, text]).toEqual([key, kind, false, known])
        if (row === null) rows.delete(key)
        else rows.set(key, JSON.stringify(row.toObject()))
        if (kind !== 'inserted') updates++
      }
    }
    const machine = new SimulatedMachine(0)
    await synced(shop, machine, { changes: { write }, changeRows: 'both' }).summary
    expect(updates).toBeGreaterThan(10)
  })

  test('in the folder are kept up to keepChangeBytes, the newest first', async () => {
    const logsOf = async (keepChangeBytes?: number) => {
      const machine = new SimulatedMachine(0)
      const shop = shopWith({}, {}, NOW_MS + 20 * HOUR_MS)
      await synced(shop, machine, {
        changes: 'files',
        ...(keepChangeBytes !== undefined && { keepChangeBytes }),
      }).summary
      const logs = [...machine.filesUnder(`${FOLDER}/changes`)].filter(([, text]) => text !== '')
      return new Map(logs.sort())
    }
    const all = await logsOf()
    expect(all.size).toBeGreaterThan(10)
    const [...paths] = all.keys()
    expect([...(await logsOf(0))]).toEqual([[paths.at(-1), all.get(paths.at(-1)!)]])
    const two = Buffer.byteLength(all.get(paths.at(-1)!)! + all.get(paths.at(-2)!)!)
    expect([...(await logsOf(two)).keys()]).toEqual(paths.slice(-2))
  })

  test('whose sink fails stop the run before their rows are stored', async () => {
    const shop = shopWith()
    const machine = new SimulatedMachine(0)
    const write = () => Promise.reject(new RangeError('full'))
    expect(await failureOf(synced(shop, machine, { changes: { write } }))).toBe('STAGE_FAILED')
    const summary = await synced(shop, machine, {}).summary
    expect(summary.categories).toMatchObject([{ done: 5 }])
  })
})

test.each([
  ['categories', { categories: [] }],
  ['folder', { folder: '' }],
  ['mode', { mode: 'always' as never }],
  ['until', { until: new Date(Number.NaN) }],
  ['changes', { changes: 'all' as never }],
  ['changeRows', { changeRows: 'before' as never }],
  ['quarantine', { quarantine: { folder: 'bad' } }],
  ['parallelFiles', { parallelFiles: 0 }],
  ['pollMs', { pollMs: 2 ** 31 }],
  ['memoryBytes', { memoryBytes: 1_000 }],
])('a wrong option is refused at the call: %s', (option, options) => {
  const call = () => shopWith().sync(new SimulatedMachine(0).start(), options)
  expect(call).toThrow(
    expect.objectContaining({
      code: 'OPTION_INVALID',
      context: expect.objectContaining({ option }),
    }),
  )
})
