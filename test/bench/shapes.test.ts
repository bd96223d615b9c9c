// What the shapes state of their rows.

import { expect, test } from 'vitest'
import { SHAPE_NAMES, type ShapeName, shapes } from '../../bench/shapes/shape'

async function rowsOf(name: ShapeName): Promise<Readonly<Record<string, string>>[]> {
  const { columns, rows } = await shapes[name]()
  return [...rows(1, 500)].map(cells => {
    expect(cells).toHaveLength(columns.length)
    return Object.fromEntries(columns.map((column, n) => [column, cells[n]!]))
  })
}

test.each(SHAPE_NAMES)('%s: each row has an identifier of its own', async name => {
  const rows = await rowsOf(name)
  expect(new Set(rows.map(({ itemId }) => itemId)).size).toBe(rows.length)
})

test.each(['clothing', 'art', 'toys'] as const)(
  '%s: variations of a listing stand together and differ in few columns',
  async name => {
    const rows = await rowsOf(name)
    const listings = rows.map(({ itemId }) => itemId!.split('|')[1]!)
    const begins = listings.filter((listing, n) => listing !== listings[n - 1])
    expect(new Set(begins).size).toBe(begins.length)
    expect(begins.length).toBeLessThan(rows.length)
    const differing = new Set<string>()
    rows.forEach((row, n) => {
      const before = rows[n - 1]
      if (before === undefined || listings[n] !== listings[n - 1]) return
      for (const column of Object.keys(row))
        if (row[column] !== before[column]) differing.add(column)
    })
    expect([...differing].sort()).toEqual([
      'availabilityThreshold',
      'availabilityThresholdType',
      'estimatedAvailableQuantity',
      'gtin',
      'itemId',
      'localizedAspects',
      'priceValue',
    ])
  },
)

test('odd, odd-bad and all-odd have the rows of varied, with other cells in few rows and in all', async () => {
  const [varied, odd, oddBad, allOdd] = await Promise.all(
    (['varied', 'odd', 'odd-bad', 'all-odd'] as const).map(rowsOf),
  )
  const changed = (rows: typeof varied) =>
    rows!.map((row, n) => Object.keys(row).filter(name => row[name] !== varied![n]![name]).length)
  expect(changed(odd).flatMap((cells, n) => (cells > 0 ? [n + 1] : []))).toEqual([370])
  expect(changed(oddBad).flatMap((cells, n) => (cells > 0 ? [n + 1] : []))).toEqual([1, 370])
  expect(new Set(changed(allOdd))).toEqual(new Set([3]))
})

test('quoted, unicode and wide have the items of varied, with signs and letters of their own', async () => {
  const [varied, quoted, unicode, wide] = await Promise.all(
    (['varied', 'quoted', 'unicode', 'wide'] as const).map(rowsOf),
  )
  for (const rows of [quoted!, unicode!, wide!])
    expect(rows.map(({ itemId }) => itemId)).toEqual(varied!.map(({ itemId }) => itemId))
  const letters = unicode!.flatMap(({ title }) => title!.match(/\p{L}/gu)!)
  const beyond = letters.filter(letter => letter.codePointAt(0)! > 0xff)
  expect(beyond.length / letters.length).toBeGreaterThan(0.9)
  const texts = quoted!.flatMap(row => Object.values(row))
  expect(texts.filter(text => /["\\]/.test(text)).length).toBeGreaterThan(quoted!.length / 2)
})
