// Checks how much of the state a bootstrap would remove. A verified file can still be the wrong
// one: incomplete at its source, or of another category.
//
// A target leaves out the check for a file that the service proved to be empty (a 204, or a total
// of 0), and a state of few rows, whose shares vary widely, is not checked either.

import { FeedError } from '../../engine/index'
import { categoryKey, type FileId, fileIdKey } from '../file-id'

/** Number of rows from which on a state is checked. */
const LEAST_ROWS = 100

export interface Removal {
  readonly rowsBefore: number
  readonly rowsRemoved: number
  readonly maxRemovedShare: number
}

const NAMES: Partial<Record<FileId['feed'], string>> = { item: 'items', item_group: 'item groups' }

/** @throws FeedError SYNC_REMOVAL_REFUSED where a state of many rows would lose too many */
export function refuseRemoval(id: FileId, removal: Removal): void {
  const { rowsBefore, rowsRemoved, maxRemovedShare } = removal
  if (rowsBefore < LEAST_ROWS || rowsRemoved <= rowsBefore * maxRemovedShare) return
  const file = fileIdKey(id)
  const what = NAMES[id.feed] ?? 'rows'
  const message =
    `${file} would remove ${rowsRemoved} of ${rowsBefore} ${what}, and maxRemovedShare allows a share of ${maxRemovedShare}; ` +
    'nothing of it was applied. If the rows are really gone, run once with maxRemovedShare: 1 (--max-removed-share 1)'
  const context = { category: categoryKey(id), file, ...removal }
  throw new FeedError('SYNC_REMOVAL_REFUSED', message, context)
}
