// When things happen to an item: listed, changed again and again, ended, perhaps relisted, taken
// into a campaign and out of it. Pure arithmetic over the item's key, so the state at any time
// costs the same. This file knows the kinds of changes, but not the new values.
//
// Time from the listing on is cut into slots of one length per item, and each slot holds exactly
// one change at a drawn moment: revision k happens in slot k. Times are milliseconds since the
// epoch.

import { between, DRAW, fraction, mix, opaque } from './hash'

export const HOUR_MS = 3_600_000
export const DAY_MS = 24 * HOUR_MS

/** The day of daily files begins at midnight of UTC-7 (item-feeds.md, section 6). */
const DAY_OFFSET_MS = 7 * HOUR_MS

/** Returns the number of the day of `time` (milliseconds since the epoch). */
export function dayNumber(time: number): number {
  return Math.floor((time - DAY_OFFSET_MS) / DAY_MS)
}

/** Returns the first millisecond of a day. */
export function dayStart(day: number): number {
  return day * DAY_MS + DAY_OFFSET_MS
}

export interface LifeSpan {
  readonly startMs: number
  readonly endMs: number
  /** The rate of changes. With 1, a little over one item in a hundred changes in an hour. */
  readonly churn: number
  /** The share of items whose listing ends. */
  readonly endings: number
  /** The share of items that are listed within the span; the others are in the 60 days before. */
  readonly fresh: number
}

export type ItemLife = ReturnType<typeof itemLife>

export type ChangeKind = 'PRICE_CHANGE' | 'QUANTITY_CHANGE' | 'TITLE_CHANGE'

/** The cycle of changes. Two consecutive changes never have the same kind. */
const CYCLE: readonly ChangeKind[] = [
  'PRICE_CHANGE',
  'QUANTITY_CHANGE',
  'TITLE_CHANGE',
  'QUANTITY_CHANGE',
  'PRICE_CHANGE',
  'QUANTITY_CHANGE',
  'PRICE_CHANGE',
  'QUANTITY_CHANGE',
]

/** Shares of items by pace: up to this fraction of the draw, slots of low to high hours. */
const PACES: readonly (readonly [upTo: number, lowHours: number, highHours: number])[] = [
  [0.004, 0.3, 1.5],
  [0.15, 12, 36],
  [0.65, 60, 300],
  [1, 400, 1000],
]

/** The days before the start in which the first listings are made. */
export const DAYS_BEFORE = 60
const RELISTED_SHARE = 0.35

export function itemLife(key: number, span: LifeSpan) {
  const listedAt = drawListing(key, span)
  const scaled = (hours: number) => Math.max(60_000, Math.floor((hours * HOUR_MS) / span.churn))
  let endsAt = Number.POSITIVE_INFINITY
  let relistedAt = Number.POSITIVE_INFINITY
  if (fraction(mix(key, DRAW.mortal)) < span.endings) {
    endsAt =
      Math.max(listedAt, span.startMs) +
      scaled(between(mix(key, DRAW.lifetime), 1, 1_500) + fraction(mix(key, DRAW.scheduledEnd)))
    if (fraction(mix(key, DRAW.relisted)) < RELISTED_SHARE)
      relistedAt = endsAt + scaled(between(mix(key, DRAW.relistGap), 1, 96))
  }
  return {
    key,
    listedAt,
    /** The end of the listing. Infinity for an item that never ends. */
    endsAt,
    /** The time of relisting. Infinity for an item that is not relisted. */
    relistedAt,
    slotMs: scaled(drawSlotHours(key)),
    /** The position in the cycle of changes at which the item begins. */
    phase: mix(key, DRAW.phase) % CYCLE.length,
  }
}

function drawListing(key: number, span: LifeSpan): number {
  const at = fraction(mix(key, DRAW.listedAt))
  const fresh = fraction(mix(key, DRAW.fresh)) < span.fresh
  return fresh
    ? span.startMs + Math.floor(at * (span.endMs - span.startMs))
    : span.startMs - 1 - Math.floor(at * DAYS_BEFORE * DAY_MS)
}

function drawSlotHours(key: number): number {
  const draw = fraction(mix(key, DRAW.pace))
  const pace = PACES.find(([upTo]) => draw < upTo) ?? PACES[PACES.length - 1]!
  return pace[1] + fraction(mix(key, DRAW.paceLength)) * (pace[2] - pace[1])
}

