import { expect, test } from 'vitest'
import { type CellReading, ReadCells } from '../../../src/cli/profile/profile-cells'
import { itemSchema, pipeline, TsvRowParser } from '../../../src/index'

const bytes = Buffer.from('itemId\ttitle\tpriceValue\nv1|1|0\tone\t1.00\nv1|2|0\ttwo\tdear\n')

async function read(reading: CellReading) {
  const cells = new ReadCells(reading)
  const out = await pipeline([bytes])
    .to(new TsvRowParser({ schema: itemSchema }))
    .to(cells)
    .toArray()
  expect(out).toEqual([])
  return cells
}

test.each([0, 2, 99, 'objects'] as const)(
  'a text cell is never bad when read as %s',
  async reading => {
    expect(await read(reading)).toMatchObject({ columns: 3, badRows: 0, firstBad: undefined })
  },
)

test('a row with a bad cell is counted, and the first bad cell is kept, where cells are decoded', async () => {
  expect(await read('typed')).toMatchObject({
    badRows: 1,
    firstBad: { code: 'CELL_INVALID', context: { row: 2, column: 'priceValue' } },
  })
})
