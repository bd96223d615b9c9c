// Refuses arguments that hold a password, for all commands: every user of a machine can read the
// arguments of its processes. The message shows nothing of the argument.

import { QUEUE_VARIABLES } from './queue/queue-setting'
import { usageError } from './usage-error'

/** Where a password goes instead, by the beginning of the address. */
const PLACES: readonly (readonly [address: RegExp, place: string])[] = [
  [/^postgres/i, 'set PGPASSWORD, or PGPASSFILE to a file'],
  [/^redis/i, `set ${QUEUE_VARIABLES.password}, or name a file with --queue-credentials`],
  [/^/, 'credentials belong into the environment or into a file that only you can read'],
]

/**
 * The words after `--` are the program of `verify`, which decides about them itself.
 * @throws FeedError OPTION_INVALID
 */
export function refusePasswords(argv: readonly string[]): void {
  const end = argv.indexOf('--')
  const words = end < 0 ? argv : argv.slice(0, end)
  for (const [at, word] of words.entries()) {
    const [, flag, value = word] = /^(--[\w-]+)=(.*)$/s.exec(word) ?? []
    if (!holdsPassword(value)) continue
    const option = flag ?? words[at - 1]?.match(/^--[\w-]+$/)?.[0] ?? 'the argument'
    const expected = `an address without a password: ${PLACES.find(([address]) => address.test(value))![1]}`
    const message = `${option} must be ${expected}; every user of the machine can read arguments`
    throw usageError(option, expected, 'an address with a password', message)
  }
}

/** Addresses of files may have parameters, because a signed address has no other place for them. */
function holdsPassword(text: string): boolean {
  if (!/^[a-z][a-z\d+.-]+:/i.test(text)) return false
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (url !== undefined && url.password !== '') return true
  return !/^(https?|duckdb):/i.test(text) && /:.*:.*@|password=/is.test(text)
}
