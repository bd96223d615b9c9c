// The option `--to`: the database that takes the rows in place of a state folder. The form of its
// value says which database it is.

import type { SyncTarget } from '../../sync/index'
import { InvalidArgumentError } from '../command-options'

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
    open: async place =>
      (await import('../../duckdb/index')).duckdbTarget(place.replace(/^duckdb:/, '')),
  },
]

/** The parser of the option. */
export function targetPlace(place: string): string {
  if (formOf(place) === undefined)
    throw new InvalidArgumentError(`not one of ${FORMS.map(({ form }) => form).join(', ')}`)
  return place
}

/** Returns the target of a value that {@link targetPlace} has let pass. */
export function targetOf(place: string): Promise<SyncTarget> {
  return formOf(place)!.open(place)
}

function formOf(place: string): TargetForm | undefined {
  return FORMS.find(({ matches }) => matches.test(place))
}
