import { describe, expect, test } from 'vitest'
import {
  FAULT_KINDS,
  type FaultOptions,
  faultSettings,
  faultText,
  readFault,
} from '../../../src/emulator/faults/fault'

describe('fault grammar', () => {
  test.each([
    ['reset', { kind: 'reset' }],
    ['reset;after=1000', { kind: 'reset', after: 1000 }],
    ['stall; after=0 ;ms=50', { kind: 'stall', after: 0, ms: 50 }],
    ['503;retry-after=2;times=3', { kind: '503', 'retry-after': '2', times: 3 }],
    [
      '429;retry-after=Wed, 21 Oct 2026 07:28:00 GMT',
      { kind: '429', 'retry-after': 'Wed, 21 Oct 2026 07:28:00 GMT' },
    ],
    ['bit-flip;after=20;bit=7;skip=1', { kind: 'bit-flip', after: 20, bit: 7, skip: 1 }],
  ])('%s', (text, fault) => {
    expect(readFault(text, 'x')).toEqual(fault)
  })

  test.each(FAULT_KINDS)('%s alone is a fault, and its text reads back', kind => {
    expect(readFault(faultText({ kind, skip: 2, times: 1 }), 'x')).toEqual({
      kind,
      skip: 2,
      times: 1,
    })
  })

  test.each([
    '',
    'explode',
    'reset;',
    'reset;after',
    'reset;after=-1',
    'reset;after=1;after=2',
    'reset;ms=5',
    'latency;ms=600001',
    'bit-flip;bit=8',
    'range-missing;after=1',
    '503;retry-after',
    'reset;kind=3',
  ])('%j is refused', text => {
    expect(() => readFault(text, 'some option')).toThrow(
      expect.objectContaining({
        code: 'OPTION_INVALID',
        context: expect.objectContaining({ option: 'some option', received: JSON.stringify(text) }),
      }),
    )
  })
})

describe('fault options', () => {
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
})
