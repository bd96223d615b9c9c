import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { daySpan, hourSpan, priorityDaySpan } from '../../../src/emulator/feeds/calendar'
import {
  calendarLimits,
  DAY_MS,
  type DatedId,
  dayStart,
  dayText,
  HOUR_MS,
  hourStart,
  windowOf,
} from '../../../src/sync/plan/calendar-files'

const at = { marketplace: 'MKT_US', categoryId: '220' }
const daily = (date: string): DatedId => ({ feed: 'item', ...at, scope: 'NEWLY_LISTED', date })
const group = (date: string): DatedId => ({
  feed: 'item_group',
  ...at,
  scope: 'NEWLY_LISTED',
  date,
})
const priority = (date: string): DatedId => ({ feed: 'item_priority', ...at, date })
const snapshot = (hour: string): DatedId => ({ feed: 'item_snapshot', ...at, hour })

const inWords = (id: DatedId, limits = {}) =>
  Object.values(windowOf(id, calendarLimits(limits))).map((ms: number) =>
    new Date(ms).toISOString().replace('.000Z', 'Z'),
  )

describe('the windows of documented limits', () => {
  test.each([daily('20260301'), group('20260301')])(
    '$feed: a day of UTC-7 has its file from 09:00 two days later, and fourteen are kept',
    id => {
      expect(inWords(id)).toEqual([
        '2026-03-01T07:00:00Z',
        '2026-03-02T07:00:00Z',
        '2026-03-03T16:00:00Z',
        '2026-03-17T16:00:00Z',
      ])
    },
  )

  test('item_priority has the same window as the dailies, and up to fourteen days before today', () => {
    expect(inWords(priority('20260301')).slice(2)).toEqual([
      '2026-03-03T16:00:00Z',
      '2026-03-16T07:00:00Z',
    ])
  })

  test('item_snapshot has an hour from two hours after its start, for seven more days', () => {
    const window = [
      '2026-03-01T05:00:00Z',
      '2026-03-01T06:00:00Z',
      '2026-03-01T07:00:00Z',
      '2026-03-08T05:00:00.001Z',
    ]
    expect(inWords(snapshot('2026-03-01T05:00:00.000Z'))).toEqual(window)
  })

  test('every limit can be changed', () => {
    const limits = {
      dailyLatencyDays: 3,
      dailyFilesKept: 1,
      priorityDaysBack: 5,
      snapshotLatencyHours: 3,
      snapshotDaysKept: 1,
    }
    expect(inWords(daily('20260301'), limits).slice(2)).toEqual([
      '2026-03-04T16:00:00Z',
      '2026-03-05T16:00:00Z',
    ])
    expect(inWords(priority('20260301'), limits).slice(2)).toEqual([
      '2026-03-04T16:00:00Z',
      '2026-03-07T07:00:00Z',
    ])
    expect(inWords(snapshot('2026-03-01T05:00:00.000Z'), limits).slice(2)).toEqual([
      '2026-03-01T08:00:00Z',
      '2026-03-02T05:00:00.001Z',
    ])
  })

  test.each([
    { dailyFilesKept: 0 },
    { snapshotDaysKept: 1.5 },
    { snapshotLatencyHours: Number.NaN },
  ])('%o is refused', limits => {
    expect(() => calendarLimits(limits)).toThrow(
      expect.objectContaining({ code: 'OPTION_INVALID' }),
    )
  })
})

