// The checks of request parameters before a request is sent (feed-file-catalog.md, section 2;
// item-feeds.md, sections 3 and 6; service-notes.md, section 3.2). A date is refused only where it
// is outside its window in every time zone from UTC-7 to UTC.

import { excerpt, FeedError, readInstant } from '../../engine/index'
import type { ServiceProfile } from '../profile'

/**
 * `all` checks the forms of parameters, and date windows by the clock. `forms` checks no windows,
 * for services with other windows. `none` sends all parameters unchecked, to test the refusals of a
 * service; only identifiers in paths are checked.
 */
export type CheckMode = 'all' | 'forms' | 'none'

export interface CheckOptions {
  readonly mode: CheckMode
  readonly profile: ServiceProfile
  readonly now: () => number
}

const DAY_MS = 86_400_000
const HOUR_MS = 3_600_000
/** Daily files are days of UTC-7 (item-feeds.md, section 6). */
const STORAGE_OFFSET_MS = 7 * HOUR_MS

/** The checks of one request. Each throws REQUEST_INVALID. Optional parameters may be absent. */
export class RequestChecks {
  readonly #operation: string
  readonly #options: CheckOptions

  constructor(operation: string, options: CheckOptions) {
    this.#operation = operation
    this.#options = options
  }

  marketplace(value: string, parameter = 'marketplace'): void {
    const { marketplacePrefix } = this.#options.profile
    const code =
      typeof value === 'string' && value.startsWith(marketplacePrefix)
        ? value.slice(marketplacePrefix.length)
        : ''
    this.#form(
      parameter,
      value,
      /^[A-Z]{2}$/.test(code),
      `${marketplacePrefix}<two-letter country code>`,
    )
  }

  marketplaces(values: readonly string[] | undefined): void {
    this.#list('marketplaceIds', values, this.#options.profile.limits.marketplaceIds, value =>
      this.marketplace(value, 'marketplaceIds'),
    )
  }

  category(value: string, parameter = 'categoryId'): void {
    this.#form(parameter, value, /^\d{1,20}$/.test(value), 'the digits of a top-level category')
  }

  categories(values: readonly string[] | undefined): void {
    this.#list('categoryIds', values, this.#options.profile.limits.categoryIds, value =>
      this.category(value, 'categoryIds'),
    )
  }

  oneOf(parameter: string, value: string, allowed: readonly string[]): void {
    this.#form(parameter, value, allowed.includes(value), allowed.join(' or '))
  }

  /** Checks a name in the form of the enumerations and identifiers of the service. */
  name(parameter: string, value: string | undefined): void {
    if (value !== undefined)
      this.#form(parameter, value, /^[\w.:-]{1,200}$/.test(value), 'letters, digits and _ . : -')
  }

  /** Checks a required text. */
  text(parameter: string, value: string | undefined): void {
    this.#form(
      parameter,
      value,
      typeof value === 'string' && value.trim() !== '',
      'a text that is not empty',
    )
  }

  wholeNumber(parameter: string, value: number | undefined, least: number, most: number): void {
    if (value === undefined) return
    this.#form(
      parameter,
      value,
      Number.isInteger(value) && value >= least && value <= most,
      `a whole number from ${least} to ${most}`,
    )
  }

  /** Checks a day `yyyyMMdd` that is not in the future and at most `daysBack` days ago. */
  date(value: string | undefined, daysBack = Number.POSITIVE_INFINITY): void {
    const startMs = readDay(value ?? '')
    this.#form('date', value, startMs !== undefined, 'a day of the calendar as yyyyMMdd')
    const nowMs = this.#options.now()
    this.#window('date', value, startMs! <= nowMs, 'a day that is not in the future')
    const firstMs = startOfDay(nowMs - STORAGE_OFFSET_MS) - daysBack * DAY_MS
    this.#window('date', value, startMs! >= firstMs, `a day at most ${daysBack} days ago`)
  }

  /** Checks a whole hour of UTC that is not in the future and at most `snapshotDays` ago. */
  hour(parameter: string, value: Date | string): void {
    const startMs = readHour(hourText(value))
    this.#form(
      parameter,
      value,
      startMs !== undefined,
      'a whole hour of UTC as yyyy-MM-ddThh:00:00.000Z, or a Date of one',
    )
    const nowMs = this.#options.now()
    const { snapshotDays } = this.#options.profile.limits
    this.#window(parameter, value, startMs! <= nowMs, 'an hour that is not in the future')
    this.#window(
      parameter,
      value,
      startMs! >= nowMs - snapshotDays * DAY_MS - HOUR_MS,
      `an hour at most ${snapshotDays} days ago`,
    )
  }

  #list(
    parameter: string,
    values: readonly string[] | undefined,
    most: number,
    check: (value: string) => void,
  ): void {
    if (values === undefined) return
    this.#form(
      parameter,
      values,
      Array.isArray(values) && values.length >= 1 && values.length <= most,
      `1 to ${most} identifiers`,
    )
    if (this.#options.mode !== 'none') values.forEach(check)
  }

  #form(parameter: string, value: unknown, fits: boolean, expected: string): void {
    if (!fits && this.#options.mode !== 'none') throw this.#invalid(parameter, value, expected)
  }

  #window(parameter: string, value: unknown, fits: boolean, expected: string): void {
    if (!fits && this.#options.mode === 'all') throw this.#invalid(parameter, value, expected)
  }

  #invalid(parameter: string, value: unknown, expected: string): FeedError {
    const context = {
      operation: this.#operation,
      parameter,
      expected,
      received: excerpt(shown(value)),
    }
    return new FeedError(
      'REQUEST_INVALID',
      `${this.#operation}: ${parameter} must be ${expected}`,
      context,
    )
  }
}

/** Returns the hour in the form of the service. Other text is returned unchanged. */
export function hourText(hour: Date | string): string {
  return hour instanceof Date && !Number.isNaN(hour.getTime()) ? hour.toISOString() : String(hour)
}

function startOfDay(ms: number): number {
  return Math.floor(ms / DAY_MS) * DAY_MS
}

function shown(value: unknown): string {
  if (value instanceof Date) return hourText(value)
  return typeof value === 'string' ? value : (JSON.stringify(value) ?? 'undefined')
}

/**
 * Reads a day of the calendar `yyyyMMdd`. Returns its midnight in UTC, in milliseconds since 1970;
 * undefined for any other text.
 */
export function readDay(text: string): number | undefined {
  const [, year, month, day] = /^(\d{4})(\d\d)(\d\d)$/.exec(text) ?? []
  return readHour(`${year}-${month}-${day}T00:00:00.000Z`)
}

/**
 * Reads an hour `yyyy-MM-ddThh:00:00.000Z`. Returns milliseconds since 1970; undefined for any
 * other text.
 */
export function readHour(text: string): number | undefined {
  const isHour = /^\d{4}-\d\d-\d\dT\d\d:00:00\.000Z$/.test(text)
  return isHour ? readInstant(text)?.getTime() : undefined
}
