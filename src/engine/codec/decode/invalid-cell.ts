// The error of all cell decoders. The row that reads the cell adds the position.

import { excerpt, FeedError } from '../../errors'
import type { CellType } from '../../schema/values'

/** CELL_INVALID for `text`, which cannot be read as `type` because of `reason`. */
export function invalidCell(
  type: CellType,
  reason: string,
  text: string,
  cause?: unknown,
): FeedError<'CELL_INVALID'> {
  return new FeedError(
    'CELL_INVALID',
    `not readable as ${type}: ${reason}`,
    { type, reason, excerpt: excerpt(text) },
    { cause },
  )
}

export function isBadCell(error: unknown): error is FeedError<'CELL_INVALID'> {
  return FeedError.is(error) && error.code === 'CELL_INVALID'
}
