// A true output is damaged at random, and each damage is found and counted in its own class.

import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { compareOutput, type Differences } from '../../../src/cli/verify/compare-output'
import { readColumns } from '../../../src/cli/verify/output-columns'
import type { OutputRow } from '../../../src/cli/verify/output-rows'
import { trueState } from '../../../src/cli/verify/truth'
import { createWorld } from '../../../src/emulator'

const world = createWorld({ seed: 7, items: 80, hours: 6, churn: 40, endings: 1 })
const truth = trueState(world)
const names = truth.columns.map(({ name }) => name)
const rowOf = (cells: readonly string[]): OutputRow =>
  Object.fromEntries(names.map((name, n) => [name, cells[n]!]))
const right = [...truth.items.values()].map(({ cells }) => rowOf(cells))
const changing = [...truth.items].flatMap(([itemId, { older }]) =>
  older.length > 0 ? [[itemId, rowOf(older[0]!)] as const] : [],
)
const olderRows = new Map(changing)

async function* each(rows: readonly OutputRow[]) {
  yield* rows
}

async function compare(rows: readonly OutputRow[], ignore: readonly string[] = []) {
  const columns = await readColumns(each(rows), truth.columns, { rename: new Map(), ignore })
  return compareOutput(each(rows), columns, truth)
}

const countsOf = ({ examples: _, ...counts }: Differences) => counts
const NOTHING = { lost: 0, doubled: 0, stale: 0, kept: 0, unknown: 0, wrongCells: 0 }

describe('comparison with the truth', () => {
  test('the world has what the damages need', () => {
    expect([right.length > 20, changing.length > 10, truth.ended.size > 5]).toEqual([
      true,
      true,
      true,
    ])
  })

  test('the true rows are equal in any order', () =>
    fc.assert(
      fc.asyncProperty(fc.shuffledSubarray(right, { minLength: right.length }), async rows => {
        expect(countsOf(await compare(rows))).toEqual({ ...NOTHING, rows: right.length })
      }),
      { numRuns: 20 },
    ))

  test('each damage is counted once, in its class, and its examples are the damaged items', () =>
    fc.assert(
      fc.asyncProperty(
        fc.shuffledSubarray(right.map((_, n) => n)),
        fc.array(fc.constantFrom('lost', 'doubled', 'stale', 'wrongCells', 'marked'), {
          minLength: right.length,
          maxLength: right.length,
        }),
        fc.subarray([...truth.ended]),
        fc.nat(5),
        async (chosen, damages, kept, unknown) => {
          const expected = { ...NOTHING, kept: kept.length, unknown }
          const rows = right.flatMap((row, n) => {
            const damage = chosen.includes(n) ? damages[n] : 'none'
            const older = olderRows.get(row.itemId as string)
            switch (damage) {
              case 'lost':
                expected.lost++
                return []
              case 'marked':
                // The row says that the item is gone, so the item is lost.
                expected.lost++
                return [{ itemId: row.itemId, availability: 'UNAVAILABLE' }]
              case 'doubled':
                expected.doubled++
                return [row, row]
              case 'stale':
                if (older === undefined) return [row]
                expected.stale++
                return [older]
              case 'wrongCells':
                expected.wrongCells += 2
                return [{ ...row, title: `${row.title}?`, priceValue: 'none' }]
              default:
                return [row]
            }
          })
          const more = [
            ...kept.map(itemId => ({ ...right[0]!, itemId })),
            ...Array.from({ length: unknown }, (_, n) => ({ ...right[0]!, itemId: `x${n}` })),
          ]
          const found = await compare([...rows, ...more])
          const gone = rows.filter(row => row.availability === 'UNAVAILABLE').length
          expect(countsOf(found)).toEqual({
            ...expected,
            rows: rows.length + more.length - gone,
          })
          expect(found.examples.kept).toEqual(kept.slice(0, 3))
          expect(found.examples.stale.every(({ itemId }) => olderRows.has(itemId))).toBe(true)
          expect(found.examples.lost).toHaveLength(Math.min(3, expected.lost))
        },
      ),
      { numRuns: 60 },
    ))

  test('a row that says UNAVAILABLE stands for an item that is gone', async () => {
    const marks = [...truth.ended].map(itemId => ({ itemId, availability: 'UNAVAILABLE' }))
    expect(countsOf(await compare([...right, ...marks]))).toEqual({
      ...NOTHING,
      rows: right.length,
    })
    expect((await compare([...right, ...marks], ['availability'])).kept).toBe(0)
  })

  test('only the columns of the output are compared, and a column that is ignored is not', async () => {
    const few = right.map(({ itemId, title }) => ({ itemId, title }))
    expect(countsOf(await compare(few))).toEqual({ ...NOTHING, rows: right.length })
    const wrong = few.map(row => ({ ...row, title: 'x' }))
    expect((await compare(wrong)).wrongCells).toBe(right.length)
    expect((await compare(wrong, ['title'])).wrongCells).toBe(0)
  })

  test('a cell that a row leaves out is empty', async () => {
    const [first, ...others] = right
    const { title: _, ...untitled } = first!
    const { wrongCells, examples } = await compare([untitled, ...others])
    expect([wrongCells, examples.wrongCells[0]?.column, examples.wrongCells[0]?.received]).toEqual([
      1,
      'title',
      '',
    ])
  })

  test('without a key every row is unknown, and every item is lost', async () => {
    const found = await compare(right.map(({ itemId: _, ...row }) => row))
    expect([found.unknown, found.lost]).toEqual([right.length, right.length])
  })
})
