// Compares the reports of two files of one feed by the rules of drift-rules.ts.

import { optionInvalid } from '../../engine/index'
import { checkedReport } from '../checked-report'
import type { ColumnProfile, InspectReport } from '../report'
import {
  COLUMN_RULES,
  type DriftRule,
  type DriftSeverity,
  FILE_RULES,
  LOST_RULES,
  NEW_RULES,
} from './drift-rules'

/** A difference between two files. */
export interface Drift {
  /** The name of the rule, as the guide lists it. */
  readonly rule: string
  readonly severity: DriftSeverity
  /** Null where the difference is about the file as a whole. */
  readonly column: string | null
  /** What the rule looks at, in the earlier and in the later file. */
  readonly before: string
  readonly after: string
}

/**
 * Compares two reports of files of one feed: the rules of the guide, first those about the file,
 * then those about columns in the order of the earlier file.
 * @throws FeedError OPTION_INVALID where a value is no report, or the reports have different schemas
 * @example
 * ```ts
 * import { compareReports, inspect } from 'feedmill/inspect'
 *
 * const before = await inspect([Buffer.from('itemId\ttitle\tbrand\n1\ta\tb\n')])
 * const after = await inspect([Buffer.from('itemId\ttitle\n1\ta\n')])
 * for (const { severity, rule, column } of compareReports(before, after))
 *   console.log(severity, rule, column)
 * // => breaks column-lost brand
 * ```
 */
export function compareReports(before: InspectReport, after: InspectReport): Drift[] {
  checkedReport('before', before)
  checkedReport('after', after)
  if (before.schema !== after.schema)
    throw optionInvalid(
      'before',
      `a report with the schema of the later file, ${after.schema ?? 'none'} (inspect both with one schema)`,
      before.schema ?? 'none',
    )
  const found = <B, A>(
    rules: readonly DriftRule<B, A>[],
    column: string | null,
    was: B,
    is: A,
  ): Drift[] =>
    rules.flatMap(({ name, severity, find }) => {
      const finding = find(was, is)
      return finding === false ? [] : [{ rule: name, severity, column, ...finding }]
    })
  const [was, is] = [byName(before), byName(after)]
  return [
    ...found(FILE_RULES, null, before, after),
    // A file without a readable header is one failure, not one for each column.
    ...(after.header === null
      ? []
      : [...was].flatMap(([name, column]) => {
          const later = is.get(name)
          return later === undefined
            ? found(LOST_RULES, name, column, undefined)
            : found(COLUMN_RULES, name, column, later)
        })),
    ...[...is].flatMap(([name, column]) =>
      was.has(name) ? [] : found(NEW_RULES, name, undefined, column),
    ),
  ]
}

function byName({ columns }: InspectReport): ReadonlyMap<string, ColumnProfile> {
  return new Map(columns.map(column => [column.name, column]))
}
