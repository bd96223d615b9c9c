// The option `--to` of `feedmill sync`: a database in place of a state folder, by the form of its
// address. Each database is loaded with its first use.

import { FeedError } from '../../index'
import type { SyncTarget } from '../../sync/index'
import { NEEDED_PACKAGES } from '../needed-packages'

interface TargetForm {
  /** The address as the help shows it. */
  readonly shown: string
  readonly matches: RegExp
  /** The optional packages that it needs. */
  readonly packages: readonly ('pg' | 'pg-copy-streams')[]
  open(address: string): Promise<SyncTarget>
}

const TARGET_FORMS: readonly TargetForm[] = [
  {
    shown: 'postgres://user@host/database',
    matches: /^postgres(?:ql)?:/,
    packages: ['pg', 'pg-copy-streams'],
    open: async address => {
      refusePassword(address)
      return (await import('../../postgres/index')).postgresTarget(address)
    },
  },
]

/** @throws FeedError OPTION_INVALID */
export function targetForm(address: string): TargetForm {
  const form = TARGET_FORMS.find(({ matches }) => matches.test(address))
  if (form !== undefined) return form
  throw wrong(`a database such as ${TARGET_FORMS.map(({ shown }) => shown).join(' or ')}`)
}

/** Returns the packages that the place of the rows needs. @throws FeedError OPTION_INVALID */
export function packagesOfPlace({ state, to }: { readonly state?: string; readonly to?: string }) {
  if (to !== undefined) return targetForm(to).packages
  if (state !== undefined) return NEEDED_PACKAGES.sync
  const expected = 'a state folder, or --to a database'
  const context = { option: '--state', expected, received: 'nothing' }
  throw new FeedError('OPTION_INVALID', `--state must be ${expected}`, context)
}

/** Every user of a machine can read the arguments of its processes. */
function refusePassword(address: string): void {
  const url = URL.canParse(address) ? new URL(address) : undefined
  if (url === undefined || url.password !== '' || url.searchParams.has('password'))
    throw wrong('an address without a password: set PGPASSWORD, or PGPASSFILE to a file')
}

/** The address is left out of the error, because it may have a password. */
function wrong(expected: string): FeedError<'OPTION_INVALID'> {
  const context = { option: '--to', expected, received: 'another text' }
  return new FeedError('OPTION_INVALID', `--to must be ${expected}`, context)
}
