import { expect, test } from 'vitest'
import { gzipLimits } from '../../../../src/engine/codec/gzip/limits'

test('the limits have defaults', () => {
  expect(gzipLimits({})).toEqual({
    maxOutputBytes: 2 ** 40,
    maxRatio: 250,
    maxMembers: 1_000_000,
    allowNested: false,
  })
})

test('the limits accept Infinity as no cap', () => {
  const limits = {
    maxOutputBytes: Infinity,
    maxRatio: Infinity,
    maxMembers: Infinity,
    allowNested: true,
  }
  expect(gzipLimits(limits)).toEqual(limits)
})

test.each([
  ['maxOutputBytes', 0],
  ['maxOutputBytes', Number.NaN],
  ['maxRatio', 0.5],
  ['maxRatio', Number.NaN],
  ['maxMembers', 0],
  ['maxMembers', Number.NaN],
  ['allowNested', 'yes'],
])('the limits refuse %s %s', (option, value) => {
  const error = expect.objectContaining({
    code: 'OPTION_INVALID',
    context: expect.objectContaining({ option }),
  })
  expect(() => gzipLimits({ [option]: value })).toThrow(error)
})