describe('the calendar of the emulated service', () => {
  const bootstrap = new Date(0)
  // Moments where something may change: edges of days and hours, and the hours around them, to the
  // millisecond.
  const clocks = fc
    .tuple(
      fc.integer({ min: Date.UTC(2026, 0), max: Date.UTC(2027, 0) }),
      fc.constantFrom(1, HOUR_MS, DAY_MS),
      fc.integer({ min: -1, max: 1 }),
    )
    .map(([ms, unit, off]) => Math.floor(ms / unit) * unit + off)
  // Nights on which clocks of America or Europe are set, where naive local arithmetic loses or wins
  // an hour.
  const changes = fc
    .tuple(
      fc.constantFrom(
        '2026-03-08T07:00Z',
        '2026-03-08T10:00Z',
        '2026-03-29T01:00Z',
        '2026-10-25T01:00Z',
        '2026-11-01T09:00Z',
      ),
      fc.integer({ min: -72, max: 400 }),
      fc.integer({ min: -1, max: 1 }),
    )
    .map(([change, hours, off]) => Date.parse(change) + hours * HOUR_MS + off)
  const anyClock = fc.oneof(clocks, changes)

  function agrees(
    nowMs: number,
    id: DatedId,
    limits: { dailyLatencyDays?: number },
    answer: unknown,
  ): void {
    const { fromMs, goneMs, coversFromMs, coversToMs } = windowOf(id, calendarLimits(limits))
    expect(nowMs >= fromMs && nowMs < goneMs).toBe(typeof answer === 'object')
    if (typeof answer === 'object')
      expect(answer).toMatchObject({ from: new Date(coversFromMs), to: new Date(coversToMs) })
  }

  test('has a daily and a priority file exactly when this calendar does', () => {
    fc.assert(
      fc.property(anyClock, fc.constantFrom(2 as const, 3 as const), (nowMs, latencyDays) => {
        const calendar = { now: new Date(nowMs), bootstrap, latencyDays }
        const limits = { dailyLatencyDays: latencyDays }
        for (let back = -1; back < 20; back++) {
          const date = dayText(dayStart(nowMs) - back * DAY_MS)
          agrees(nowMs, daily(date), limits, daySpan(calendar, date))
          agrees(nowMs, group(date), limits, daySpan(calendar, date))
          agrees(nowMs, priority(date), limits, priorityDaySpan(calendar, date))
        }
      }),
    )
  })

  test('has a snapshot exactly when this calendar does', () => {
    fc.assert(
      fc.property(anyClock, nowMs => {
        for (const back of [-1, 0, 1, 2, 3, 24, 100, 166, 167, 168, 169]) {
          const hour = new Date(hourStart(nowMs) - back * HOUR_MS).toISOString()
          agrees(nowMs, snapshot(hour), {}, hourSpan({ now: new Date(nowMs) }, hour))
        }
      }),
    )
  })

  test('agrees at both edges of every window, to the millisecond', () => {
    for (const latencyDays of [2, 3] as const) {
      const limits = { dailyLatencyDays: latencyDays }
      for (
        let startMs = dayStart(Date.parse('2026-03-01T12:00Z'));
        startMs < Date.parse('2026-04-05T00:00Z');
        startMs += DAY_MS
      ) {
        for (const id of [daily(dayText(startMs)), priority(dayText(startMs))]) {
          const { fromMs, goneMs } = windowOf(id, calendarLimits(limits))
          for (const nowMs of [fromMs - 1, fromMs, goneMs - 1, goneMs]) {
            const calendar = { now: new Date(nowMs), bootstrap, latencyDays }
            const answer =
              id.feed === 'item'
                ? daySpan(calendar, dayText(startMs))
                : priorityDaySpan(calendar, dayText(startMs))
            expect(typeof answer).toBe(
              nowMs === fromMs || nowMs === goneMs - 1 ? 'object' : 'number',
            )
            agrees(nowMs, id, limits, answer)
          }
        }
      }
    }
    for (
      let startMs = Date.parse('2026-03-07T00:00Z');
      startMs < Date.parse('2026-03-10T00:00Z');
      startMs += HOUR_MS
    ) {
      const hour = new Date(startMs).toISOString()
      const { fromMs, goneMs } = windowOf(snapshot(hour), calendarLimits())
      for (const nowMs of [fromMs - 1, fromMs, goneMs - 1, goneMs])
        agrees(nowMs, snapshot(hour), {}, hourSpan({ now: new Date(nowMs) }, hour))
    }
  })
})

test.each(['UTC', 'America/Los_Angeles', 'Europe/Berlin', 'Asia/Kolkata'])(
  'the time zone of this machine has no influence: %s',
  zone => {
    const before = process.env.TZ
    try {
      process.env.TZ = zone
      expect(inWords(daily('20260308'))).toEqual([
        '2026-03-08T07:00:00Z',
        '2026-03-09T07:00:00Z',
        '2026-03-10T16:00:00Z',
        '2026-03-24T16:00:00Z',
      ])
      expect(dayText(dayStart(Date.parse('2026-11-01T06:59:59.999Z')))).toBe('20261031')
      expect(dayText(dayStart(Date.parse('2026-11-01T07:00:00.000Z')))).toBe('20261101')
    } finally {
      if (before === undefined) delete process.env.TZ
      else process.env.TZ = before
    }
  },
)
