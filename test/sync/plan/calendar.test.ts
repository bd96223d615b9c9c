import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  bootstrapSpan,
  type Calendar,
  daySpan,
  hourSpan,
  priorityDaySpan,
} from '../../../src/emulator/feeds/calendar'
import { type FileId, fileIdKey } from '../../../src/sync/file-id'
import { type CalendarQuery, planCategory } from '../../../src/sync/plan/calendar'
import {
  calendarLimits,
  DAY_MS,
  type DatedId,
  HOUR_MS,
  windowOf,
} from '../../../src/sync/plan/calendar-files'

const at = { marketplace: 'MKT_US', categoryId: '220' }
const bootstrap = (generation?: string, feed: 'item' | 'item_group' = 'item'): FileId => {
  return {
    feed,
    ...at,
    scope: 'ALL_ACTIVE',
    ...(generation === undefined ? {} : { generation: new Date(generation).toISOString() }),
  }
}
const snapshot = (hour: string): FileId => ({
  feed: 'item_snapshot',
  ...at,
  hour: new Date(hour).toISOString(),
})
const daily = (date: string, feed: 'item' | 'item_group' = 'item'): FileId => ({
  feed,
  ...at,
  scope: 'NEWLY_LISTED',
  date,
})
/** All hours from `from` to before `to`, or the given number of hours. */
const hours = (from: string, to: string | number): FileId[] => {
  const first = Date.parse(from)
  const length = typeof to === 'number' ? to : (Date.parse(to) - first) / HOUR_MS
  return Array.from({ length }, (_, n) => snapshot(new Date(first + n * HOUR_MS).toISOString()))
}
const G = '2026-03-01T07:00:00Z'
const bases = [bootstrap(G), bootstrap(G, 'item_group')]
const priority = (date: string): FileId => ({ feed: 'item_priority', ...at, date })
/** The priority files of the days before the bootstrap. */
const earlier = Array.from({ length: 28 }, (_, n) => priority(String(20260201 + n)))
const plan = (now: string, { done = bases, ...query }: Partial<CalendarQuery> = {}) =>
  planCategory({ ...at, now: new Date(now), ...query, done: [...earlier, ...done] })
const keys = (ids: Iterable<FileId>) =>
  Array.from(ids, id => fileIdKey(id).replace('MKT_US/220/', '').replace(':00:00.000Z', ''))

describe('at first the calendar', () => {
  test('needs both bootstraps, and knows nothing else', () => {
    const nothing = { held: [], waiting: [], gone: [], watermark: undefined }
    const needsBootstrap = [
      { feed: 'item', newerThan: undefined },
      { feed: 'item_group', newerThan: undefined },
    ]
    expect(plan(G, { done: [] })).toEqual({
      ...nothing,
      ready: [bootstrap(), bootstrap(undefined, 'item_group')],
      needsBootstrap,
    })
    expect(plan(G, { done: [bootstrap(G, 'item_group')] })).toMatchObject({
      ready: [bootstrap()],
      needsBootstrap: [{ feed: 'item' }],
    })
  })

  test('waits for a bootstrap that is still being made', () => {
    const { ready, waiting } = plan(G, { done: [], missing: [bootstrap()] })
    expect(keys(ready)).toEqual(['item_group/ALL_ACTIVE'])
    expect(waiting).toEqual([{ id: bootstrap(), from: undefined }])
  })

  test('counts a bootstrap only with its generation, and only one of the category', () => {
    expect(plan(G, { done: [bootstrap()] }).watermark).toBeUndefined()
    expect(
      plan(G, { done: [{ ...bootstrap(G), categoryId: '221' } as FileId] }).watermark,
    ).toBeUndefined()
    expect(
      plan(G, { done: [{ ...bootstrap(G), categoryId: '2' } as FileId] }).watermark,
    ).toBeUndefined()
  })
})

