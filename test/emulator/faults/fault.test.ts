import { describe, expect, test } from 'vitest'
import { FAULT_KINDS, faultText, readFault } from '../../../src/emulator/faults/fault'

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