/**
 * Returns the moment of revision `k`, which is at least 1. The moment rises strictly with `k`. Items
 * that share a life change price and title together, and each has sales of its own.
 *
 * @param key the key of the item
 */
export function revisionTime(key: number, life: ItemLife, k: number): number {
  const drawn = revisionKind(life, k) === 'QUANTITY_CHANGE' ? key : life.key
  return (
    life.listedAt +
    (k - 1) * life.slotMs +
    1 +
    Math.floor(fraction(mix(mix(drawn, DRAW.revision), k)) * life.slotMs)
  )
}

/**
 * Returns the number of revisions up to and including `time`, which must not be before the listing.
 */
export function revisionsUpTo(key: number, life: ItemLife, time: number): number {
  const slot = Math.floor((time - life.listedAt) / life.slotMs) + 1
  return revisionTime(key, life, slot) <= time ? slot : slot - 1
}

export function revisionKind(life: ItemLife, k: number): ChangeKind {
  return CYCLE[(life.phase + k) % CYCLE.length]!
}

/** Returns how many of the first `k` revisions have this kind. */
export function countOfKind(life: ItemLife, kind: ChangeKind, k: number): number {
  return occurrences(kind, life.phase + k) - occurrences(kind, life.phase)
}

const PREFIXES = new Map<ChangeKind, readonly number[]>(
  (['PRICE_CHANGE', 'QUANTITY_CHANGE', 'TITLE_CHANGE'] as const).map(kind => [
    kind,
    CYCLE.map((_, i) => CYCLE.slice(0, i + 1).filter(k => k === kind).length),
  ]),
)

/** Counts the occurrences in the positions 0 to `last` of the endless cycle. */
function occurrences(kind: ChangeKind, last: number): number {
  const prefix = PREFIXES.get(kind)!
  return Math.floor(last / CYCLE.length) * prefix[CYCLE.length - 1]! + prefix[last % CYCLE.length]!
}

export type CampaignChangeKind =
  | 'ADDED_TO_CAMPAIGN'
  | 'REMOVED_FROM_CAMPAIGN'
  | 'TRACKING_PAYLOAD_REFRESHED'

const PROMOTED_SHARE = 0.08
const REFRESH_SHARE = 0.2

/**
 * Returns what happened to the priority of the item on this day, up to its last millisecond.
 * Returns an empty text when nothing happened.
 */
export function campaignChanges(
  key: number,
  day: number,
  dayEnd: number,
): readonly CampaignChangeKind[] {
  if (!isPromoted(key)) return []
  const now = stayAt(key, dayEnd - 1)
  const entered = dayNumber(now.since) === day
  if (!now.member) return entered ? ['REMOVED_FROM_CAMPAIGN'] : []
  if (entered) return ['ADDED_TO_CAMPAIGN']
  return isRefreshed(key, day) ? ['TRACKING_PAYLOAD_REFRESHED'] : []
}

/** Returns the payload at the end of the day of `time`, which is empty outside a campaign. */
export function campaignPayload(key: number, time: number): string {
  if (!isPromoted(key)) return ''
  const stay = stayAt(key, time)
  if (!stay.member) return ''
  const entered = dayNumber(stay.since)
  let day = dayNumber(time)
  while (day > entered && !isRefreshed(key, day)) day--
  return opaque(mix(mix(key, DRAW.campaignPayload), day), 10)
}

function isPromoted(key: number): boolean {
  return fraction(mix(key, DRAW.campaign)) < PROMOTED_SHARE
}

function isRefreshed(key: number, day: number): boolean {
  return fraction(mix(mix(key, DRAW.campaignRefresh), day)) < REFRESH_SHARE
}

/**
 * Stays in a campaign and absences alternate and have one length for each item. The tracking
 * payload is renewed on some days of a stay. Stays are two days or longer, so a day has at most one
 * change.
 */
function stayAt(key: number, time: number) {
  const length = between(mix(key, DRAW.campaignLength), 2 * DAY_MS, 9 * DAY_MS)
  const offset = Math.floor(fraction(mix(key, DRAW.campaignPhase)) * length)
  const turn = Math.floor((time - offset) / length)
  return { member: turn % 2 === 0, since: turn * length + offset }
}