describe('the hours', () => {
  test('follow the bootstrap, from the hour in which it was made', () => {
    const { ready, waiting, watermark } = plan('2026-03-01T12:30:00Z', {
      done: [bootstrap('2026-03-01T07:20:00Z'), bases[1]!],
    })
    expect(watermark).toEqual(new Date('2026-03-01T07:20:00Z'))
    expect(keys(ready)).toEqual(
      ['07', '08', '09', '10'].map(hour => `item_snapshot/2026-03-01T${hour}`),
    )
    const begun = plan('2026-03-01T12:00:00.000Z').waiting.map(({ id }) => id)
    expect(begun).toContainEqual(snapshot('2026-03-01T12:00Z'))
    expect(plan('2026-03-01T11:59:59.999Z').waiting.map(({ id }) => id)).not.toContainEqual(
      snapshot('2026-03-01T12:00Z'),
    )
    expect(waiting.slice(0, 2)).toEqual([
      { id: snapshot('2026-03-01T11:00Z'), from: new Date('2026-03-01T13:00:00Z') },
      { id: snapshot('2026-03-01T12:00Z'), from: new Date('2026-03-01T14:00:00Z') },
    ])
  })

  test('move the watermark one by one', () => {
    const watermark = (done: FileId[]) =>
      plan('2026-03-01T12:30:00Z', { done: [...bases, ...done] }).watermark?.toISOString()
    expect(watermark([])).toBe('2026-03-01T07:00:00.000Z')
    expect(watermark(hours('2026-03-01T07:00Z', '2026-03-01T08:00Z'))).toBe(
      '2026-03-01T08:00:00.000Z',
    )
    expect(watermark(hours('2026-03-01T07:00Z', '2026-03-01T11:00Z'))).toBe(
      '2026-03-01T11:00:00.000Z',
    )
    expect(
      watermark([
        ...hours('2026-03-01T07:00Z', '2026-03-01T09:00Z'),
        snapshot('2026-03-01T10:00Z'),
      ]),
    ).toBe('2026-03-01T09:00:00.000Z')
  })

  test('begin anew with a newer bootstrap, and not with an older one', () => {
    const newer = bootstrap('2026-03-02T07:00:00Z')
    expect(keys(plan('2026-03-02T09:00:00Z', { done: [newer, ...bases] }).ready)).toEqual([
      'item_snapshot/2026-03-02T07',
    ])
    expect(keys(plan('2026-03-02T09:00:00Z', { done: [...bases, newer] }).ready)).toEqual([
      'item_snapshot/2026-03-02T07',
    ])
  })

  test('end at `until`, where it is given', () => {
    const until = new Date('2026-03-01T09:59:00Z')
    const { ready, waiting } = plan('2026-03-01T12:30:00Z', { until })
    expect(keys(ready)).toEqual(['item_snapshot/2026-03-01T07', 'item_snapshot/2026-03-01T08'])
    expect(waiting).toEqual([])
  })
})

describe('fault 75: a missing hour', () => {
  const done = [...bases, ...hours('2026-03-01T07:00Z', '2026-03-01T09:00Z')]
  const missing = [snapshot('2026-03-01T09:00Z')]

  test('fault 75: holds the watermark and everything after it', () => {
    const { ready, held, waiting, watermark, needsBootstrap } = plan('2026-03-01T13:00:00Z', {
      done,
      missing,
    })
    expect(watermark).toEqual(new Date('2026-03-01T09:00:00Z'))
    expect(ready).toEqual([])
    expect(keys(held)).toEqual(['item_snapshot/2026-03-01T10', 'item_snapshot/2026-03-01T11'])
    expect(waiting[0]).toEqual({ id: missing[0], from: undefined })
    expect(needsBootstrap).toEqual([])
  })

  test('fault 75: makes completed files after it not count', () => {
    const ahead = [...done, ...hours('2026-03-01T10:00Z', '2026-03-01T12:00Z')]
    expect(plan('2026-03-01T13:00:00Z', { done: ahead, missing }).watermark).toEqual(
      new Date('2026-03-01T09:00:00Z'),
    )
    const closed = plan('2026-03-01T13:00:00Z', { done: [...ahead, missing[0]!] })
    expect(closed.watermark).toEqual(new Date('2026-03-01T12:00:00Z'))
  })

  test('fault 75: is tried again for as long as the service keeps it', () => {
    for (const now of ['2026-03-01T13:00:00Z', '2026-03-08T09:00:00.000Z']) {
      const { ready, gone, needsBootstrap } = plan(now, { done })
      expect(ready.filter(({ feed }) => feed === 'item_snapshot')[0]).toEqual(missing[0])
      expect([gone, needsBootstrap]).toEqual([[], []])
    }
  })

  test('fault 75: leads to a new bootstrap after seven days, and nothing after the gap is applied', () => {
    const { ready, held, gone, watermark, needsBootstrap } = plan('2026-03-08T09:00:00.001Z', {
      done,
    })
    expect(watermark).toEqual(new Date('2026-03-01T09:00:00Z'))
    expect(gone).toEqual(missing)
    expect(needsBootstrap).toEqual([{ feed: 'item', newerThan: new Date('2026-03-01T09:00:00Z') }])
    expect(keys(ready)).toEqual(['item/ALL_ACTIVE'])
    expect(held.length).toBeGreaterThan(100)
  })

  test('fault 75: is closed by the new bootstrap', () => {
    const renewed = [...done, bootstrap('2026-03-06T07:00:00Z')]
    const { ready, gone, watermark, needsBootstrap } = plan('2026-03-08T09:00:00.001Z', {
      done: renewed,
    })
    expect(watermark).toEqual(new Date('2026-03-06T07:00:00Z'))
    expect([gone, needsBootstrap]).toEqual([[], []])
    expect(ready).toContainEqual(snapshot('2026-03-06T07:00Z'))
    expect(ready).not.toContainEqual(snapshot('2026-03-06T06:00Z'))
  })

  test('fault 75: waits for a newer bootstrap, and work that it would not help is not repeated', () => {
    const { ready, waiting } = plan('2026-03-08T09:00:00.001Z', { done, missing: [bootstrap()] })
    expect(ready).toEqual([])
    expect(waiting[0]).toEqual({ id: bootstrap(), from: undefined })
  })
})

