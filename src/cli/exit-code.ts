// The exit codes, the same for every command, and how a failure becomes one. After a signal the
// code comes from sync/stop-signals.ts.

import { FeedError } from '../index'

export const FAILURE = 1
export const WRONG_USAGE = 2

/** For the help text. */
export const EXIT_CODES: readonly (readonly [code: string, meaning: string])[] = [
  ['0', 'success'],
  [`${FAILURE}`, 'a failure, told as `feedmill: CODE: message` on standard error'],
  [`${WRONG_USAGE}`, 'wrong usage: an unknown command or option, a missing or invalid value'],
  ['130, 143', 'stopped by SIGINT or SIGTERM; `serve`, which has no other end, then exits with 0'],
]

/**
 * What the parser of the command line throws, help and version included; it has printed its message
 * by then.
 */
interface UsageError {
  readonly code: `commander.${string}`
  readonly exitCode: number
}

export function exitCodeOf(error: unknown): number {
  if (isUsageError(error)) return error.exitCode === 0 ? 0 : WRONG_USAGE
  return FeedError.is(error) && error.code === 'OPTION_INVALID' ? WRONG_USAGE : FAILURE
}

/**
 * What is still to be printed of a failure. A FeedError says what is wrong in its message; of a
 * defect the stack is what helps.
 */
export function failureText(error: unknown): string | undefined {
  if (isUsageError(error)) return undefined
  if (FeedError.is(error)) return `feedmill: ${error.code}: ${error.message}`
  return `feedmill: a defect of feedmill itself: ${error instanceof Error ? error.stack : String(error)}`
}

function isUsageError(error: unknown): error is UsageError {
  return (
    error instanceof Error && String((error as Partial<UsageError>).code).startsWith('commander.')
  )
}
