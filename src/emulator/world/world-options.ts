// Checks and completes the options of a world.

import { is, type OptionTable, optionInvalid, readOptions } from '../../engine/index'
import type { OrphanShares } from './group'
import { HOUR_MS } from './item-life'
import { MAX_ITEMS, MAX_PLACES, marketplaceFacts, WORLD_SHAPES, type WorldShape } from './place'

export interface WorldOptions {
  /** The seed, any whole number. Equal options make equal worlds in every process. */
  readonly seed: number
  /**
   * The number of items that are ever listed in each category of each marketplace. Nine in ten are
   * listed from the start; in a market as many are listed in an hour after it as before it. 0 to
   * 50,000,000.
   */
  readonly items: number
  /**
   * `plain` has every kind of cell in a small world. `market` has the shape of real files: the
   * variations of a listing share its identifier, products have offers of several sellers, few
   * sellers, brands and leaf categories have many of the items, and texts are in the language of the
   * marketplace (English, German or French). Default: `plain`.
   */
  readonly shape?: WorldShape
  /**
   * The marketplaces, which end in a country with a known currency, such as `_US` or `_DE`. Default
   * `['MKT_US']`.
   */
  readonly marketplaces?: readonly string[]
  /** Top-level category identifiers, the same in each marketplace. Default `['220']`. */
  readonly categories?: readonly string[]
  /** The start, a whole hour. Default 2026-03-01T00:00:00Z. */
  readonly start?: Date
  /**
   * The hours over which new listings spread. The default clock of the emulator is an hour after
   * their end. Changes continue after it. Default 24.
   */
  readonly hours?: number
  /**
   * The rate of changes. With 1, a little over one item in a hundred changes in an hour; with 10,
   * ten times as many. Default: 1.
   */
  readonly churn?: number
  /**
   * The share of items whose title ends in text that a feed file must quote: quotes, backslashes,
   * tabs. 0 to 1, in steps of a hundredth. 0 also takes quotes out of all other titles, such as
   * those of inches. Default 0.02.
   */
  readonly quotedTitles?: number
  /** The share of items whose listing ends at some time. 0 to 1. Default 0.3. */
  readonly endings?: number
  /** The deliberate orphans between items and groups. Default none. */
  readonly orphans?: Partial<OrphanShares>
}

export interface CompleteWorldOptions extends Required<Omit<WorldOptions, 'orphans'>> {
  readonly orphans: OrphanShares
}

const DEFAULT_START = '2026-03-01T00:00:00Z'

const WORLD = {
  seed: is.wholeNumber(Number.MIN_SAFE_INTEGER),
  items: is.wholeNumber(0, MAX_ITEMS),
  shape: [is.choice(...WORLD_SHAPES), 'plain'],
  marketplaces: [is.texts, ['MKT_US']],
  categories: [categoryNumbers, ['220']],
  start: [wholeHour],
  hours: [is.wholeNumber(), 24],
  churn: [checkedChurn, 1],
  quotedTitles: [is.finiteNumber(0, 1), 0.02],
  endings: [is.finiteNumber(0, 1), 0.3],
  orphans: [(option, orphans) => readOptions(orphans, ORPHANS, option), {}],
} satisfies OptionTable<WorldOptions>

const ORPHANS = {
  itemsWithoutGroup: [is.finiteNumber(0, 1), 0],
  groupsWithoutItems: [is.finiteNumber(0, 1), 0],
} satisfies OptionTable<Partial<OrphanShares>>

/** @throws FeedError OPTION_INVALID */
export function completeWorldOptions(options: WorldOptions): CompleteWorldOptions {
  const { start = new Date(DEFAULT_START), ...world } = readOptions(options, WORLD, 'world', '')
  const { marketplaces, categories } = world
  const places = marketplaces.length * categories.length
  if (places === 0 || places > MAX_PLACES)
    throw optionInvalid(
      'marketplaces',
      `at least one, and with the categories at most ${MAX_PLACES} combinations`,
      marketplaces,
    )
  for (const id of marketplaces) marketplaceFacts(id)
  return { ...world, start }
}

function categoryNumbers(option: string, categories: readonly string[]): readonly string[] {
  for (const id of is.texts(option, categories))
    if (!/^\d+$/.test(id)) throw optionInvalid(option, 'identifiers of digits', id)
  return categories
}

function wholeHour(option: string, time: Date): Date {
  if (time instanceof Date && time.getTime() % HOUR_MS === 0) return time
  throw optionInvalid(option, 'the Date of a whole hour', time)
}

function checkedChurn(option: string, churn: number): number {
  if (is.finiteNumber(0, 1_000)(option, churn) > 0) return churn
  throw optionInvalid(option, 'above 0, at most 1000', churn)
}
