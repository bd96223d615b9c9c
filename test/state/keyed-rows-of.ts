// Rows with keys and heads that a test chooses, one by one.

import { crc32 } from '../../src/engine/codec/gzip/crc32'
import type { RegisterHead } from '../../src/engine/codec/merge/register'
import type { Version } from '../../src/engine/codec/merge/version-order'
import type { Row, RowBatch } from '../../src/engine/codec/row-batch'
import type { Columns } from '../../src/engine/schema/feed-schema'
import { KeyedRows } from '../../src/state/keyed-rows'
import { newHeads, REMOVED } from '../../src/state/runs/row-heads'

export function keyedRowsOf(
  batch: RowBatch<Columns>,
  keys: readonly string[],
  heads: readonly RegisterHead[],
): KeyedRows {
  const all = Buffer.from(keys.join(''))
  const columns = newHeads(batch.length, all.length)
  columns.keys.set(all)
  let end = 0
  heads.forEach(({ version, checksum }, n) => {
    const { row, line, byteOffset } = batch.row(n).position
    columns.keyEnds[n] = end += Buffer.byteLength(keys[n]!)
    columns.timeMs[n] = version.timeMs
    columns.checksum[n] = checksum
    columns.origin[n] = version.removed ? REMOVED : 0
    columns.row[n] = row
    columns.line[n] = line
    columns.byteOffset[n] = byteOffset
  })
  return new KeyedRows(batch, columns)
}

export function headOf({ batch, slot }: Row<Columns>, version: Version): RegisterHead {
  return { version, checksum: version.removed ? 0 : crc32(batch.bytesOf(slot)) }
}
