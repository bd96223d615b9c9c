import { expect, test } from 'vitest'
import { GroupCheck, TruthCheck } from '../../../src/cli/demo/demo-check'
import { createWorld } from '../../../src/emulator'

const world = createWorld({ seed: 5, items: 60 })
const truth = [...world.truthAt(world.end)]
const rowOf = (cells: readonly string[]) => ({
  text: (name: string) => cells[world.itemColumns.indexOf(name)]!,
})

function checked(rows: readonly { itemId: string; cells: readonly string[] }[]): readonly string[] {
  const check = new TruthCheck(world, world.end)
  for (const { itemId, cells } of rows) check.row(itemId, rowOf(cells))
  check.end()
  return check.problems
}

test('the right data passes the check', () => {
  expect(truth.length).toBeGreaterThan(40)
  expect(checked(truth)).toEqual([])
})

test('the check finds one changed cell, one missing row and one additional row', () => {
  const [first, second, third] = truth
  const price = world.itemColumns.indexOf('priceValue')
  const changed = {
    ...second!,
    cells: second!.cells.map((cell, n) => (n === price ? '0.01' : cell)),
  }
  expect(checked([first!, changed, ...truth.slice(2)])).toEqual([
    `${second!.itemId} priceValue differs`,
  ])
  expect(checked([first!, ...truth.slice(2)])[0]).toBe(
    `${third!.itemId} stands where ${second!.itemId} should`,
  )
  expect(checked(truth.slice(0, -1))).toEqual([`${truth.at(-1)!.itemId} is missing`])
  expect(checked([...truth, first!])).toEqual([`${first!.itemId} is not in the world`])
})

test('the check finds an item with the wrong group, and a group that was not read', () => {
  const groups = [...world.groupsAt(world.start)]
  const cell = (name: string, id: string) => ({
    text: (asked: string) => (asked === name ? id : ''),
  })
  const id = groups[0]!.itemGroupId
  const problems = (groupId: string, joinedWith: string | null) => {
    const check = new GroupCheck(world, world.start)
    check.row(
      cell('primaryItemGroupId', groupId),
      joinedWith === null ? null : cell('itemGroupId', joinedWith),
    )
    return check.problems(groups.length)
  }
  expect(problems(id, id)).toEqual([])
  expect(problems('', null)).toEqual([])
  expect(problems('g-unknown', null)).toEqual([])
  expect(problems(id, groups[1]!.itemGroupId)).toHaveLength(1)
  expect(problems(id, null)).toHaveLength(1)
  expect(problems('', id)).toHaveLength(1)
  expect(problems('g-unknown', 'g-unknown')).toHaveLength(1)
  expect(new GroupCheck(world, world.start).problems(groups.length - 1)).toHaveLength(1)
})
