// The rules that say what has changed between two files of a feed, as data: each with its name, its
// condition in words, how much it matters, and the function that finds it. The guide has the same
// table (src/guide/inspect.md), and test/tables.test.ts compares the two.

import type { ColumnProfile, InspectReport } from '../report'

/**
 * `breaks`: a consumer of the file would feel it, as rows or values are lost, cannot be read or mean
 * something else. `notice`: worth a look.
 */
export type DriftSeverity = 'breaks' | 'notice'

/** What a rule found. */
export interface Finding {
  readonly before: string
  readonly after: string
}

/** A rule about a file as a whole, or about a column that one of the files or both have. */
export interface DriftRule<Before, After> {
  readonly name: string
  readonly severity: DriftSeverity
  /** Returns false where the rule finds nothing. */
  find(before: Before, after: After): Finding | false
}

/** A share may grow by this much: one row in a thousand. */
const BAD_SHARE = 0.001
/** Shares of empty cells that differ by less than this are the same. */
const EMPTY_NOTICE = 0.05
const EMPTY_BREAKS = 0.2
/** Parts of the earlier number of rows. */
const ROWS_BREAKS = 0.5
const ROWS_NOTICE = 0.2
/** A column whose distinct values are this part of its filled cells is a key. */
const KEY_SHARE = 0.98
const KEY_LOST_SHARE = 0.95
/** A column with fewer filled cells says nothing about its distinct values. */
const LEAST_CELLS = 100

export const FILE_RULES: readonly DriftRule<InspectReport, InspectReport>[] = [
  {
    name: 'unreadable',
    severity: 'breaks',
    find: (before, after) =>
      before.failure === null &&
      after.failure !== null && { before: 'read to its end', after: after.failure.code },
  },
  {
    name: 'bad-rows-up',
    severity: 'breaks',
    find: (before, after) => grown(badRowShare(before), badRowShare(after), BAD_SHARE),
  },
  {
    name: 'rows-lost',
    severity: 'breaks',
    find: (before, after) =>
      after.rows < before.rows * (1 - ROWS_BREAKS) && counts(before.rows, after.rows),
  },
  {
    name: 'rows-changed',
    severity: 'notice',
    find: (before, after) =>
      Math.abs(after.rows - before.rows) > before.rows * ROWS_NOTICE &&
      after.rows >= before.rows * (1 - ROWS_BREAKS) &&
      counts(before.rows, after.rows),
  },
  {
    name: 'order-changed',
    severity: 'notice',
    find: (before, after) => {
      const [was, is] = [shared(before, after), shared(after, before)]
      const at = was.findIndex((name, n) => name !== is[n])
      return at >= 0 && { before: was[at]!, after: is[at]! }
    },
  },
]

/** The rules about columns that the later file lacks. */
export const LOST_RULES: readonly DriftRule<ColumnProfile, undefined>[] = [
  {
    name: 'column-lost',
    severity: 'breaks',
    find: ({ filled }) => filled > 0 && { before: `${filled} filled cells`, after: 'no column' },
  },
  {
    name: 'empty-column-lost',
    severity: 'notice',
    find: ({ filled }) => filled === 0 && { before: 'empty', after: 'no column' },
  },
]

/** The rules about columns that the earlier file lacks. */
export const NEW_RULES: readonly DriftRule<undefined, ColumnProfile>[] = [
  {
    name: 'column-new',
    severity: 'notice',
    find: (_, { filled }) => ({ before: 'no column', after: `${filled} filled cells` }),
  },
]