describe('the days', () => {
  const soon = '2026-03-04T16:00:00Z'
  const reached = [...bases, ...hours('2026-03-01T07:00Z', '2026-03-04T14:00Z')]

  test('come after the hours that they cover: groups, items, then priority', () => {
    const { ready } = plan(soon)
    const order = keys(ready)
    const end = order.indexOf('item_snapshot/2026-03-02T06')
    expect(order.slice(end, end + 5)).toEqual([
      'item_snapshot/2026-03-02T06',
      'item_group/20260301',
      'item/20260301',
      'item_priority/20260301',
      'item_snapshot/2026-03-02T07',
    ])
    expect(order.at(-1)).toBe('item_snapshot/2026-03-04T14')
    expect(order).toContain('item/20260302')
    expect(order).not.toContain('item/20260303')
  })

  test('are waited for before 09:00 of UTC-7 two days later', () => {
    const waiting = (now: string) =>
      plan(now, { done: reached }).waiting.filter(({ id }) => id.feed !== 'item_snapshot')
    expect(
      waiting('2026-03-03T15:59:59.999Z').map(({ id, from }) => [
        keys([id])[0],
        from?.toISOString(),
      ]),
    ).toEqual([
      ['item_group/20260301', '2026-03-03T16:00:00.000Z'],
      ['item/20260301', '2026-03-03T16:00:00.000Z'],
      ['item_priority/20260301', '2026-03-03T16:00:00.000Z'],
      ['item_group/20260302', '2026-03-04T16:00:00.000Z'],
      ['item/20260302', '2026-03-04T16:00:00.000Z'],
      ['item_priority/20260302', '2026-03-04T16:00:00.000Z'],
      ['item_group/20260303', '2026-03-05T16:00:00.000Z'],
      ['item/20260303', '2026-03-05T16:00:00.000Z'],
      ['item_priority/20260303', '2026-03-05T16:00:00.000Z'],
    ])
    expect(keys(plan('2026-03-03T16:00:00Z', { done: reached }).ready)).toEqual([
      'item_group/20260301',
      'item/20260301',
      'item_priority/20260301',
    ])
  })

  test('have another limit for a slow category', () => {
    const limits = { dailyLatencyDays: 3 }
    expect(keys(plan('2026-03-04T15:59:59.999Z', { done: reached, limits }).ready)).toEqual([])
    expect(keys(plan('2026-03-04T16:00:00Z', { done: reached, limits }).ready)).toContain(
      'item/20260301',
    )
  })

  test.each([daily('20260301'), daily('20260301', 'item_group')])(
    'do not apply a priority file without the $feed file of its day',
    lacking => {
      const { ready, held } = plan(soon, { done: reached, missing: [lacking] })
      expect(keys(held)).toEqual(['item_priority/20260301'])
      expect(keys(ready)).toContain('item_priority/20260302')
    },
  )

  test('need no group file of their own when the group bootstrap covers them', () => {
    const done = [
      bases[0]!,
      bootstrap('2026-03-02T07:00:00Z', 'item_group'),
      ...hours('2026-03-01T07:00Z', '2026-03-04T14:00Z'),
    ]
    expect(keys(plan('2026-03-03T16:00:00Z', { done }).ready)).toEqual([
      'item/20260301',
      'item_priority/20260301',
    ])
  })

  test('fault 123: have the priority files of all days that the service has, those before the bootstrap too', () => {
    const ready = (now: string, done: FileId[]) =>
      keys(planCategory({ ...at, now: new Date(now), done }).ready)
    const first = ready('2026-03-04T16:00:00Z', bases)
    expect(first.slice(0, 12)).toEqual([
      ...['18', '19', '20', '21', '22', '23', '24', '25', '26', '27', '28'].map(
        day => `item_priority/202602${day}`,
      ),
      'item_snapshot/2026-03-01T07',
    ])
    expect(ready('2026-03-01T16:00:00Z', bases)).not.toContain('item_priority/20260228')
    expect(ready('2026-03-04T16:00:00Z', [bases[0]!])).not.toContain('item_priority/20260218')
    expect(ready('2026-03-04T16:00:00Z', [...bases, priority('20260218')])[0]).toBe(first[1])
  })

  test('fault 123: do not miss an earlier priority file that the service no longer has', () => {
    const { gone } = planCategory({ ...at, now: new Date('2026-03-14T07:00:00Z'), done: bases })
    expect(gone.filter(({ feed }) => feed === 'item_priority')).toEqual([])
  })

  test('wait behind a missing hour', () => {
    const done = reached.filter(
      id => id.feed !== 'item_snapshot' || id.hour !== '2026-03-02T06:00:00.000Z',
    )
    const { ready, held } = plan(soon, { done, missing: [snapshot('2026-03-02T06:00Z')] })
    expect(ready).toEqual([])
    expect(keys(held)).toEqual(
      expect.arrayContaining(['item_group/20260301', 'item/20260301', 'item_priority/20260301']),
    )
  })

  test('need a new bootstrap of groups after a lost day of groups, and none after a lost day of items or priority', () => {
    const now = '2026-03-17T16:00:00Z'
    const done = [...bases, ...hours('2026-03-01T07:00Z', '2026-03-17T14:00Z')]
    const { gone, needsBootstrap, watermark } = plan(now, { done })
    expect(keys(gone)).toEqual(
      expect.arrayContaining(['item_group/20260301', 'item/20260301', 'item_priority/20260301']),
    )
    expect(needsBootstrap).toEqual([
      { feed: 'item_group', newerThan: new Date('2026-03-01T07:00:00Z') },
    ])
    expect(watermark).toEqual(new Date('2026-03-17T14:00:00Z'))
  })

  test('do not request twice a bootstrap of groups that does not reach past the lost day', () => {
    const lost = '2026-03-02T12:00:00Z'
    const done = [
      bases[0]!,
      bootstrap(lost, 'item_group'),
      ...hours('2026-03-01T07:00Z', '2026-03-19T14:00Z'),
    ]
    expect(plan('2026-03-19T16:00:00Z', { done }).needsBootstrap).toEqual([
      { feed: 'item_group', newerThan: new Date(lost) },
    ])
  })
})

