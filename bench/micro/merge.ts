// What a row costs the merge besides its store: its version, the register it is kept in, and the
// verdict on an older row.

import {
  headOf,
  judgeArrival,
  readRegister,
  writeRegister,
} from '../../src/engine/codec/merge/register'
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
      const bytes = row.batch.bytesOf(row.slot)
      const head = headOf(row, versionOfRow(row, row.text('itemId')), bytes)
      const kept = readRegister(writeRegister(row, head, 0, bytes))
      const older = { ...head, version: { ...head.version, timeMs: head.version.timeMs - 1 } }
      if (judgeArrival(older, kept, Number.NaN).kind === 'stale') stale++
    }
    return stale
  },
  expected: sampleRows.length,
}
