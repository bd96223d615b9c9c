// What a row costs the merge besides its store: its version, the register it is kept in, and the verdict on an older row.

import { ByteWriter } from '../../src/codec/byte-writer'
import { judgeArrival, readRegister, writeRegister } from '../../src/codec/merge/register'
import { versionOfRow } from '../../src/codec/merge/version-order'
import type { MicroCase } from './micro-case'
import { sampleRows } from './sample'

const writer = new ByteWriter()

export const merge: MicroCase = {
  name: 'merge',
  input: `${sampleRows.length} rows`,
  inputBytes: undefined,
  run() {
    let stale = 0
    for (const row of sampleRows) {
      const version = versionOfRow(row, row.text('itemId'))
      const { version: kept } = readRegister(writeRegister(row, version, 0, writer))
      const older = { ...version, timeMs: version.timeMs - 1 }
      const standing = { version: kept, kept: never, content: never }
      if (judgeArrival(older, standing).kind === 'stale') stale++
    }
    return stale
  },
  expected: sampleRows.length,
}

function never(): never {
  throw new Error('contents are compared only where versions do not decide')
}
