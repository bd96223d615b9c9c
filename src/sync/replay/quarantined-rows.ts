// Reads the records of a quarantine from a file, a block at a time.

import type { DurableFiles, QuarantinedRow } from '../../engine/index'
import { FeedError, QuarantineReader, stateIo } from '../../engine/index'

/** The size of one read. */
const READ_BYTES = 1 << 16

/**
 * Yields the rows of the records in their order.
 * @throws FeedError QUARANTINE_INVALID, also for a file without any record, which its reader might
 * remove; STATE_IO for a missing file
 */
export async function* quarantinedRows(
  files: DurableFiles,
  path: string,
): AsyncGenerator<QuarantinedRow, void, void> {
  const file = await files.open(path)
  if (file === undefined) throw stateIo(path, 'open', 'ENOENT')
  const reader = new QuarantineReader(path)
  try {
    for (let at = 0; ; ) {
      const bytes = await file.read(at, READ_BYTES)
      if (bytes.length === 0) break
      at += bytes.length
      yield* reader.push(bytes)
    }
    yield* reader.end()
    if (!reader.isEmpty) return
    const reason = 'it has no record: it is no quarantine'
    throw new FeedError('QUARANTINE_INVALID', `${path}: ${reason}`, { path, line: 1, reason })
  } finally {
    await file.close()
  }
}
