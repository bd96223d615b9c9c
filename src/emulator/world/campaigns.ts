// Which items are in a campaign, when they enter and leave it, and the tracking payload they then
// carry. Stays and absences alternate and have one length for each item. A payload is renewed on
// some days of a stay.

import { DRAW } from './draws'
import { dayNumber } from './file-day'
import { between, fraction, mix, opaque } from './hash'
import { DAY_MS } from './item-life'

export type CampaignChangeKind =
  | 'ADDED_TO_CAMPAIGN'
  | 'REMOVED_FROM_CAMPAIGN'
  | 'TRACKING_PAYLOAD_REFRESHED'

const PROMOTED_SHARE = 0.08
const REFRESH_SHARE = 0.2

interface Stay {
  readonly member: boolean
  readonly since: number
}

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

/** Stays are two days or longer, so a day has at most one change. */
function stayAt(key: number, time: number): Stay {
  const length = between(mix(key, DRAW.campaignLength), 2 * DAY_MS, 9 * DAY_MS)
  const offset = Math.floor(fraction(mix(key, DRAW.campaignPhase)) * length)
  const turn = Math.floor((time - offset) / length)
  return { member: turn % 2 === 0, since: turn * length + offset }
}
