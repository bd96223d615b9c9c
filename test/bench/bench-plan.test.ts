import { expect, test } from 'vitest'
import { type BenchOptions, benchPlan } from '../../src/bench/bench-plan'

const files = ['a.bench.mjs']

test('a measurement has its defaults, and one run is enough for it', () => {
  expect(benchPlan({ files })).toMatchObject({
    files,
    rounds: 18,
    measures: ['time', 'cpu', 'memory'],
  })
  expect(benchPlan({ files, rounds: 1 }).rounds).toBe(1)
})

test.each<[string, BenchOptions]>([
  ['files', { files: [] }],
  ['rounds', { files, rounds: 5, base: 'main' }],
  ['rounds', { files, rounds: 5, baseline: 'before.json' }],
  ['build', { files, build: 'make' }],
  ['against', { files, against: 'v1' }],
  ['against', { files, against: 'v1', baseline: 'before.json' }],
  ['against', { files, base: 'main', against: '' }],
  ['baseline', { files, base: 'main', baseline: 'before.json' }],
  ['base', { files, base: '' }],
  ['measures', { files, measures: [] }],
  ['measures', { files, measures: ['luck' as 'time'] }],
])('%s is refused in %j', (option, options) => {
  expect(() => benchPlan(options)).toThrow(
    expect.objectContaining({
      code: 'OPTION_INVALID',
      context: expect.objectContaining({ option }),
    }),
  )
})
