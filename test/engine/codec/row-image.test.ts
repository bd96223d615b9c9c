import fc from 'fast-check'
import { expect, test } from 'vitest'
import { ByteWriter } from '../../../src/engine/codec/byte-records'
import { Row, RowBatch } from '../../../src/engine/codec/row-batch'
import {
  bytesOfImage,
  originOfImage,
  readRowImage,
  writeRowImage,
} from '../../../src/engine/codec/row-image'
import { batchesOf } from '../../rows-from-text'
import { anyColumns, richCell } from '../../tsv-text'

test('a row read back from its image has the same cells and the same position', () => {
  const rows = fc.array(fc.tuple(fc.constant('k'), richCell, richCell), {
    minLength: 1,
    maxLength: 6,
  })
  fc.assert(
    fc.property(rows, fc.nat(100_000), (rows, origin) => {
      const [batch] = batchesOf(anyColumns, { feed: 'other' }, [['key', 'a', 'b'], ...rows])
      const writer = new ByteWriter()
      for (const row of batch!) {
        writer.number(1)
        writeRowImage(row, origin, writer)
        const bytes = writer.take()
        expect(originOfImage(bytes, 1)).toBe(origin)
        const { position, index, bytes: ofRow } = readRowImage(bytes, 1, 3)
        const copy = new Row(
          new RowBatch({
            header: batch!.header,
            file: batch!.file,
            progress: { complete: true },
            index,
            bytes: ofRow,
            rowCount: 1,
            placeOf: () => position,
          }),
          0,
        )
        expect(copy.toStrings()).toEqual(row.toStrings())
        expect(Buffer.compare(bytesOfImage(bytes, 1, 3), batch!.bytesOf(row.slot))).toBe(0)
        expect(copy.position).toEqual(row.position)
      }
    }),
  )
})
