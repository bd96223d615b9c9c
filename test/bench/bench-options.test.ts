// The command line: defaults, what chooses cases, what is refused.

import { describe, expect, test } from 'vitest'
import { benchOptions } from '../../bench/bench-options'
import { MACRO_CASE_NAMES } from '../../bench/macro/cases'

test('defaults of both commands, --quick and what overrides it', () => {
  const cases = ['zlib', 'inflate', 'rows-5', 'objects', 'papaparse', 'typed']
  expect(benchOptions([])).toEqual({
    cases,
    shapes: ['repeating'],
    megabytes: 200,
    rounds: 5,
    minutes: 10,
    seed: 1,
    json: undefined,
    floor: true,
  })
  expect(benchOptions(['--peers'])).toMatchObject({
    cases: MACRO_CASE_NAMES,
    megabytes: 400,
    rounds: 7,
    floor: true,
  })
  expect(benchOptions(['--shape', 'varied,repeating']).shapes).toEqual(['varied', 'repeating'])
  expect(benchOptions(['--quick'])).toMatchObject({ cases, megabytes: 20, rounds: 3, floor: false })
  expect(benchOptions(['--peers', '--no-floor', '--json', 'a.json'])).toMatchObject({
    json: 'a.json',
    floor: false,
  })
  expect(benchOptions(['--quick', '--mb', '7', '--rounds', '2'])).toMatchObject({
    megabytes: 7,
    rounds: 2,
  })
})

describe('--only', () => {
  test('a case of the table brings its contenders and what its goals compare it with', () => {
    expect(benchOptions(['--only', 'http']).cases).toEqual(['zlib', 'rows-5', 'http'])
    expect(benchOptions(['--only', 'objects']).cases).toEqual([
      'zlib',
      'csv-parse',
      'objects',
      'objects-of-rows',
      'udsv-objects',
      'papaparse',
    ])
    expect(benchOptions(['--only', 'rss']).cases).toEqual(['zlib', 'rss-small', 'rss-large'])
  })

  test('own is this package beside the yardstick', () => {
    expect(benchOptions(['--only', 'own,udsv']).cases).toEqual([
      'zlib',
      'inflate',
      'gunzip',
      'rows-5',
      'udsv',
      'objects',
      'typed',
      'columns',
    ])
  })

  test('a contender by itself, several names', () => {
    expect(benchOptions(['--only', 'fast-csv,split']).cases).toEqual(['zlib', 'split', 'fast-csv'])
  })
})

test.each([
  [['--mb', '0']],
  [['--rounds', 'many']],
  [['--only', 'rows-6']],
  [['--shape', 'square']],
  [['--fast']],
])('%j is refused', args => {
  expect(() => benchOptions(args)).toThrow()
})
