// Booleans, document 2 "Item feed columns", in both spellings of the service notes, "Columns".

import { invalidCell } from './invalid-cell'

/** `true` or `false` in any mixture of cases, and nothing else. @throws FeedError CELL_INVALID */
export function decodeBoolean(text: string): boolean {
  if (text === 'true' || text === 'TRUE') return true
  if (text === 'false' || text === 'FALSE') return false
  if (/^true$/i.test(text)) return true
  if (/^false$/i.test(text)) return false
  throw invalidCell('boolean', 'neither true nor false', text)
}
