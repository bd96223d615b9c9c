// Which cells of a column are null: a value that a cell says, `null` of JSON among them, is none.

import { describe, expect, test } from 'vitest'
import type { ColumnBatch } from '../../../../src/engine/codec/columns/column-batch'
import { decodeColumns } from '../../../../src/engine/codec/columns/decode-columns'
import type { RowBatch } from '../../../../src/engine/codec/row-batch'
import { type Pipeline, pipeline } from '../../../../src/engine/pipeline/pipeline'
import { cell, int32, json, text } from '../../../../src/engine/schema/column-kinds'
import { defineSchema } from '../../../../src/engine/schema/feed-schema'
import { ColumnDecoder } from '../../../../src/engine/stages/column-decoder'
import { Stage } from '../../../../src/engine/stages/stage'
import { TsvColumnParser } from '../../../../src/engine/stages/tsv-column-parser'
import { TsvRowParser } from '../../../../src/engine/stages/tsv-row-parser'

describe('null is only where the cell is empty', () => {
  const schema = defineSchema({
    name: 'own',
    columns: {
      id: text(),
      data: json(),
      weight: cell(value => (value === 'none' ? 0 : Number(value)), { empty: 0 }),
      size: cell(value => (value === 'none' ? 0 : Number(value)), { empty: 0, as: int32() }),
    },
  })
  const file = [
    'id\tdata\tweight\tsize',
    '1\tnull\tnone\tnone',
    '2\t\t\t',
    '3\t" null "\t0\t0',
    '4\t{\t1\t1',
  ]
  const found = async (stages: readonly Stage<never, unknown>[]) => {
    const batches = stages.reduce(
      (before, stage) => before.to(stage as never),
      pipeline<unknown>([Buffer.from(file.join('\n'))]),
    ) as Pipeline<ColumnBatch>
    const rows: unknown[] = []
    for await (const batch of batches.batches())
      for (let n = 0; n < batch.length; n++)
        rows.push(
          ['data', 'weight', 'size'].map(name => {
            const column = batch.column(name)
            return [column.isNull(n), column.get(n)]
          }),
        )
    return rows
  }
  const expected = [
    [
      [false, null],
      [false, 0],
      [false, 0],
    ],
    [
      [true, null],
      [true, 0],
      [true, 0],
    ],
    [
      [false, null],
      [false, 0],
      [false, 0],
    ],
    [
      [true, null],
      [false, 1],
      [false, 1],
    ],
  ]

  test('in TsvColumnParser, and where a stage before has emptied a bad cell', async () => {
    const onBadCell = 'null'
    expect(await found([new TsvColumnParser({ schema, onBadCell })])).toEqual(expected)
    const decoder = new ColumnDecoder({ onBadCell })
    class Columns extends Stage<RowBatch, ColumnBatch> {
      protected override *transform(batch: RowBatch) {
        yield decodeColumns(batch)
      }
    }
    expect(await found([new TsvRowParser({ schema }), decoder, new Columns()])).toEqual(expected)
  })
})
