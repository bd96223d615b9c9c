import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  bootstrapSpan,
  type Calendar,
  daySpan,
  hourSpan,
  latestDay,
  priorityDaySpan,
} from '../../../src/emulator/feeds/calendar'
import { DAY_MS, dayNumber, dayStart, HOUR_MS } from '../../../src/emulator/world/item-life'
import { RequestChecks } from '../../../src/service/clients/request-checks'
import { defineProfile } from '../../../src/service/profile'

const MADE = new Date('2026-03-01T00:00:00Z')
const calendar = (now: string | number, rest: Partial<Calendar> = {}): Calendar => ({
  now: new Date(now),
  bootstrap: MADE,
  latencyDays: 2,
  ...rest,
})
const day = (date: string) => ({
  content: 'span',
  from: new Date(`${date}T07:00:00Z`),
  to: new Date(Date.parse(`${date}T07:00:00Z`) + DAY_MS),
})

describe('daily files', () => {
  test('a day is one of UTC-7, and its file exists from 09:00 of UTC-7 two days later', () => {
    expect(daySpan(calendar('2026-03-03T16:00:00.000Z'), '20260301')).toEqual(day('2026-03-01'))
    expect(daySpan(calendar('2026-03-03T15:59:59.999Z'), '20260301')).toBe(13007)
  })

  test('the file of a slow category exists a day later', () => {
    expect(daySpan(calendar('2026-03-04T15:59:59.999Z', { latencyDays: 3 }), '20260301')).toBe(
      13007,
    )
    expect(daySpan(calendar('2026-03-04T16:00:00.000Z', { latencyDays: 3 }), '20260301')).toEqual(
      day('2026-03-01'),
    )
  })

  test('fourteen files are kept, and the fifteenth replaces the first', () => {
    expect(daySpan(calendar('2026-03-17T15:59:59.999Z'), '20260301')).toEqual(day('2026-03-01'))
    expect(daySpan(calendar('2026-03-17T16:00:00.000Z'), '20260301')).toBe(13005)
    expect(daySpan(calendar('2026-03-17T16:00:00.000Z'), '20260302')).toEqual(day('2026-03-02'))
    expect(daySpan(calendar('2026-03-18T15:59:59.999Z', { latencyDays: 3 }), '20260301')).toEqual(
      day('2026-03-01'),
    )
  })

  test('today and later days are not in the past, and yesterday’s file is still being made', () => {
    expect(daySpan(calendar('2026-03-02T06:59:59.999Z'), '20260301')).toBe(13005)
    expect(daySpan(calendar('2026-03-02T07:00:00.000Z'), '20260301')).toBe(13007)
    expect(daySpan(calendar('2026-03-02T07:00:00.000Z'), '20270101')).toBe(13005)
  })

  test('item_priority has today and fourteen days back, and answers 13007 for a missing file', () => {
    const at = (now: string) => priorityDaySpan(calendar(now), '20260301')
    expect(at('2026-03-01T06:59:59.999Z')).toBe(13005)
    expect(at('2026-03-01T07:00:00.000Z')).toBe(13007)
    expect(at('2026-03-03T15:59:59.999Z')).toBe(13007)
    expect(at('2026-03-03T16:00:00.000Z')).toEqual(day('2026-03-01'))
    expect(at('2026-03-16T06:59:59.999Z')).toEqual(day('2026-03-01'))
    expect(at('2026-03-16T07:00:00.000Z')).toBe(13005)
  })

  test.each([
    '2026-03-01',
    '20260230',
    '20261301',
    '',
    '2026030',
    'yyyyMMdd',
    ' 20260301',
    '2026030١',
  ])('%j is no date', date => {
    expect(daySpan(calendar('2026-03-04T16:00:00Z'), date)).toBe(13005)
    expect(priorityDaySpan(calendar('2026-03-04T16:00:00Z'), date)).toBe(13005)
  })

  test('exactly fourteen consecutive days have a file at any moment', () => {
    const nows = fc.integer({
      min: Date.parse('2026-01-01T00:00:00Z'),
      max: Date.parse('2026-12-31T00:00:00Z'),
    })
    fc.assert(
      fc.property(nows, fc.constantFrom(2 as const, 3 as const), (now, latencyDays) => {
        const at = calendar(now, { latencyDays })
        const days = Array.from({ length: 30 }, (_, i) => dayNumber(now) - 25 + i)
        const there = days.filter(number => typeof daySpan(at, dateOf(number)) !== 'number')
        expect(there).toEqual(Array.from({ length: 14 }, (_, i) => latestDay(at) - 13 + i))
        expect(now - dayStart(there[13]! + 1)).toBeGreaterThanOrEqual(
          (latencyDays - 1) * DAY_MS + 9 * HOUR_MS,
        )
      }),
    )
  })
})

