import { expect, test } from 'vitest'
import { GroupCheck, TruthCheck } from '../../src/cli/demo-check'
import { createWorld } from '../../src/emulator/index'

const world = createWorld({ seed: 5, items: 60 })
const truth = [...world.truthAt(world.end)]
const rowOf = (cells: readonly string[]) => ({ text: (name: string) => cells[world.itemColumns.indexOf(name)]! })

function checked(rows: readonly { itemId: string; cells: readonly string[] }[]): readonly string[] {
  const check = new TruthCheck(world, world.end)
  for (const { itemId, cells } of rows) check.row(itemId, rowOf(cells))
  check.end()
  expect(check.isRight).toBe(check.mismatches.length === 0)
  return check.mismatches.map(({ itemId, what }) => `${itemId} ${what}`)
}

test('the truth is right', () => {
  expect(truth.length).toBeGreaterThan(40)
  expect(checked(truth)).toEqual([])
})

test('one changed cell, one missing row, one row too many are found', () => {
  const [first, second, third] = truth
  const price = world.itemColumns.indexOf('priceValue')
  const changed = { ...second!, cells: second!.cells.map((cell, n) => (n === price ? '0.01' : cell)) }
  expect(checked([first!, changed, ...truth.slice(2)])).toEqual([`${second!.itemId} priceValue differs`])
  expect(checked([first!, ...truth.slice(2)])[0]).toBe(`${third!.itemId} stands where ${second!.itemId} should`)
  expect(checked(truth.slice(0, -1))).toEqual([`${truth.at(-1)!.itemId} is missing`])
  expect(checked([...truth, first!])).toEqual([`${first!.itemId} is not in the world`])
})

test('an item joined with the wrong group is found, and so is a group that was not read', () => {
  const groups = [...world.groupsAt(world.start)]
  const group = (id: string) => ({ text: () => id }) as never
  const item = (groupId: string) => ({ itemId: 'v1|1|0', row: { text: () => groupId } }) as never
  const id = groups[0]!.itemGroupId
  const problems = (kind: string, groupId: string, joinedWith: string | null) => {
    const check = new GroupCheck(world, world.start)
    check.join({ kind, item: item(groupId), group: joinedWith === null ? null : group(joinedWith) } as never)
    return check.problems(groups.length)
  }
  expect(problems('joined', id, id)).toEqual([])
  expect(problems('ungrouped', '', null)).toEqual([])
  expect(problems('item-orphan', 'g-unknown', null)).toEqual([])
  expect(problems('joined', id, groups[1]!.itemGroupId)).toHaveLength(1)
  expect(problems('item-orphan', id, null)).toHaveLength(1)
  expect(problems('ungrouped', id, null)).toHaveLength(1)
  expect(new GroupCheck(world, world.start).problems(groups.length - 1)).toHaveLength(1)
})
