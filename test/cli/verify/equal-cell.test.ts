import fc from 'fast-check'
import { expect, test } from 'vitest'
import { isEqualCell, isStructured } from '../../../src/cli/verify/equal-cell'

const cell = (...pairs: [string, string][]) =>
  pairs.map(([name, value]) => `${btoa(name)}:${btoa(value)}`).join(';')
const ASPECTS = cell(['Color', 'red'], ['Color', 'blue'], ['Size', 'L'])
const LABELLED = `${btoa('Look')}|${cell(['Color', 'red'])}`

test.each([
  ['text', '', null],
  ['text', '', undefined],
  ['decimal', '', ''],
  ['text', '1000', 1000],
  ['decimal', '12.50', '12.5'],
  ['decimal', '12.50', 12.5],
  ['int32', '3', '3.0'],

  ['boolean', 'true', true],
  ['boolean', 'false', 'FALSE'],
  ['boolean', 'true', 1],
  ['timestamp', '2026-03-01T09:00:00.000Z', '2026-03-01T09:00:00Z'],
  ['timestamp', '2026-03-01T09:00:00.000Z', '2026-03-01 10:00:00+01:00'],
  ['list |', 'Toys|Games', ['Toys', 'Games']],
  ['list ,', 'A,B', ['A', 'B']],
  ['list ,', '', []],
  [
    'aspects',
    ASPECTS,
    [
      { name: 'Size', value: 'L' },
      { name: 'Color', value: 'red' },
      { name: 'Color', value: 'blue' },
    ],
  ],
  ['aspects', ASPECTS, { Color: ['red', 'blue'], Size: 'L' }],
  ['aspects', LABELLED, [{ label: 'Look', name: 'Color', value: 'red' }]],
  ['aspects', LABELLED, { Color: 'red' }],
  ['aspects', '', []],
  ['regions', 'COUNTRY:US|CA;REGION:EUROPE;', { countries: ['US', 'CA'], regions: ['EUROPE'] }],
  ['regions', 'REGION:EUROPE', { regions: ['EUROPE'] }],
])('%s: %j is equal to %j', (type, expected, received) => {
  expect(isEqualCell(type, expected, received)).toBe(true)
})

test.each([
  ['text', '0012', 12],
  ['text', '12.50', '12.5'],
  ['text', 'true', 'TRUE'],
  ['text', 'a', null],
  ['decimal', '12.50', '12.51'],
  ['decimal', '12.50', '12,50'],
  ['decimal', '', '0'],
  ['boolean', 'false', ''],
  ['boolean', 'true', 'yes'],
  ['timestamp', '2026-03-01T09:00:00.000Z', '2026-03-01T09:00:00'],
  ['timestamp', '2026-03-01T09:00:00.000Z', '2026-03-01T09:00:00.001Z'],
  ['list |', 'Toys|Games', ['Games', 'Toys']],
  ['aspects', ASPECTS, { Color: ['red', 'L'], Size: 'blue' }],
  ['aspects', ASPECTS, { Color: 'red', Size: 'L' }],
  ['aspects', ASPECTS, ['Color', 'Size']],
  ['aspects', ASPECTS, {}],
  ['aspects', LABELLED, [{ label: null, name: 'Color', value: 'red' }]],
  ['aspects', LABELLED, [{ name: 'Q29sb3I=', value: 'red' }]],
  ['regions', 'REGION:EUROPE', { countries: ['EUROPE'] }],
  ['text', 'a', ['a']],
])('%s: %j is not equal to %j', (type, expected, received) => {
  expect(isEqualCell(type, expected, received)).toBe(false)
})

test('in a text column every change of the text is a difference', () => {
  fc.assert(
    fc.property(fc.string(), fc.string(), (a, b) => {
      expect(isEqualCell('text', a, b)).toBe(a === b)
    }),
  )
})

test('objects and lists in a column of another type cannot be compared', () => {
  const structured = ['a', 1, null, ['a'], {}].map(value => isStructured('text', value))
  expect(structured).toEqual([false, false, false, true, true])
  expect(['list |', 'aspects', 'regions'].some(type => isStructured(type, ['a']))).toBe(false)
})

test('a long decimal is compared in one pass', () => {
  const long = `0.${'0'.repeat(1e6)}1`
  expect(isEqualCell('decimal', `${long}0`, long)).toBe(true)
})
