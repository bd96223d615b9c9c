// The check of a numeric option that counts something: bytes, attempts, milliseconds.

import { FeedError } from '../errors'

/** Returns `value` when it is a whole number from `least` to `most`, else throws OPTION_INVALID. */
export function wholeNumber(option: string, value: number, least = 1, most = Number.MAX_SAFE_INTEGER): number {
  if (Number.isInteger(value) && value >= least && value <= most) return value
  const expected = `a whole number from ${least} to ${most}`
  throw new FeedError('OPTION_INVALID', `${option} must be ${expected}`, { option, expected, received: String(value) })
}
