// Columns of one batch of rows of several files equal the rows: random cells of every kind, good and
// bad, under headers with other columns in another order.

import fc from 'fast-check'
import { expect, test } from 'vitest'
import { unitsOf } from '../../../../src/engine/codec/columns/column-data'
import { misfit } from '../../../../src/engine/codec/columns/column-fit'
import { decodeColumns } from '../../../../src/engine/codec/columns/decode-columns'
import { oneBatch } from '../../../../src/engine/codec/columns/one-batch'
import { decoderOf } from '../../../../src/engine/codec/kinds/all-kinds'
import type { Row } from '../../../../src/engine/codec/row-batch'
import { bindHeader } from '../../../../src/engine/codec/tsv/header'
import type { Columns } from '../../../../src/engine/schema/feed-schema'
import { BadCells } from '../../../../src/engine/stages/bad-cell-policy'
import { batchesOf } from '../../../rows-from-text'
import { columns, rowOfCells, schema, types } from '../any-cells'

const EXTRA = 'unknown'
const HEADER = bindHeader(schema, types, { row: 0, line: 1, byteOffset: 0 })
const file = fc.record({
  // A file has at least one column of its schema.
  names: fc.shuffledSubarray([...types, EXTRA], { minLength: 2 }),
  rows: fc.array(rowOfCells, { minLength: 1, maxLength: 5 }),
})

function rowsOf({ names, rows }: { names: string[]; rows: string[][] }): Row<Columns>[] {
  const lines = rows.map(cells =>
    // A line without a byte would be no row.
    names.map(name => cells[types.indexOf(name as (typeof types)[number])] ?? 'x'),
  )
  return batchesOf(schema, { feed: 'other' }, [names, ...lines]).flatMap(batch => [...batch])
}

/** A value without the zeros that a column of decimals does not keep. */
const kept = (value: unknown, type: string) =>
  type === 'decimal' && value !== null ? unitsOf(String(value), 10) : value

test('every cell is that of its row, and a bad one has its text', () => {
  let good = 0
  let bad = 0
  const property = (files: { names: string[]; rows: string[][] }[], order: number[]) => {
    const all: (Row<Columns> | null)[] = [...files.flatMap(rowsOf), null]
    const rows = order.map(n => all[n % all.length]!)
    const texts: Record<string, string>[] = []
    const badCells = new BadCells(({ position, column, text }) => {
      texts[position.row] = { ...texts[position.row], [column]: text }
    })
    const { columns: made } = decodeColumns(oneBatch(rows, HEADER), badCells)
    expect(made.map(({ name }) => name)).toEqual(types)
    rows.forEach((row, n) => {
      const invalid = texts[n] ?? {}
      for (const [at, name] of types.entries()) {
        const spec = columns[name]
        const value = made[at]!.get(n)
        if (row === null || row.text(name) === '') expect(value).toEqual(decoderOf(spec).empty)
        else if (name in invalid) {
          bad++
          expect(invalid[name]).toBe(row.text(name))
          expect(value).toEqual(decoderOf(spec).empty)
          let own: unknown
          try {
            own = row.get(name)
          } catch {
            continue
          }
          expect(misfit(made[at]!.type, own)).toBeDefined()
        } else {
          good++
          expect([name, kept(value, name)]).toEqual([name, kept(row.get(name), name)])
        }
      }
    })
  }
  const order = fc.array(fc.nat(40), { minLength: 1, maxLength: 20 })
  fc.assert(fc.property(fc.array(file, { maxLength: 4 }), order, property), { numRuns: 300 })
  expect(Math.min(good, bad)).toBeGreaterThan(1_000)
})

test('no rows, and no columns', () => {
  const { columns: made } = decodeColumns(oneBatch([], HEADER))
  expect(made.map(({ name, length }) => [name, length])).toEqual(types.map(name => [name, 0]))
  const rows = rowsOf({ names: ['text'], rows: [types.map(() => 'a')] })
  const none = decodeColumns(oneBatch([...rows, null], { ...HEADER, columns: [], all: [] }))
  expect([none.length, none.columns.length]).toEqual([2, 0])
})
