// A row of a program's output, and the error of an output that cannot be read. `verify` takes this
// error as a finding about the program, and every other one as a failure of its own.

import { FeedError } from '../../index'

/** The cells of a row by the names of their columns. */
export type OutputRow = Readonly<Record<string, unknown>>

export function unreadable(expected: string, received: string, cause?: unknown): FeedError {
  return new FeedError(
    'STAGE_INPUT_INVALID',
    `the output must be ${expected}: ${received}`,
    { stage: 'verify', expected, received },
    { cause },
  )
}
