// Long: it simulates a day of 400 categories.

import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { EventQueue } from '../../../bench/fleet/event-queue'
import { fleetInputs } from '../../../bench/fleet/fleet-inputs'
import { bottleneckOf, percentile } from '../../../bench/fleet/fleet-report'
import { type FleetOptions, simulateFleet } from '../../../bench/fleet/fleet-simulation'
import { fleetCategories, rowsOf } from '../../../bench/fleet/fleet-world'

const HOUR_MS = 3_600_000
const START_MS = Date.parse('2026-03-10T00:00:00Z')
const inputs = await fleetInputs()

function simulated(options: Partial<FleetOptions> = {}) {
  const categories = fleetCategories({ categories: 12, marketplaces: 3, largest: 2_000_000 })
  return simulateFleet({
    categories,
    inputs,
    workers: 4,
    startMs: START_MS,
    start: 'steady',
    hours: 24,
    ...options,
  })
}

test('The events of a queue happen in the order of their times, and of their entry at one time.', () => {
  fc.assert(
    fc.property(fc.array(fc.nat(20), { maxLength: 60 }), times => {
      const events = new EventQueue(0)
      const seen: [number, number][] = []
      times.forEach((atMs, n) => events.at(atMs, () => seen.push([events.nowMs, n])))
      events.runUntil(20)
      const expected = times.map((atMs, n): [number, number] => [atMs, n])
      expect(seen).toEqual(expected.sort(([a, m], [b, n]) => a - b || m - n))
    }),
  )
})

describe('a simulated fleet', () => {
  test('A fleet with enough of everything lags by the calendar alone: two to three hours.', () => {
    const plenty = { ...inputs, databaseLanes: { ...inputs.databaseLanes, value: 100 } }
    const result = simulated({ workers: 100, inputs: plenty })
    expect(percentile(result.lagMs, 0)).toBeGreaterThanOrEqual(HOUR_MS)
    expect(percentile(result.lagMs, 0.99)).toBeLessThan(3.2 * HOUR_MS)
    expect(bottleneckOf(result)).toBe('the calendar of the files')
  })

  test('Every hourly file of the day becomes visible, once.', () => {
    const result = simulated({ workers: 100 })
    // 24 hours, one item file and one group file of a day, and one of priorities, per category.
    expect(result.files).toBeGreaterThanOrEqual(12 * 24)
    expect(result.files).toBeLessThanOrEqual(12 * (24 + 2 * 3))
  })

  test('More workers never make the watermarks older.', () => {
    const medians = [1, 2, 4, 8, 16].map(workers => percentile(simulated({ workers }).lagMs, 0.5))
    expect([...medians].sort((a, b) => b - a)).toEqual(medians)
  })

  test('The scarce resource is named.', () => {
    const slow = {
      ...inputs,
      databaseRowsPerSecond: { ...inputs.databaseRowsPerSecond, value: 8 },
    }
    expect(bottleneckOf(simulated({ workers: 100, inputs: slow }))).toBe('database')
    const alone = fleetCategories({ categories: 1, marketplaces: 1, largest: 2_000_000 })
    expect(bottleneckOf(simulated({ workers: 4, inputs: slow, categories: alone }))).toBe(
      'one category',
    )
    const few = { ...inputs, requestsPerSecond: { ...inputs.requestsPerSecond, value: 0.003 } }
    expect(bottleneckOf(simulated({ workers: 100, inputs: few }))).toBe('requests a second')
    expect(bottleneckOf(simulated({ workers: 1, start: 'empty', inputs: slow }))).toBe('workers')
  })

  test('No resource is in use for more than the whole time.', () => {
    const { use } = simulated({ workers: 2, start: 'empty' })
    expect(use.workers).toBeLessThanOrEqual(1.000_001)
    expect(use.database).toBeLessThanOrEqual(1.000_001)
  })

  test('An empty fleet fetches the bootstraps of all categories.', () => {
    const { rows } = simulated({ start: 'empty', workers: 100 })
    const categories = fleetCategories({ categories: 12, marketplaces: 3, largest: 2_000_000 })
    const items = categories.reduce((sum, category) => sum + category.items, 0)
    expect(rows).toBeGreaterThan(items)
  })
})

test('Categories follow a power law, and a file of one name has one size.', () => {
  const [first, second, third] = fleetCategories({ categories: 3, marketplaces: 2, largest: 900 })
  expect([first?.items, second?.items, third?.items]).toEqual([1000, 1000, 1000])
  const [large, half] = fleetCategories({ categories: 2, marketplaces: 1, largest: 20_000_000 })
  expect(half?.items).toBe(large!.items / 2)
  const id = { ...large!, feed: 'item_snapshot', hour: '2026-03-10T05:00:00.000Z' } as const
  const rows = rowsOf(id, large!, inputs)
  expect(rowsOf(id, large!, inputs)).toBe(rows)
  expect(rows).toBeGreaterThan(250_000 * 0.9)
  expect(rows).toBeLessThan(750_000 * 1.1)
})