/** The rules about columns of both files. */
export const COLUMN_RULES: readonly DriftRule<ColumnProfile, ColumnProfile>[] = [
  {
    name: 'type-changed',
    severity: 'breaks',
    find: (before, after) =>
      before.type !== after.type && { before: before.type, after: after.type },
  },
  {
    name: 'invalid-up',
    severity: 'breaks',
    find: (before, after) =>
      before.type === after.type && grown(invalidShare(before), invalidShare(after), BAD_SHARE),
  },
  {
    name: 'heading-changed',
    severity: 'notice',
    find: (before, after) =>
      before.heading !== after.heading && { before: before.heading, after: after.heading },
  },
  {
    name: 'empty-up',
    severity: 'breaks',
    find: (before, after) =>
      isEmptied(before, after) && shares(emptyShare(before), emptyShare(after)),
  },
  {
    name: 'empty-changed',
    severity: 'notice',
    find: (before, after) =>
      after.filled + after.empty > 0 &&
      before.filled + before.empty > 0 &&
      Math.abs(emptyShare(after) - emptyShare(before)) > EMPTY_NOTICE &&
      !isEmptied(before, after) &&
      shares(emptyShare(before), emptyShare(after)),
  },
  {
    name: 'key-lost',
    severity: 'breaks',
    find: (before, after) =>
      isMeasured(before, after) &&
      distinctShare(before) >= KEY_SHARE &&
      distinctShare(after) < KEY_LOST_SHARE &&
      shares(distinctShare(before), distinctShare(after)),
  },
  {
    name: 'distinct-collapsed',
    severity: 'breaks',
    find: (before, after) =>
      isMeasured(before, after) &&
      before.distinct > 2 &&
      after.distinct === 1 &&
      counts(before.distinct, after.distinct),
  },
  {
    name: 'distinct-down',
    severity: 'notice',
    find: (before, after) =>
      isMeasured(before, after) &&
      before.distinct > 2 &&
      after.distinct > 1 &&
      after.distinct < before.distinct / 2 &&
      after.filled > before.filled / 2 &&
      counts(before.distinct, after.distinct),
  },
  {
    name: 'range-shifted',
    severity: 'notice',
    find: (before, after) => {
      const [was, is] = [limits(before), limits(after)]
      if (was === undefined || is === undefined) return false
      const width = was.max - was.min
      const isShifted = is.min < was.min - width || is.max > was.max + width
      return isShifted && { before: rangeText(before), after: rangeText(after) }
    },
  },
]

function badRowShare({ rows, badRows }: InspectReport): number {
  return part(badRows.count, rows + badRows.count)
}

function invalidShare({ invalid, filled, empty }: ColumnProfile): number {
  return part(invalid, filled + empty)
}

function emptyShare({ empty, filled }: ColumnProfile): number {
  return part(empty, empty + filled)
}

function distinctShare({ distinct, filled }: ColumnProfile): number {
  return Math.min(1, part(distinct, filled))
}

/** True where many values are gone, or all of a column that had some. */
function isEmptied(before: ColumnProfile, after: ColumnProfile): boolean {
  if (after.empty === 0) return false
  if (after.filled === 0) return before.filled > 0
  return emptyShare(after) - emptyShare(before) > EMPTY_BREAKS
}

function isMeasured(before: ColumnProfile, after: ColumnProfile): boolean {
  return before.filled >= LEAST_CELLS && after.filled >= LEAST_CELLS
}

/** The columns of one file that the other one has too, in their order. */
function shared(one: InspectReport, other: InspectReport): string[] {
  const names = new Set(other.columns.map(({ name }) => name))
  return one.columns.map(({ name }) => name).filter(name => names.has(name))
}

function limits({ range }: ColumnProfile): { min: number; max: number } | undefined {
  if (range === null) return undefined
  const [min, max] = [range.min, range.max].map(value =>
    typeof value === 'number' ? value : Date.parse(value),
  )
  return { min: min!, max: max! }
}

function rangeText({ range }: ColumnProfile): string {
  return range === null ? '' : `${range.min} to ${range.max}`
}

function grown(before: number, after: number, most: number): Finding | false {
  return after - before > most && shares(before, after)
}

function shares(before: number, after: number): Finding {
  return { before: percent(before), after: percent(after) }
}

function counts(before: number, after: number): Finding {
  return { before: `${before}`, after: `${after}` }
}

function percent(share: number): string {
  return `${(share * 100).toFixed(1)}%`
}

function part(count: number, of: number): number {
  return of === 0 ? 0 : count / of
}
