// An invented marketplace with a known history: its items at any time, the changes of any hour, its
// groups and its campaigns. Every answer is computed from the seed when it is asked for, item by
// item, so a world of any size takes no memory. This file does not know how files are written.
//
// Times are half-open: the state "at t" is what all changes before t have led to, and a span is
// [from, to). So the state at T0 and the changes of the hours from T0 on add up to the state at the
// end of the last hour. Sequences are lazy and stand in the order of their identifiers, which is
// both index order and UTF-8 byte order.

import { FeedError, optionInvalid } from '../../engine/index'
import {
  type CampaignChange,
  type Column,
  ITEM_COLUMNS,
  ITEM_TAIL_COLUMNS,
  UNKNOWN_ITEM_COLUMN,
} from './columns'
import {
  type Grouping,
  Groups,
  groupRecord,
  type ItemGroup,
  isWithheld,
  orphanGroups,
} from './group'
import { changeWithin, type Item, type ItemChange, itemBefore, type Population } from './item'
import { campaignChanges, campaignPayload, DAYS_BEFORE, dayNumber, HOUR_MS } from './item-life'
import { Listings } from './listings'
import { makePlace, type Place, type PlaceName } from './place'
import { type CompleteWorldOptions, completeWorldOptions, type WorldOptions } from './world-options'

/** The state of one item that a consumer of the files must reach. */
export interface TruthRow {
  readonly itemId: string
  /**
   * The cells in the order of {@link World.itemColumns} or of the requested columns. An empty cell
   * means null.
   */
  readonly cells: readonly string[]
}

/** The share of items of a plain world that are listed within its hours. */
const FRESH_SHARE = 0.1

export class World {
  readonly options: CompleteWorldOptions
  readonly start: Date
  /** The end of the world: `start` plus its hours. */
  readonly end: Date
  /** The names of the documented item columns, in order. */
  readonly itemColumns: readonly string[] = ITEM_COLUMNS.map(column => column.name)
  readonly #places: readonly Place[]
  readonly #groups: Grouping
  readonly #population: Population

