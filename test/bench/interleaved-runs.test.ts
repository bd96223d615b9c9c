import { expect, test } from 'vitest'
import { interleavedRuns } from '../../src/bench/interleaved-runs'

const SIDES = ['base', 'again', 'head'] as const

test('the runs of a benchmark in a round are neighbours, and each side has every place', async () => {
  const order: string[] = []
  const runs = await interleavedRuns({
    sides: SIDES,
    names: ['a', 'b'],
    rounds: 6,
    seed: 1,
    run: async (side, name) => {
      order.push(`${name} ${side}`)
      return order.length
    },
    onGroup: () => {},
  })
  expect(order).toHaveLength(36)
  for (let group = 0; group < 12; group++) {
    const three = order.slice(group * 3, group * 3 + 3)
    expect(three.toSorted()).toEqual(
      ['again', 'base', 'head'].map(side => `${group % 2 === 0 ? 'a' : 'b'} ${side}`),
    )
  }
  const firstPlaces = order.filter((_, at) => at % 6 === 0)
  expect(firstPlaces.toSorted()).toEqual(
    ['again', 'again', 'base', 'base', 'head', 'head'].map(side => `a ${side}`),
  )
  expect(runs.get('a')!.head.map(at => order[at - 1])).toEqual(Array(6).fill('a head'))
})

test('progress says what comes and which share is done', async () => {
  const seen: [string, number, number][] = []
  await interleavedRuns({
    sides: ['head'],
    names: ['a', 'b'],
    rounds: 2,
    seed: 1,
    run: async () => 0,
    onGroup: (name, round, done) => seen.push([name, round, done]),
  })
  expect(seen).toEqual([
    ['a', 0, 0],
    ['b', 0, 0.25],
    ['a', 1, 0.5],
    ['b', 1, 0.75],
  ])
})
