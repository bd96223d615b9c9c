import { expect, test } from 'vitest'
import { rangeHeader } from '../../../../src/engine/codec/range/byte-range'

test('the header has an inclusive end', () => {
  expect(rangeHeader({ start: 0, end: 10 })).toBe('bytes=0-9')
  expect(rangeHeader({ start: 7, end: 8 })).toBe('bytes=7-7')
})
