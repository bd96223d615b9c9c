import fc from 'fast-check'
import { expect, test } from 'vitest'
import { objectWithInvalid, rowsWithBadCells } from '../../../src/engine/codec/bad-cells'
import type { RowBatch } from '../../../src/engine/codec/row-batch'
import { TsvParser } from '../../../src/engine/codec/tsv/parser'
import { PAUSE } from '../../../src/engine/core/steps'
import { decimal, int32, list, text } from '../../../src/engine/schema/column-kinds'
import { defineSchema } from '../../../src/engine/schema/feed-schema'
import { tsv } from '../../tsv-text'
import { Bad, schema as cellSchema, plainly, rowOfCells, types } from './any-cells'

const schema = defineSchema({
  name: 'goods',
  columns: {
    id: text({ notNull: true }),
    price: decimal(),
    stock: int32(),
    words: list('|', text()),
    sizes: list('|', int32()),
  },
})

function batchOf(content: string): RowBatch<typeof schema.columns> {
  const parser = new TsvParser({ schema, file: { feed: 'item' } })
  const [batch] = [...parser.steps(Buffer.from(content)), ...parser.lastSteps()].filter(
    step => step !== PAUSE,
  )
  return batch!
}

const GOODS = batchOf(
  'id\tprice\tstock\twords\tsizes\tinvalid\n' +
    'a\t1.50\t3\tx|y\t1|2\t\n' +
    'b\t1,50\t3.5\tx\t1|z\town\n' +
    '\t2\t\t\t\t\n' +
    'd\t""\t-1\t\t\t\n',
)

test('fault 105: the rows with bad cells are found in the order of the batch, with the first error', () => {
  const found = (batch: RowBatch<typeof schema.columns>) =>
    rowsWithBadCells(batch).map(({ row, error, count }) => {
      const { column, type } = error.context
      return [row.position.row, error.context.row, column, type, count]
    })
  expect(found(GOODS)).toEqual([
    [2, 2, 'price', 'decimal', 3],
    [3, 3, 'id', 'text', 1],
  ])
  expect(found(GOODS.select(row => row.text('id') !== 'b'))).toEqual([[3, 3, 'id', 'text', 1]])
})

test('they are the rows whose texts the decoders refuse, for cells of every kind', () => {
  fc.assert(
    fc.property(fc.array(rowOfCells, { minLength: 1, maxLength: 9 }), rows => {
      const parser = new TsvParser({ schema: cellSchema })
      const lines = Buffer.from(tsv([types, ...rows]))
      const found = [...parser.push(lines), ...parser.end()].flatMap(batch =>
        rowsWithBadCells(batch as unknown as RowBatch).map(({ row, error, count }) => [
          row.position.row,
          error.context.column,
          count,
        ]),
      )
      const expected = rows.map((row, n) => {
        const bad = types.filter((name, at) => plainly(name, row[at]!) instanceof Bad)
        return [n + 1, bad[0], bad.length]
      })
      expect(found).toEqual(expected.filter(([, , count]) => count !== 0))
    }),
  )
})

test('fault 105: a row with bad cells is an object with their texts, and a good row is as it was', () => {
  const [good, bad] = [...GOODS]
  expect(objectWithInvalid(good!)).toEqual(good!.toObject())
  expect(objectWithInvalid(bad!)).toEqual({
    id: 'b',
    price: null,
    stock: null,
    words: ['x'],
    sizes: [],
    invalid: { invalid: 'own', price: '1,50', stock: '3.5', sizes: '1|z' },
  })
})
