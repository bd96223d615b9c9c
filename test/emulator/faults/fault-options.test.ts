import { expect, test } from 'vitest'
import { type FaultOptions, faultSettings } from '../../../src/emulator/faults/fault-options'

test('a route is a path in which * stands for any text and nothing else is special', () => {
  const { rules } = faultSettings([], { rules: [{ route: '/buy/*/item.x', fault: 'reset' }] })
  const matches = rules[0]!.matches
  expect(
    [
      '/buy/feed/v1/item.x',
      '/buy//item.x',
      '/buy/feed/itemsx',
      '/buy/feed/item.x/y',
      'x/buy/a/item.x',
    ].map(matches),
  ).toEqual([true, true, false, false, false])
})

test('no fault occurs by default, and the rate applies to downloads', () => {
  const settings = faultSettings(['/item', '/file/*/download'])
  expect([settings.rate, settings.rules]).toEqual([0, []])
  expect(['/item', '/file/a/download', '/file/a', '/token'].map(settings.ratedRoute)).toEqual([
    true,
    true,
    false,
    false,
  ])
})

const wrong: [option: string, value: FaultOptions][] = [
  ['faults.rate', { rate: 1.1 }],
  ['faults.rate', { rate: Number.NaN }],
  ['faults.seed', { seed: 0.5 }],
  ['faults.kinds', { kinds: [] }],
  ['faults.logEntries', { logEntries: -1 }],
  ['faults.rules', { rules: [{ route: '/', fault: 'explode' }] }],
]
test.each(wrong)('%s: %j is refused', (option, value) => {
  expect(() => faultSettings([], value)).toThrow(
    expect.objectContaining({
      code: 'OPTION_INVALID',
      context: expect.objectContaining({ option }),
    }),
  )
})
