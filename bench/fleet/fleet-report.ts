// What the results of a simulated fleet mean.

import type { FleetResult, Resource } from './fleet-simulation'

/** A resource that is in use for a larger share of the day makes files wait. */
const SCARCE_SHARE = 0.8

/**
 * In the order in which a scarce one explains the others: a worker that waits for the database or
 * for a request is busy too, and so is its category.
 */
const RESOURCES: readonly Resource[] = [
  'requests a day',
  'requests a second',
  'database',
  'workers',
  'one category',
]

/** @param sorted in growing order */
export function percentile(sorted: readonly number[], share: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN
}

/** Names the resource that holds the fleet back; the calendar where none is scarce. */
export function bottleneckOf({ use }: FleetResult): Resource | 'the calendar of the files' {
  const scarce = RESOURCES.filter(resource => use[resource] >= SCARCE_SHARE)
  return scarce[0] ?? 'the calendar of the files'
}