test('limits that are no whole numbers are refused', () => {
  expect(() => plan(G, { limits: { snapshotDaysKept: 0 } })).toThrow(
    expect.objectContaining({ code: 'OPTION_INVALID' }),
  )
})

describe('a run over weeks, with random polls and outages, beside the calendar of the emulated service', () => {
  interface Outage {
    readonly key: string
    readonly untilMs: number
  }

  /**
   * Returns the end of the time that the file of the service covers, or undefined for a refusal.
   */
  function served(id: FileId, calendar: Calendar): Date | undefined {
    if (id.feed === 'item_snapshot') return endOf(hourSpan(calendar, id.hour))
    if (id.feed === 'own') return undefined
    if (id.feed === 'item_priority') return endOf(priorityDaySpan(calendar, id.date))
    return endOf(id.scope === 'ALL_ACTIVE' ? bootstrapSpan(calendar) : daySpan(calendar, id.date))
  }
  const endOf = (span: ReturnType<typeof bootstrapSpan | typeof daySpan | typeof hourSpan>) =>
    typeof span === 'number' ? undefined : span.to

  /** Requests files as planned, until none is ready. */
  function visit(calendar: Calendar, done: FileId[], outages: readonly Outage[]) {
    const { now, latencyDays } = calendar
    const missing: FileId[] = []
    const isOut = (id: FileId) =>
      outages.some(({ key, untilMs }) => key === fileIdKey(id) && now.getTime() < untilMs)
    for (let plans = 0; ; plans++) {
      expect(plans).toBeLessThan(200)
      const planned = planCategory({
        ...at,
        now,
        done,
        missing,
        limits: { dailyLatencyDays: latencyDays },
      })
      const { ready, held, gone, waiting, needsBootstrap } = planned
      const refused = (id: FileId) => served(id, calendar) === undefined
      const notYet = waiting.filter(({ from }) => from !== undefined).map(({ id }) => id)
      // One assertion for thousands of files.
      const wrong = [
        ...[...ready, ...held].filter(refused),
        ...[...gone, ...notYet].filter(id => !refused(id)),
      ]
      expect(wrong.map(fileIdKey)).toEqual([])
      if (ready.length === 0) return planned
      for (const id of ready) {
        const to = isOut(id) ? undefined : served(id, calendar)!
        const isBootstrap = 'scope' in id && id.scope === 'ALL_ACTIVE'
        const { newerThan } = needsBootstrap.find(({ feed }) => feed === id.feed) ?? {}
        const isHad =
          to !== undefined && !(isBootstrap && newerThan !== undefined && to <= newerThan)
        if (!isHad) missing.push(id)
        else done.push(isBootstrap ? { ...id, generation: to.toISOString() } : id)
        if (isBootstrap || !isHad) break
      }
    }
  }

  /** Checks that the applied files are those that the watermark needs. */
  function checkState(done: readonly FileId[], watermark: Date): void {
    const generations = done.flatMap(id =>
      id.feed === 'item' && id.scope === 'ALL_ACTIVE' ? [Date.parse(id.generation!)] : [],
    )
    const base = Math.max(...generations)
    const keysDone = new Set(done.map(fileIdKey))
    const hoursBefore =
      watermark.getTime() > base ? Math.ceil((watermark.getTime() - base) / HOUR_MS) : 0
    const needed = hours(
      new Date(Math.floor(base / HOUR_MS) * HOUR_MS).toISOString(),
      hoursBefore,
    ).map(fileIdKey)
    expect(needed.filter(key => !keysDone.has(key))).toEqual([])
    const dated = done.filter(id => !('scope' in id && id.scope === 'ALL_ACTIVE')) as DatedId[]
    expect(
      dated.filter(id => windowOf(id, calendarLimits()).coversToMs > watermark.getTime()),
    ).toEqual([])
    const before = new Set<string>()
    const baseMs = { item: 0, item_group: 0 }
    for (const id of done) {
      if ('generation' in id)
        baseMs[id.feed] = Math.max(baseMs[id.feed], Date.parse(id.generation!))
      if (id.feed === 'item_priority') {
        const endMs = windowOf(id, calendarLimits()).coversToMs
        const isThere = (feed: 'item' | 'item_group') =>
          before.has(fileIdKey(daily(id.date, feed))) || baseMs[feed] >= endMs
        expect([isThere('item'), isThere('item_group')], id.date).toEqual([true, true])
      }
      before.add(fileIdKey(id))
    }
  }

  const start = Date.parse('2026-02-25T00:00:00Z')
  const outageOf = fc.record({
    kind: fc.constantFrom('hour', 'hour', 'hour', 'group', 'item', 'bootstrap'),
    day: fc.integer({ min: 0, max: 20 }),
    hour: fc.integer({ min: 0, max: 23 }),
    lengthHours: fc.oneof(fc.integer({ min: 1, max: 30 }), fc.integer({ min: 160, max: 500 })),
  })
  const keyOf = (kind: string, ms: number) => {
    const date = new Date(ms).toISOString().slice(0, 10).replaceAll('-', '')
    if (kind === 'hour') return fileIdKey(snapshot(new Date(ms).toISOString()))
    if (kind === 'bootstrap') return fileIdKey(bootstrap())
    return fileIdKey(daily(date, kind === 'group' ? 'item_group' : 'item'))
  }

  test('always has the state of the watermark, which never goes back, and requests no missing file', () => {
    let renewed = 0
    let caughtUp = 0
    fc.assert(
      fc.property(
        fc.array(
          fc.oneof(
            { weight: 4, arbitrary: fc.integer({ min: 1, max: 30 }) },
            fc.integer({ min: 31, max: 300 }),
          ),
          {
            minLength: 4,
            maxLength: 14,
          },
        ),
        fc.array(outageOf, { maxLength: 5 }),
        fc.constantFrom(2 as const, 3 as const),
        fc.integer({ min: 0, max: HOUR_MS - 1 }),
        (pauses, drawn, latencyDays, offMs) => {
          const outages = drawn.map(({ kind, day, hour, lengthHours }) => {
            const ms = start + day * DAY_MS + hour * HOUR_MS
            return { key: keyOf(kind, ms), untilMs: ms + lengthHours * HOUR_MS }
          })
          const done: FileId[] = []
          let nowMs = start + offMs
          let before = 0
          for (const pause of pauses) {
            nowMs += pause * HOUR_MS
            const { watermark, needsBootstrap, held } = visit(
              { now: new Date(nowMs), bootstrap: 'daily', latencyDays },
              done,
              outages,
            )
            if (watermark === undefined) continue
            expect(watermark.getTime()).toBeGreaterThanOrEqual(before)
            before = watermark.getTime()
            checkState(done, watermark)
            if (held.length === 0 && needsBootstrap.length === 0 && nowMs - before < 3 * HOUR_MS)
              caughtUp++
          }
          renewed += Math.max(
            0,
            done.filter(id => id.feed === 'item' && id.scope === 'ALL_ACTIVE').length - 1,
          )
        },
      ),
      // The example alone catches up four times, twice by a new bootstrap.
      { numRuns: 40, examples: [[[80, 200, 200, 10], [], 2, 0]] },
    )
    expect(caughtUp).toBeGreaterThanOrEqual(4)
    expect(renewed).toBeGreaterThanOrEqual(2)
  })
})

