// The message about a file whose rows are committed, for the subscribers of `feedmill:file`.

import type { DiagnosticsMessages } from '../../diagnostics/channels'
import { ofRun } from '../../diagnostics/run-watch'
import { isBootstrap } from '../feed-files'
import { type FileId, fileIdKey } from '../file-id'
import type { LedgerEntry } from '../folder/ledger'

type FileMessage = DiagnosticsMessages['feedmill:file']

/** @param watermark that of the category after the file, where it is known */
export function fileMessage(entry: LedgerEntry, watermark: Date | undefined): FileMessage {
  const { id, rows, badRows, totalBytes } = entry
  return {
    ...ofRun(),
    marketplace: id.marketplace,
    categoryId: id.categoryId,
    feed: id.feed,
    kind: kindOf(id),
    file: fileIdKey(id),
    rows: { ...rows },
    badRows,
    bytes: totalBytes,
    ...(watermark && { watermark }),
  }
}

function kindOf(id: FileId): FileMessage['kind'] {
  if (isBootstrap(id)) return 'bootstrap'
  return 'hour' in id ? 'hourly' : 'daily'
}
