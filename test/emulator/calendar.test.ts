import { describe, expect, test } from 'vitest'
import { bootstrapSpan, type Calendar, daySpan, hourSpan } from '../../src/emulator/calendar'
import { createWorld } from '../../src/emulator/world/world'

const world = createWorld({ seed: 1, items: 1, hours: 72 })
const calendar = (now: string): Calendar => ({ world, now: new Date(now), bootstrapAt: world.start })
const end = '2026-03-04T00:00:00Z'

describe('calendar', () => {
  test('the bootstrap is there once it was made', () => {
    expect(bootstrapSpan(calendar('2026-02-28T23:59:59Z'))).toBe(13007)
    expect(bootstrapSpan(calendar('2026-03-01T00:00:00Z'))).toEqual({ content: 'bootstrap', from: world.start, to: world.start })
  })

  test('a day is one of UTC-7', () => {
    expect(daySpan(calendar(end), '20260301')).toEqual({
      content: 'span',
      from: new Date('2026-03-01T07:00:00Z'),
      to: new Date('2026-03-02T07:00:00Z'),
    })
  })

  test.each(['2026-03-01', '20260230', '20261301', '', '2026030', '20260303', '20270101', '20260227', 'yyyyMMdd'])(
    'no daily file for %j',
    date => {
      expect(daySpan(calendar(end), date)).toBe(13005)
    },
  )

  test('a day that is not over has no file yet', () => {
    expect(daySpan(calendar('2026-03-02T06:59:59Z'), '20260301')).toBe(13005)
    expect(daySpan(calendar('2026-03-02T07:00:00Z'), '20260301')).toMatchObject({ content: 'span' })
  })

  test('an hour is a whole one of UTC, and its file is there once it is over', () => {
    expect(hourSpan(calendar(end), '2026-03-01T05:00:00.000Z')).toEqual({
      content: 'span',
      from: new Date('2026-03-01T05:00:00Z'),
      to: new Date('2026-03-01T06:00:00Z'),
    })
    expect(hourSpan(calendar('2026-03-01T05:59:59Z'), '2026-03-01T05:00:00.000Z')).toBe(13007)
    expect(hourSpan(calendar(end), '2026-02-28T23:00:00.000Z')).toBe(13007)
  })

  test.each(['2026-03-01T05:30:00.000Z', '2026-03-01T05:00:00Z', '2026-03-01T25:00:00.000Z', '2026-02-30T05:00:00.000Z', '20260301', ''])(
    '%j is no hour',
    text => {
      expect(hourSpan(calendar(end), text)).toBe(13021)
    },
  )
})
