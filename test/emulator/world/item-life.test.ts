import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { mix } from '../../../src/emulator/world/hash'
import {
  campaignChanges,
  campaignPayload,
  countOfKind,
  dayStart,
  HOUR_MS,
  itemLife,
  revisionKind,
  revisionsUpTo,
  revisionTime,
} from '../../../src/emulator/world/item-life'

const span = {
  startMs: Date.UTC(2026, 2, 1),
  endMs: Date.UTC(2026, 2, 2),
  churn: 5,
  endings: 0.3,
  fresh: 0.1,
}
const keys = fc.integer({ min: 0, max: 0xffffffff })

describe('item life', () => {
  test('revisions are consecutive, and their number at any time equals their count', () => {
    fc.assert(
      fc.property(keys, fc.integer({ min: 0, max: 40 * HOUR_MS }), (key, after) => {
        const life = itemLife(key, span)
        const time = life.listedAt + after
        let counted = 0
        while (revisionTime(key, life, counted + 1) <= time) counted++
        expect(revisionsUpTo(key, life, time)).toBe(counted)
        expect(revisionTime(key, life, counted + 2)).toBeGreaterThan(
          revisionTime(key, life, counted + 1),
        )
      }),
    )
  })

  test('the counts of the kinds add up to the revisions, and each equals its count', () => {
    fc.assert(
      fc.property(keys, fc.integer({ min: 0, max: 60 }), (key, revisions) => {
        const life = itemLife(key, span)
        const kinds = Array.from({ length: revisions }, (_, i) => revisionKind(life, i + 1))
        for (const kind of ['PRICE_CHANGE', 'QUANTITY_CHANGE', 'TITLE_CHANGE'] as const) {
          expect(countOfKind(life, kind, revisions)).toBe(kinds.filter(k => k === kind).length)
        }
      }),
    )
  })

  test('an item ends after its listing and returns after its end', () => {
    const lives = Array.from({ length: 3_000 }, (_, i) => itemLife(i * 7_919, span))
    for (const life of lives) {
      expect(life.endsAt).toBeGreaterThan(Math.max(life.listedAt, span.startMs))
      expect(life.relistedAt === Number.POSITIVE_INFINITY || life.relistedAt > life.endsAt).toBe(
        true,
      )
      expect(life.listedAt).toBeLessThan(span.endMs)
    }
    expect(lives.some(life => life.listedAt >= span.startMs)).toBe(true)
    expect(lives.some(life => life.relistedAt !== Number.POSITIVE_INFINITY)).toBe(true)
    expect(lives.some(life => life.endsAt === Number.POSITIVE_INFINITY)).toBe(true)
  })
})

describe('campaigns', () => {
  test('the changes of each day explain the difference to the payload of the next', () => {
    const seen = new Set<string>()
    for (let i = 0; i < 1_500; i++) {
      const key = mix(99, i)
      for (let day = 20_500; day < 20_512; day++) {
        const before = campaignPayload(key, dayStart(day) - 1)
        const after = campaignPayload(key, dayStart(day + 1) - 1)
        const [kind, ...more] = campaignChanges(key, day, dayStart(day + 1))
        expect(more).toEqual([])
        if (kind === undefined) expect(after).toBe(before)
        if (kind === 'REMOVED_FROM_CAMPAIGN') expect([before === '', after]).toEqual([false, ''])
        if (kind === 'ADDED_TO_CAMPAIGN') expect([before, after === '']).toEqual(['', false])
        if (kind === 'TRACKING_PAYLOAD_REFRESHED')
          expect([before === '', after === '', before === after]).toEqual([false, false, false])
        if (kind !== undefined) seen.add(kind)
      }
    }
    expect(seen.size).toBe(3)
  })
})
