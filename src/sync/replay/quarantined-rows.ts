// Reads the records of a quarantine from a file, a block at a time.

import type { QuarantinedRow } from '../../codec/quarantine/quarantine-lines'
import { QuarantineReader } from '../../codec/quarantine/quarantine-reader'
import type { DurableFiles } from '../../disk/durable-files'

/** The size of one read. */
const READ_BYTES = 1 << 16

/**
 * Yields the rows of the records in their order, and none where there is no file.
 * @throws FeedError QUARANTINE_INVALID
 */
export async function* quarantinedRows(
  files: DurableFiles,
  path: string,
): AsyncGenerator<QuarantinedRow, void, void> {
  const file = await files.open(path)
  if (file === undefined) return
  const reader = new QuarantineReader(path)
  try {
    for (let at = 0; ; ) {
      const bytes = await file.read(at, READ_BYTES)
      if (bytes.length === 0) break
      at += bytes.length
      yield* reader.push(bytes)
    }
    yield* reader.end()
  } finally {
    await file.close()
  }
}