  /** @throws FeedError OPTION_INVALID */
  constructor(options: WorldOptions) {
    this.options = completeWorldOptions(options)
    const { shape, items, marketplaces, categories, start, hours } = this.options
    const { churn, endings, quotedTitles } = this.options
    const isMarket = shape === 'market'
    this.start = start
    this.end = new Date(start.getTime() + hours * HOUR_MS)
    this.#places = marketplaces.flatMap((marketplace, m) => {
      return categories.map((category, c) =>
        makePlace(this.options, marketplace, category, m * categories.length + c),
      )
    })
    this.#groups = isMarket ? new Listings(items) : new Groups(items)
    const fresh = isMarket ? hours / (hours + 24 * DAYS_BEFORE) : FRESH_SHARE
    this.#population = {
      span: { startMs: start.getTime(), endMs: this.end.getTime(), churn, endings, fresh },
      quotedTitles,
      groups: this.#groups,
    }
  }

  /** Returns whether the world has this category of this marketplace. */
  has(name: PlaceName): boolean {
    return this.#find(name) !== undefined
  }

  /** Yields the active items at `time`. */
  *itemsAt(time: Date, name?: PlaceName): Generator<Item, void, void> {
    const place = this.#place(name)
    for (let index = 0; index < this.options.items; index++) {
      const item = itemBefore(this.#population, place, index, time.getTime())
      if (item?.active) yield item
    }
  }

  /** Yields the active items at `to` that were listed or relisted within [from, to). */
  *listedWithin(from: Date, to: Date, name?: PlaceName): Generator<Item, void, void> {
    for (const item of this.itemsAt(to, name)) if (item.listedAt >= from.getTime()) yield item
  }

  /**
   * Yields every item that changed within [from, to), also an ended one, once and in its last state
   * of that span.
   */
  *changesWithin(from: Date, to: Date, name?: PlaceName): Generator<ItemChange, void, void> {
    const place = this.#place(name)
    for (let index = 0; index < this.options.items; index++) {
      const change = changeWithin(this.#population, place, index, from.getTime(), to.getTime())
      if (change !== undefined) yield change
    }
  }

  /**
   * Yields the active items at `to` whose campaigns changed on the day (of UTC-7) that ends at
   * `to`.
   */
  *campaignChangesOn(to: Date, name?: PlaceName): Generator<CampaignChange, void, void> {
    const last = to.getTime() - 1
    for (const item of this.itemsAt(to, name)) {
      const kinds = campaignChanges(item.key, dayNumber(last), to.getTime())
      if (kinds.length > 0) yield { item, kinds, payload: campaignPayload(item.key, last) }
    }
  }

  /**
   * Yields the records of the groups that the items of {@link itemsAt} name, and the deliberate
   * orphans.
   */
  *groupsAt(time: Date, name?: PlaceName): Generator<ItemGroup, void, void> {
    const place = this.#place(name)
    const { items, orphans } = this.options
    yield* this.#groupRecords(place, time.getTime())
    for (const group of orphanGroups(this.#groups, items, orphans))
      yield groupRecord(this.#groups, place, group)
  }

  /** Yields the records of the groups that the items of {@link listedWithin} name. */
  groupsListedWithin(from: Date, to: Date, name?: PlaceName): Generator<ItemGroup, void, void> {
    return this.#groupRecords(this.#place(name), to.getTime(), from.getTime())
  }

  /**
   * Yields the state at `time`, one row for each active item. Any other item has ended or was never
   * listed.
   * @throws FeedError COLUMN_UNKNOWN
   */
  *truthAt(
    time: Date,
    name?: PlaceName,
    columns: readonly string[] = this.itemColumns,
  ): Generator<TruthRow, void, void> {
    const chosen = columns.map(itemColumn)
    const at = time.getTime()
    for (const item of this.itemsAt(time, name))
      yield { itemId: item.itemId, cells: chosen.map(column => column.cell(item, at)) }
  }

  /**
   * Returns the cells of an item before any quoting, in the state after its last change. Default:
   * the documented columns.
   * @throws FeedError COLUMN_UNKNOWN
   */
  itemCells(item: Item, columns: readonly string[] = this.itemColumns): string[] {
    return columns.map(name => itemColumn(name).cell(item, item.changedAt + 1))
  }

  *#groupRecords(
    place: Place,
    time: number,
    listedFrom = Number.NEGATIVE_INFINITY,
  ): Generator<ItemGroup, void, void> {
    for (const group of this.#groups.numbers(place)) {
      if (isWithheld(place, group, this.options.orphans)) continue
      const items = Array.from(this.#groups.members(place, group), index =>
        itemBefore(this.#population, place, index, time),
      )
      if (items.some(item => item?.active && item.listedAt >= listedFrom))
        yield groupRecord(this.#groups, place, group)
    }
  }

  #find(name: PlaceName): Place | undefined {
    const marketplaceId = name.marketplaceId ?? this.options.marketplaces[0]
    const categoryId = name.categoryId ?? this.options.categories[0]
    return this.#places.find(
      place => place.marketplaceId === marketplaceId && place.categoryId === categoryId,
    )
  }

  #place(name: PlaceName = {}): Place {
    const place = this.#find(name)
    if (place !== undefined) return place
    const known = this.#places
      .map(({ marketplaceId, categoryId }) => `${marketplaceId}/${categoryId}`)
      .join(', ')
    const received = `${name.marketplaceId ?? 'default'}/${name.categoryId ?? 'default'}`
    throw optionInvalid('place', `one of ${known}`, received)
  }
}

const COLUMNS: ReadonlyMap<string, Column<Item>> = new Map(
  [...ITEM_COLUMNS, UNKNOWN_ITEM_COLUMN, ...ITEM_TAIL_COLUMNS].map(column => [column.name, column]),
)

function itemColumn(name: string): Column<Item> {
  const column = COLUMNS.get(name)
  if (column !== undefined) return column
  throw new FeedError('COLUMN_UNKNOWN', `the world has no item column ${name}`, {
    column: name,
    known: [...COLUMNS.keys()],
  })
}

/**
 * Makes a world from a seed. Making it costs little, and every method walks the items that it is
 * about.
 * @throws FeedError OPTION_INVALID
 * @example
 * ```ts
 * import { createWorld } from 'feedmill/emulator'
 *
 * const world = createWorld({ seed: 7, items: 100 })
 * const ids = [...world.truthAt(world.start)].map(({ itemId }) => itemId)
 * console.log(ids.length > 50, new Set(ids).size === ids.length)
 * // => true true
 * ```
 */
export function createWorld(options: WorldOptions): World {
  return new World(options)
}