describe('fault 157: the watermark is that of the applied files', () => {
  const startMs = Date.parse('2026-03-01T07:00:00Z')
  const clock = fc.oneof(
    fc.integer({ min: -200, max: 400 }).map(hour => startMs + hour * HOUR_MS + 1),
    fc.integer({ min: Date.parse('0001-01-01T00:00:00Z'), max: startMs + 2 * 365 * DAY_MS }),
    fc.constantFrom(0, -1),
  )
  const applied = fc.record({
    count: fc.nat(200),
    // The bootstrap was made within an hour, or at its edge.
    offMs: fc.oneof(fc.constantFrom(0, 1, HOUR_MS - 1), fc.integer({ min: 0, max: HOUR_MS - 1 })),
    days: fc.nat(5),
  })

  test('whatever the clock and the end of the run say, and no file is planned again', () => {
    let moved = 0
    fc.assert(
      fc.property(
        applied,
        fc.array(fc.record({ nowMs: clock, untilMs: fc.option(clock, { nil: undefined }) }), {
          minLength: 1,
          maxLength: 5,
        }),
        ({ count, offMs, days }, clocks) => {
          const generation = new Date(startMs + offMs).toISOString()
          const done = [
            bootstrap(generation),
            bootstrap(generation, 'item_group'),
            ...hours(new Date(startMs).toISOString(), count),
            ...Array.from({ length: days }, (_, n) => daily(String(20260301 + n))),
          ]
          const end = count === 0 ? startMs + offMs : startMs + count * HOUR_MS
          const doneKeys = new Set(done.map(fileIdKey))
          for (const { nowMs, untilMs } of clocks) {
            const query = { ...at, now: new Date(nowMs), done }
            const until = untilMs === undefined ? undefined : new Date(untilMs)
            const { watermark, ready, held, waiting } = planCategory({ ...query, until })
            expect(watermark?.getTime()).toBe(end)
            const planned = [...ready, ...held, ...waiting.map(({ id }) => id)]
            expect(planned.filter(id => doneKeys.has(fileIdKey(id)))).toEqual([])
            if (nowMs < end) moved++
          }
        },
      ),
      { numRuns: 300 },
    )
    expect(moved).toBeGreaterThan(100)
  })

  test.each(['2126-03-01T07:00:00Z', '9999-12-31T23:00:00Z', '+275760-09-13T00:00:00Z'])(
    'a clock of %s is refused at once',
    now => {
      expect(() => plan(now)).toThrow(
        expect.objectContaining({
          code: 'OPTION_INVALID',
          context: expect.objectContaining({ option: 'now' }),
        }),
      )
    },
  )

  test.each(['2026-02-30T00:00:00.000Z', '2026-03-01T07:00:00', 'yesterday', ''])(
    'a generation of %j is refused',
    generation => {
      const done = [{ ...bootstrap(), generation } as FileId]
      expect(() => plan('2026-03-01T12:00:00Z', { done })).toThrow(
        expect.objectContaining({ code: 'OPTION_INVALID' }),
      )
    },
  )
})
