// A sample of `npm run fuzz -- columns`.

import { expect, test } from 'vitest'
import { randomSeed } from '../../../seed'
import { randomNumbers } from '../gzip/deflate-mutants'
import { difference, mutatedTable, seedCells, smallest } from './column-mutants'

const next = randomNumbers(randomSeed())
const seeds = seedCells(next(1 << 30))

test('columns of mutated cells are the same by both engines and by the decoders of texts', () => {
  for (let n = 0; n < 4; n++) {
    const table = mutatedTable(seeds, next)
    if (difference(table) !== undefined)
      expect.fail(JSON.stringify(smallest(table, smaller => difference(smaller) !== undefined)))
  }
})

test('the smallest table has the one cell that matters', () => {
  const table = mutatedTable(seeds, next)
  const [row, column] = [table.rows.length - 1, table.columns.length - 1]
  // None of these letters is a delimiter, which a cell without quotes could not have.
  const cell = { bytes: Buffer.from('<wrong>'), isQuoted: false, isBare: false }
  const rows = table.rows.with(row, table.rows[row]!.with(column, cell))
  const found = smallest({ ...table, rows }, ({ rows: some }) =>
    some.some(cells => cells.some(({ bytes }) => bytes.includes('wrong'))),
  )
  expect(found.columns).toHaveLength(2)
  expect(found.rows.map(cells => cells.map(({ bytes }) => bytes.toString()))).toEqual([
    ['', 'wrong'],
  ])
})
