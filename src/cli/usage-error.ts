// The error of a wrong option, argument or file of the command line: exit code 2.

import { FeedError } from '../index'

/** @param message by default what the option must be */
export function usageError(
  option: string,
  expected: string,
  received: string,
  message = `${option} must be ${expected}`,
  cause?: unknown,
): FeedError<'OPTION_INVALID'> {
  return new FeedError('OPTION_INVALID', message, { option, expected, received }, { cause })
}
