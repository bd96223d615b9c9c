// The one error of all cell decoders. It has no position: the row that asked for the cell adds it.

import { excerpt, FeedError } from '../../errors'
import type { CellType } from '../../schema/values'

/** CELL_INVALID for `text`, which cannot be read as `type` because of `reason`. */
export function invalidCell(
  type: CellType,
  reason: string,
  text: string,
): FeedError<'CELL_INVALID'> {
  return new FeedError('CELL_INVALID', `not readable as ${type}: ${reason}`, {
    type,
    reason,
    excerpt: excerpt(text),
  })
}
