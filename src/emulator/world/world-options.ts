// What a world is made from, checked and completed.

import { FeedError } from '../../errors'
import type { OrphanShares } from './groups'
import { HOUR_MS } from './item-life'
import { MAX_ITEMS, MAX_PLACES } from './place'

export interface WorldOptions {
  /** Any whole number. Equal options make equal worlds, in every process. */
  readonly seed: number
  /** Items that are ever listed in each category of each marketplace: nine in ten from the start on. 0 to 50,000,000. */
  readonly items: number
  /** Default `['MKT_US']`. */
  readonly marketplaces?: readonly string[]
  /** Top-level category identifiers, the same in each marketplace. Default `['220']`. */
  readonly categories?: readonly string[]
  /** The first hour, a whole one. Default 2026-03-01T00:00:00Z. */
  readonly start?: Date
  /** Hours over which new listings spread; by default the emulator's clock stands an hour after their end. Changes go on after it. Default 24. */
  readonly hours?: number
  /** How lively the world is: 1 (the default) changes a little over one item in a hundred in an hour, 10 ten times as many. */
  readonly churn?: number
  /** Deliberate orphans between items and groups. Default none. */
  readonly orphans?: Partial<OrphanShares>
}

export interface CompleteWorldOptions extends Required<Omit<WorldOptions, 'orphans'>> {
  readonly orphans: OrphanShares
}

const DEFAULT_START = '2026-03-01T00:00:00Z'

/** @throws FeedError OPTION_INVALID */
export function completeWorldOptions(options: WorldOptions): CompleteWorldOptions {
  const complete: CompleteWorldOptions = {
    marketplaces: ['MKT_US'],
    categories: ['220'],
    start: new Date(DEFAULT_START),
    hours: 24,
    churn: 1,
    ...options,
    orphans: { itemsWithoutGroup: 0, groupsWithoutItems: 0, ...options.orphans },
  }
  for (const [option, holds, expected] of rules(complete)) {
    if (!holds)
      throw new FeedError('OPTION_INVALID', `${option} must be ${expected}`, { option, expected, received: show(options, option) })
  }
  return complete
}

function rules(world: CompleteWorldOptions): [option: string, holds: boolean, expected: string][] {
  const share = (value: number) => value >= 0 && value <= 1
  const places = world.marketplaces.length * world.categories.length
  return [
    ['seed', Number.isSafeInteger(world.seed), 'a whole number'],
    ['items', Number.isInteger(world.items) && world.items >= 0 && world.items <= MAX_ITEMS, `a whole number from 0 to ${MAX_ITEMS}`],
    ['marketplaces', places > 0 && places <= MAX_PLACES, `at least one, and with categories at most ${MAX_PLACES} combinations`],
    ['categories', world.categories.every(id => /^\d+$/.test(id)), 'identifiers of digits'],
    ['start', world.start.getTime() % HOUR_MS === 0, 'a whole hour'],
    ['hours', Number.isInteger(world.hours) && world.hours > 0, 'a whole number above 0'],
    ['churn', world.churn > 0 && world.churn <= 1_000, 'above 0, at most 1000'],
    ['orphans', share(world.orphans.itemsWithoutGroup) && share(world.orphans.groupsWithoutItems), 'shares from 0 to 1'],
  ]
}

function show(options: WorldOptions, option: string): string {
  const value = options[option as keyof WorldOptions]
  return value instanceof Date ? String(value) : (JSON.stringify(value) ?? 'undefined')
}
