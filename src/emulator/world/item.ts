// One item at one moment: all facts from which its cells are made. The column tables make the
// values.

import type { Grouping } from './group'
import { DRAW, fraction, mix } from './hash'
import {
  type ChangeKind,
  countOfKind,
  HOUR_MS,
  type ItemLife,
  itemLife,
  type LifeSpan,
  revisionKind,
  revisionsUpTo,
  revisionTime,
} from './item-life'
import { type Model, modelAt } from './model'
import { itemKey, type Place } from './place'

export interface Item {
  readonly place: Place
  readonly index: number
  /** The hash that every draw of this item starts from. */
  readonly key: number
  /** That of its listing, where several items share one. */
  readonly listingKey: number
  /** `v1|`, the identifier of its listing, and that of its variation or 0. */
  readonly itemId: string
  /** The identifier of its listing. */
  readonly legacyItemId: string
  /** False after the end of the item. Its cells then show its last day. */
  readonly active: boolean
  /** The start of the current listing, in milliseconds since the epoch. */
  readonly listedAt: number
  /** The start of this state. */
  readonly changedAt: number
  /** The number of changes since the first listing. */
  readonly revision: number
  readonly priceChanges: number
  readonly quantityChanges: number
  readonly titleChanges: number
  /** Changes by the seller: price, title, relisting. Sales are not among them. */
  readonly sellerRevision: number
  /** The end of the listing, if the listing states it. */
  readonly endDate: number | undefined
  /**
   * Whether text that a feed file must quote is added to its title, or taken out of it. `natural`
   * leaves the title as it is, such as one that states inches.
   */
  readonly titleQuotes: 'added' | 'natural' | 'removed'
  /** True when no hour has two changes of one kind. */
  readonly isSteady: boolean
  /** The identifier of its group, or empty. */
  readonly groupId: string
  /** The key of its model, which is that of its group or its own. */
  readonly modelKey: number
  /** Its position in its group, 0 to 5, and in a market to 22. 0 for a single item. */
  readonly position: number
}

/** The properties that it shares with the other items of its group. */
export function modelOf({ place, modelKey }: Item): Model {
  return modelAt(place, modelKey)
}

/** An item that changed within a span of time, in its last state of that span. */
export interface ItemChange {
  readonly item: Item
  /**
   * The kinds of changes without repeats, in the order of the enumeration. Empty when the item has
   * ended.
   */
  readonly kinds: readonly (ChangeKind | 'NEW')[]
}

const KIND_ORDER: readonly (ChangeKind | 'NEW')[] = [
  'NEW',
  'PRICE_CHANGE',
  'QUANTITY_CHANGE',
  'TITLE_CHANGE',
]

/** The facts about items that do not depend on the moment. */
export interface Population {
  readonly span: LifeSpan
  /** The share of items whose titles need quotes. */
  readonly quotedTitles: number
  readonly groups: Grouping
}

/** Returns the item just before `time`, or undefined for an item that was not listed by then. */
export function itemBefore(
  population: Population,
  place: Place,
  index: number,
  time: number,
): Item | undefined {
  const key = itemKey(place, index)
  const life = itemLife(population.groups.lifeKey(place, index), population.span)
  return life.listedAt >= time
    ? undefined
    : buildItem(population, place, index, key, life, time - 1)
}

/**
 * Returns the last state of the item within [from, to), or undefined without a change in that span.
 */
export function changeWithin(
  population: Population,
  place: Place,
  index: number,
  from: number,
  to: number,
): ItemChange | undefined {
  const key = itemKey(place, index)
  const life = itemLife(population.groups.lifeKey(place, index), population.span)
  if (life.listedAt >= to || lastChange(key, life, to - 1) < from) return undefined
  const item = buildItem(population, place, index, key, life, to - 1)
  return { item, kinds: item.active ? kindsWithin(item, life, from) : [] }
}

function lastChange(key: number, life: ItemLife, at: number): number {
  if (at >= life.endsAt && at < life.relistedAt) return life.endsAt
  const revision = revisionsUpTo(key, life, at)
  const revisedAt = revision === 0 ? life.listedAt : revisionTime(key, life, revision)
  return at >= life.relistedAt ? Math.max(revisedAt, life.relistedAt) : revisedAt
}

function buildItem(
  population: Population,
  place: Place,
  index: number,
  key: number,
  life: ItemLife,
  at: number,
): Item {
  const active = at < life.endsAt || at >= life.relistedAt
  const relisted = at >= life.relistedAt
  const revision = revisionsUpTo(key, life, active ? at : life.endsAt)
  const priceChanges = countOfKind(life, 'PRICE_CHANGE', revision)
  const titleChanges = countOfKind(life, 'TITLE_CHANGE', revision)
  return {
    place,
    index,
    key,
    listingKey: life.key,
    ...population.groups.standingOf(place, index),
    active,
    listedAt: relisted ? life.relistedAt : life.listedAt,
    changedAt: lastChange(key, life, at),
    revision,
    priceChanges,
    titleChanges,
    quantityChanges: countOfKind(life, 'QUANTITY_CHANGE', revision),
    sellerRevision: 1 + priceChanges + titleChanges + (relisted ? 1 : 0),
    endDate: relisted || !saysItsEnd(life) ? undefined : life.endsAt,
    titleQuotes: titleQuotes(life.key, population),
    isSteady: life.slotMs >= HOUR_MS,
  }
}

function titleQuotes(key: number, { quotedTitles }: Population): Item['titleQuotes'] {
  if (quotedTitles === 0) return 'removed'
  return mix(key, DRAW.titleStyle) % 100 < quotedTitles * 100 ? 'added' : 'natural'
}

/** Half of the listings that end have a fixed duration. */
function saysItsEnd(life: ItemLife): boolean {
  return (
    life.endsAt !== Number.POSITIVE_INFINITY && fraction(mix(life.key, DRAW.scheduledEnd)) < 0.5
  )
}

function kindsWithin(item: Item, life: ItemLife, from: number): (ChangeKind | 'NEW')[] {
  const found = new Set<ChangeKind | 'NEW'>()
  const since = Math.max(from, item.listedAt)
  if (item.listedAt >= from) found.add('NEW')
  for (let k = item.revision; k > 0 && revisionTime(item.key, life, k) >= since; k--)
    found.add(revisionKind(life, k))
  return KIND_ORDER.filter(kind => found.has(kind))
}
