import { expect, test } from 'vitest'
import { interleavedRuns } from '../../src/bench/interleaved-runs'

const SIDES = ['base', 'again', 'head'] as const

test('the runs of a benchmark in a round are neighbours, and each side has every place', async () => {
  const order: string[] = []
  const runs = await interleavedRuns({
    sides: SIDES,
    benches: [{ name: 'a' }, { name: 'b' }],
    plan: { rounds: 6, onProgress: () => {} },
    seed: 1,
    run: async (side, { name }) => {
      order.push(`${name} ${side}`)
      return order.length
    },
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

test('a side may be left out of a benchmark, and each round tells all runs so far', async () => {
  const seen: unknown[] = []
  const runs = await interleavedRuns({
    sides: SIDES,
    benches: [{ name: 'a' }, { name: 'b' }],
    plan: { rounds: 2, onProgress: () => {} },
    seed: 1,
    run: async (side, { name }) => `${name} ${side}`,
    isRun: (side, { name }) => side !== 'again' || name === 'a',
    onRound: (rounds, soFar) =>
      seen.push([rounds, soFar.get('a')!.again.length, soFar.get('b')!.again.length]),
  })
  expect(seen).toEqual([
    [1, 1, 0],
    [2, 2, 0],
  ])
  const twice = (run: string) => [run, run]
  expect(runs.get('b')).toEqual({ base: twice('b base'), again: [], head: twice('b head') })
})

test('progress says what comes and which share is done', async () => {
  const seen: unknown[] = []
  await interleavedRuns({
    sides: ['head'],
    benches: [{ name: 'a' }, { name: 'b' }],
    plan: { rounds: 2, onProgress: progress => seen.push(progress) },
    seed: 1,
    run: async () => 0,
  })
  expect(seen).toEqual([
    { done: 0, what: 'round 1 of 2: a' },
    { done: 0.25, what: 'round 1 of 2: b' },
    { done: 0.5, what: 'round 2 of 2: a' },
    { done: 0.75, what: 'round 2 of 2: b' },
  ])
})