describe('snapshots', () => {
  const hour = '2026-03-01T05:00:00.000Z'
  const file = { content: 'span', from: new Date(hour), to: new Date('2026-03-01T06:00:00Z') }

  test('the file of hour H exists from H+2 on', () => {
    expect(hourSpan(calendar('2026-03-01T06:59:59.999Z'), hour)).toBe(13007)
    expect(hourSpan(calendar('2026-03-01T07:00:00.000Z'), hour)).toEqual(file)
  })

  test('a file is kept for seven days', () => {
    expect(hourSpan(calendar('2026-03-08T05:00:00.000Z'), hour)).toEqual(file)
    expect(hourSpan(calendar('2026-03-08T05:00:00.001Z'), hour)).toBe(13007)
  })

  test('an hour in the future has no file', () => {
    expect(hourSpan(calendar('2026-02-01T00:00:00Z'), hour)).toBe(13007)
  })

  test.each([
    '2026-03-01T05:30:00.000Z',
    '2026-03-01T05:00:00Z',
    '2026-03-01T25:00:00.000Z',
    '2026-02-30T05:00:00.000Z',
    '20260301',
    '',
  ])('%j is no hour', text => {
    expect(hourSpan(calendar('2026-03-01T10:00:00Z'), text)).toBe(13021)
  })
})

describe('bootstrap', () => {
  test('a bootstrap that is made once exists from then on', () => {
    expect(bootstrapSpan(calendar('2026-02-28T23:59:59.999Z'))).toBe(13007)
    expect(bootstrapSpan(calendar('2026-03-01T00:00:00.000Z'))).toEqual({
      content: 'bootstrap',
      from: MADE,
      to: MADE,
    })
    expect(bootstrapSpan(calendar('2027-03-01T00:00:00.000Z'))).toEqual({
      content: 'bootstrap',
      from: MADE,
      to: MADE,
    })
  })

  test('a daily bootstrap shows the end of the newest day that has a file', () => {
    const at = (now: string) => bootstrapSpan(calendar(now, { bootstrap: 'daily' }))
    const made = (time: string) => ({
      content: 'bootstrap',
      from: new Date(time),
      to: new Date(time),
    })
    expect(at('2026-03-03T15:59:59.999Z')).toEqual(made('2026-03-01T07:00:00Z'))
    expect(at('2026-03-03T16:00:00.000Z')).toEqual(made('2026-03-02T07:00:00Z'))
    expect(at('2026-03-04T15:59:59.999Z')).toEqual(made('2026-03-02T07:00:00Z'))
  })

  test('the kept snapshots always reach back to the bootstrap', () => {
    fc.assert(
      fc.property(
        fc.integer({
          min: Date.parse('2026-01-01T00:00:00Z'),
          max: Date.parse('2026-12-31T00:00:00Z'),
        }),
        now => {
          const span = bootstrapSpan(calendar(now, { bootstrap: 'daily', latencyDays: 3 }))
          expect(
            typeof span === 'object' &&
              typeof hourSpan({ now: new Date(now) }, span.to.toISOString()),
          ).toBe('object')
        },
      ),
    )
  })
})

/** `yyyyMMdd` of a day of UTC-7. */
function dateOf(number: number): string {
  return new Date(number * DAY_MS).toISOString().slice(0, 10).replaceAll('-', '')
}

test('the date windows of the clients refuse no existing file', () => {
  const profile = defineProfile({
    baseUrl: 'https://a.test',
    tokenUrl: 'https://a.test/token',
    scopeBase: 's',
  })
  const { dailyDays, priorityDays } = profile.limits
  const start = Date.UTC(2026, 2, 1)
  let found = 0
  for (let hour = 0; hour < 48; hour++) {
    for (const now of [
      start + hour * HOUR_MS - 1,
      start + hour * HOUR_MS,
      start + hour * HOUR_MS + 1,
    ].map(ms => new Date(ms))) {
      const checks = new RequestChecks('getItemFeed', {
        mode: 'all',
        profile,
        now: () => now.getTime(),
      })
      const check = (span: ReturnType<typeof daySpan | typeof hourSpan>, pass: () => void) => {
        if (typeof span === 'number') return
        found++
        expect(pass).not.toThrow()
      }
      for (let back = -2; back < 20; back++) {
        const date = new Date(now.getTime() - back * DAY_MS)
          .toISOString()
          .slice(0, 10)
          .replaceAll('-', '')
        for (const latencyDays of [2, 3] as const) {
          const at = { now, bootstrap: now, latencyDays }
          check(daySpan(at, date), () => checks.date(date, dailyDays))
          check(priorityDaySpan(at, date), () => checks.date(date, priorityDays))
        }
      }
      for (let back = -2; back < 172; back++) {
        const asked = new Date(Math.floor(now.getTime() / HOUR_MS - back) * HOUR_MS).toISOString()
        check(hourSpan({ now }, asked), () => checks.hour('snapshotDate', asked))
      }
    }
  }
  expect(found).toBeGreaterThan(10_000)
})
