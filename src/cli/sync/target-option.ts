// The option `--to`: the database that takes the rows in place of a state folder. The form of its
// value says which database it is, and each database is loaded with its first use, because it needs
// optional packages of its own.

import type { SyncTarget } from '../../sync'
import { usageError } from '../usage-error'

interface TargetForm {
  /** The form for people. */
  readonly form: string
  readonly matches: RegExp
  open(place: string): Promise<SyncTarget>
}

const FORMS: readonly TargetForm[] = [
  {
    form: 'FILE.duckdb or duckdb:FILE',
    matches: /^duckdb:.|\.duckdb$/,
    open: async place => (await import('../../duckdb')).duckdbTarget(place.replace(/^duckdb:/, '')),
  },
  {
    form: 'postgres://user@host/database?schema=feedmill',
    matches: /^postgres(?:ql)?:/,
    open: async place => (await import('../../postgres')).postgresTarget(place),
  },
]

export const TARGET_FORMS = FORMS.map(({ form }) => form).join(' or ')

/** The reader of the option. @throws FeedError OPTION_INVALID */
export function targetPlace(place: string): string {
  formOf(place)
  return place
}

/** @throws FeedError OPTION_INVALID, DEPENDENCY_MISSING */
export async function targetOf(place: string): Promise<SyncTarget> {
  return formOf(place).open(place)
}

function formOf(place: string): TargetForm {
  const form = FORMS.find(({ matches }) => matches.test(place))
  if (form !== undefined) return form
  // The value is left out of the error, because it may have a password.
  throw usageError('--to', `a database: ${TARGET_FORMS}`, 'another text')
}
