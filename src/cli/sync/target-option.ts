// The option `--to`: the target that an address means. The form of the address chooses the target,
// whose module is loaded then, because each needs an optional package of its own.

import { FeedError } from '../../index'
import type { SyncTarget } from '../../sync/index'

/** @throws FeedError OPTION_INVALID for an address of an unknown form, DEPENDENCY_MISSING */
export async function targetOf(to: string): Promise<SyncTarget> {
  const expected = 'the address of a target'
  // An address may have a password.
  const received = /^[a-z+]+:/.exec(to)?.[0] ?? 'no address'
  const context = { option: 'to', expected, received }
  throw new FeedError('OPTION_INVALID', `--to must be ${expected}, not ${received}`, context)
}
