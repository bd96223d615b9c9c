// The exit codes, which all commands share, and the code for each failure. After a signal,
// sync/stop-signals.ts gives the code.

import { bugs } from '../../package.json'
import { type ErrorCode, FeedError } from '../index'
import { messageWithPlace } from './error-place'
import { jsonText } from './output'

export const FAILURE = 1
export const WRONG_USAGE = 2
/** 128 and the number of SIGPIPE: the code of a program that ends because nobody reads it. */
export const OUTPUT_CLOSED = 141

/** The codes and their meanings, for the help text. */
export const EXIT_CODES: readonly (readonly [code: string, meaning: string])[] = [
  ['0', 'success'],
  [
    `${FAILURE}`,
    'a failure, in one line on standard error: `feedmill: CODE: message`, or JSON with `--json`; ' +
      'a wrong result of `demo` or `verify`; ' +
      'a file that `inspect` cannot read to its end, or drift that breaks a consumer; ' +
      'differences that `diff` finds; from `bench` only a proven regression',
  ],
  [
    `${WRONG_USAGE}`,
    'wrong usage: an unknown command or option, a missing or invalid value; ' +
      'from `bench` every failure, such as a wrong result',
  ],
  [
    '130, 143',
    'stopped by SIGINT or SIGTERM; `serve` and `worker`, which have no other end, then exit with 0',
  ],
  [
    `${OUTPUT_CLOSED}`,
    'the reader of standard output has closed it, as `| head` does; nothing is printed',
  ],
]

/**
 * The error that the parser of the command line throws, also for help and version. The parser has
 * printed its message before.
 */
interface UsageError {
  readonly code: `commander.${string}`
  readonly exitCode: number
}

export function exitCodeOf(error: unknown): number {
  if (isUsageError(error)) return error.exitCode === 0 ? 0 : WRONG_USAGE
  if (isClosedOutput(error)) return OUTPUT_CLOSED
  return FeedError.is(error) && USAGE_CODES.includes(error.code) ? WRONG_USAGE : FAILURE
}

/** A value that no request can have: the service has seen nothing of it. */
const USAGE_CODES: readonly ErrorCode[] = [
  'OPTION_INVALID',
  'REQUEST_INVALID',
  'HTTP_IDENTIFIER_INVALID',
]

/**
 * Returns the lines to print for a failure: none when the parser has printed it, or nobody reads.
 * The message of a FeedError is enough; a defect needs its stack.
 * @param isJson true gives a FeedError as one line of JSON, with the facts of its context
 */
export function failureLines(error: unknown, isJson = false): string[] {
  if (isUsageError(error) || isClosedOutput(error)) return []
  if (FeedError.is(error)) {
    const { code, message, context } = error
    return [
      isJson
        ? jsonText({ error: { code, message, context } })
        : `feedmill: ${code}: ${messageWithPlace(error)}`,
    ]
  }
  const facts = error instanceof Error ? (error.stack ?? error.message) : String(error)
  return [
    `feedmill: a defect of feedmill itself: please report it at ${bugs.url}`,
    ...facts.split('\n'),
  ]
}

function isClosedOutput(error: unknown): boolean {
  if (!FeedError.is(error) || error.code !== 'SINK_FAILED') return false
  const { target, reason } = error.context
  return target === 'standard output' && reason === 'EPIPE'
}

function isUsageError(error: unknown): error is UsageError {
  return (
    error instanceof Error && String((error as Partial<UsageError>).code).startsWith('commander.')
  )
}
