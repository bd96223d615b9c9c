// Checks how much of the state a file would remove. A verified file can still be the wrong one:
// incomplete at its source, or of another category. A full file of one's own also removes the keys of
// its rows that cannot be read, so the share of its bad rows is checked too.
//
// A target leaves out the check for a file that the service proved to be empty (a 204, or a total
// of 0), and a state of few rows, whose shares vary widely, is not checked either.

import { FeedError } from '../../engine/index'
import { categoryKey, type FileId } from '../file-id'

/** Number of rows from which on a state or a file is checked. */
const LEAST_ROWS = 100

const NAMES: Partial<Record<FileId['feed'], string>> = { item: 'items', item_group: 'item groups' }

/** @throws FeedError SYNC_REMOVAL_REFUSED where a state of many rows would lose too many */
export function refuseRemoval(
  id: FileId,
  file: string,
  removal: Omit<FeedError<'SYNC_REMOVAL_REFUSED'>['context'], 'category' | 'file'>,
): void {
  const { rowsBefore, rowsRemoved, maxRemovedShare } = removal
  if (rowsBefore < LEAST_ROWS || rowsRemoved <= rowsBefore * maxRemovedShare) return
  const what = NAMES[id.feed] ?? 'rows'
  const message =
    `${file} would remove ${rowsRemoved} of ${rowsBefore} ${what}, and maxRemovedShare allows a share of ${maxRemovedShare}; ` +
    'nothing of it was applied. If the rows are really gone, run once with maxRemovedShare: 1 (--max-removed-share 1)'
  const context = { category: categoryKey(id), file, ...removal }
  throw new FeedError('SYNC_REMOVAL_REFUSED', message, context)
}

/** @throws FeedError SYNC_BAD_ROWS_REFUSED where a full file of many rows has too many bad ones */
export function refuseBadRows(
  file: string,
  context: Omit<FeedError<'SYNC_BAD_ROWS_REFUSED'>['context'], 'file'>,
): void {
  const { rowsRead, badRows, maxBadShare } = context
  if (rowsRead < LEAST_ROWS || badRows <= rowsRead * maxBadShare) return
  const message =
    `${badRows} of the ${rowsRead} rows of ${file} are bad, and maxBadShare allows a share of ${maxBadShare}; ` +
    'nothing of it was applied: a full file removes the keys that it lacks. Check schema and dialect, list the mended file ' +
    "under another id, or run once with maxBadShare: 1, where quarantine: 'files' keeps the bad rows"
  throw new FeedError('SYNC_BAD_ROWS_REFUSED', message, { file, ...context })
}
