// Which file answers a request at what time: the rules of the clock (document 2, "Limits", and the dates of each endpoint).
// What has not begun to exist, or is not over yet, has no file.

import type { FeedFile } from './feed-file'
import { dayStart } from './world/file-day'
import { DAY_MS, HOUR_MS } from './world/item-life'
import type { World } from './world/world'

export interface Calendar {
  readonly world: World
  readonly now: Date
  /** When the bootstrap files were made. */
  readonly bootstrapAt: Date
}

type Span = Pick<FeedFile, 'content' | 'from' | 'to'>

/** The latest bootstrap, or the code of the refusal. */
export function bootstrapSpan({ now, bootstrapAt }: Calendar): Span | 13007 {
  return bootstrapAt > now ? 13007 : { content: 'bootstrap', from: bootstrapAt, to: bootstrapAt }
}

/** The daily file of `yyyyMMdd`, a day of UTC-7. */
export function daySpan({ world, now }: Calendar, date: string): Span | 13005 {
  const day = readDay(date)
  if (day === undefined) return 13005
  const from = new Date(dayStart(day))
  const to = new Date(dayStart(day + 1))
  return to > now || to <= world.start ? 13005 : { content: 'span', from, to }
}

/** The hourly file of `yyyy-MM-ddThh:00:00.000Z`. */
export function hourSpan({ world, now }: Calendar, snapshotDate: string): Span | 13007 | 13021 {
  const from = readHour(snapshotDate)
  if (from === undefined) return 13021
  const to = new Date(from.getTime() + HOUR_MS)
  return to > now || from < world.start ? 13007 : { content: 'span', from, to }
}

function readDay(date: string): number | undefined {
  const parts = /^(\d{4})(\d\d)(\d\d)$/.exec(date)
  if (parts === null) return undefined
  const midnight = new Date(`${parts[1]}-${parts[2]}-${parts[3]}T00:00:00.000Z`)
  const real = !Number.isNaN(midnight.getTime()) && midnight.toISOString().slice(0, 10).replaceAll('-', '') === date
  return real ? midnight.getTime() / DAY_MS : undefined
}

function readHour(text: string): Date | undefined {
  if (!/^\d{4}-\d\d-\d\dT\d\d:00:00\.000Z$/.test(text)) return undefined
  const hour = new Date(text)
  return !Number.isNaN(hour.getTime()) && hour.toISOString() === text ? hour : undefined
}
