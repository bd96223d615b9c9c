import { expect, test } from 'vitest'
import { bottleneckOf, percent } from '../../../src/cli/profile/profile-bottleneck'
import { newCounters } from '../../../src/engine/core/counters'
import { round } from './profile-samples'

const stages = ['source', 'a', 'b', 'reader'].map(newCounters)
const rounds = [2000, 1000, 3000].map(elapsedMs =>
  round(elapsedMs, { stages, idleMs: elapsedMs * 0.35 }),
)
const here = { shares: [], consumerShare: 0, bottleneck: 2, onOtherThread: false }
const elsewhere = { ...here, bottleneck: 1, onOtherThread: true }

test.each([
  [
    [0.7, 0.1, 0.1, 0.1],
    'source',
    0.7,
    'would still take 0.600 of its 2.000 s. The file comes no faster',
  ],
  [
    [0.1, 0.6, 0.1, 0.1],
    'a',
    0.6,
    'would still take 0.800 of its 2.000 s. What comes before it is held back',
  ],
  [
    [0.1, 0.1, 0.1, 0.5],
    'reader',
    0.5,
    'would still take 1.000 of its 2.000 s. It stands for your own code',
  ],
] as const)(
  'the report for %j names the largest part, the time without it, and what helps there',
  (shares, stage, share, words) => {
    const found = bottleneckOf(rounds, [here, here, here], shares)
    expect(found).toMatchObject({
      stage,
      share,
      onOtherThread: false,
      meaning: expect.stringContaining(words),
    })
  },
)

test('the report says when a stage had its own thread in most rounds', () => {
  const shares = [0.1, 0.3, 0.5, 0.1]
  const found = bottleneckOf(rounds, [elsewhere, here, elsewhere], shares)
  expect(found).toMatchObject({ stage: 'a', share: 0.3, onOtherThread: true })
  expect(found.meaning).toContain('nothing to do for 35% of the run')
  expect(bottleneckOf(rounds, [here, here, elsewhere], shares)).toMatchObject({
    stage: 'b',
    onOtherThread: false,
  })
})

test('the report says shares in words', () => {
  expect([0, 0.0123, 0.1, 1.16].map(percent)).toEqual(['0.0%', '1.2%', '10%', '116%'])
})
