// Checks and completes the options of a world.

import {
  choice,
  finiteNumber,
  knownOptions,
  type OptionNames,
  optionInvalid,
  texts,
  wholeNumber,
} from '../../engine/index'
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

const NAMES: OptionNames<WorldOptions> = {
  seed: true,
  items: true,
  shape: true,
  marketplaces: true,
  categories: true,
  start: true,
  hours: true,
  churn: true,
  quotedTitles: true,
  endings: true,
  orphans: true,
}
const ORPHAN_NAMES: OptionNames<OrphanShares> = {
  itemsWithoutGroup: true,
  groupsWithoutItems: true,
}

/** @throws FeedError OPTION_INVALID */
export function completeWorldOptions(options: WorldOptions): CompleteWorldOptions {
  const {
    seed,
    items,
    shape = 'plain',
    marketplaces = ['MKT_US'],
    categories = ['220'],
    hours = 24,
    churn = 1,
    quotedTitles = 0.02,
    endings = 0.3,
  } = knownOptions(options, NAMES, 'world')
  const { start = new Date(DEFAULT_START), orphans = {} } = options
  const { itemsWithoutGroup = 0, groupsWithoutItems = 0 } = knownOptions(
    orphans as OrphanShares,
    ORPHAN_NAMES,
    'orphans',
  )
  const places = texts('marketplaces', marketplaces).length * texts('categories', categories).length
  if (places === 0 || places > MAX_PLACES)
    throw optionInvalid(
      'marketplaces',
      `at least one, and with the categories at most ${MAX_PLACES} combinations`,
      marketplaces,
    )
  for (const id of marketplaces) marketplaceFacts(id)
  for (const id of categories)
    if (!/^\d+$/.test(id)) throw optionInvalid('categories', 'identifiers of digits', id)
  if (!(start instanceof Date) || start.getTime() % HOUR_MS !== 0)
    throw optionInvalid('start', 'the Date of a whole hour', start)
  if (!(finiteNumber('churn', churn, 0, 1_000) > 0))
    throw optionInvalid('churn', 'above 0, at most 1000', churn)
  return {
    seed: wholeNumber('seed', seed, Number.MIN_SAFE_INTEGER),
    items: wholeNumber('items', items, 0, MAX_ITEMS),
    shape: choice('shape', shape, WORLD_SHAPES),
    marketplaces,
    categories,
    start,
    hours: wholeNumber('hours', hours),
    churn,
    quotedTitles: finiteNumber('quotedTitles', quotedTitles, 0, 1),
    endings: finiteNumber('endings', endings, 0, 1),
    orphans: {
      itemsWithoutGroup: finiteNumber('orphans.itemsWithoutGroup', itemsWithoutGroup, 0, 1),
      groupsWithoutItems: finiteNumber('orphans.groupsWithoutItems', groupsWithoutItems, 0, 1),
    },
  }
}
