import { expect, test } from 'vitest'
import { compareOptions } from '../../../bench/compare/compare-options'
import { COMPARED_CASES } from '../../../bench/compare/compared-cases'

test('defaults, and what overrides them', () => {
  expect(compareOptions(['--base', 'main'])).toMatchObject({
    base: 'main',
    cases: COMPARED_CASES,
    alpha: 0.05,
    json: undefined,
    text: undefined,
  })
  const given = [
    '--base',
    'HEAD~1',
    '--rounds',
    '6',
    '--mb',
    '10',
    '--cases',
    'typed,objects,typed',
    '--alpha',
    '0.01',
    '--json',
    'a',
    '--text',
    'b',
  ]
  expect(compareOptions(given)).toEqual({
    base: 'HEAD~1',
    rounds: 6,
    megabytes: 10,
    cases: ['typed', 'objects'],
    alpha: 0.01,
    json: 'a',
    text: 'b',
  })
})

test.each([
  [[]],
  [['--base', 'main', '--rounds', '5']],
  [['--base', 'main', '--mb', '0']],
  [['--base', 'main', '--alpha', '1']],
  [['--base', 'main', '--alpha', 'little']],
  [['--base', 'main', '--cases', 'objects,papaparse']],
  [['--base', 'main', '--fast']],
])('%j is refused', args => {
  expect(() => compareOptions(args)).toThrow()
})
