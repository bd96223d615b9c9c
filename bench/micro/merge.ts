// What a row costs the merge besides its store: its version, the checksum of its line, and the verdict
// on an older row.

import { crc32 } from '../../src/engine/codec/gzip/crc32'
import { judgeArrival } from '../../src/engine/codec/merge/register'
import { versionOfRow } from '../../src/engine/codec/merge/version-order'
import type { MicroCase } from './micro-case'
import { sampleRows } from './sample'

export const merge: MicroCase = {
  name: 'merge',
  input: `${sampleRows.length} rows`,
  inputBytes: undefined,
  run() {
    let stale = 0
    for (const row of sampleRows) {
      const version = versionOfRow(row, row.text('itemId'))
      const checksum = crc32(row.batch.bytesOf(row.slot))
      const older = { version: { ...version, timeMs: version.timeMs - 1 } }
      if (judgeArrival(older, { version }, checksum).kind === 'stale') stale++
    }
    return stale
  },
  expected: sampleRows.length,
}
