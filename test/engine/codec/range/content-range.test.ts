import fc from 'fast-check'
import { expect, test } from 'vitest'
import { readContentRange } from '../../../../src/engine/codec/range/content-range'

const unreadable = (problem: string) => ({ kind: 'unreadable', problem })

test.each(['0-9/100', 'bytes 0-9/100', 'Bytes  0-9/100', ' bytes\t0-9/100 '])(
  'fault 9: %j is read with and without the unit',
  header => {
    expect(readContentRange(header)).toEqual({
      kind: 'range',
      firstOffset: 0,
      lastOffset: 9,
      totalBytes: 100,
    })
  },
)

test.each(['0-9/*', 'bytes 0-9/*'])('fault 7: %j has an unknown total', header => {
  expect(readContentRange(header)).toEqual({
    kind: 'range',
    firstOffset: 0,
    lastOffset: 9,
    totalBytes: undefined,
  })
})

test.each([
  ['*/1234', 1234],
  ['bytes */0', 0],
  ['*/*', undefined],
])('%j is an unsatisfied range', (header, totalBytes) => {
  expect(readContentRange(header)).toEqual({ kind: 'unsatisfied', totalBytes })
})

test('fault 18: an echoed, unclamped end is passed on as it stands', () => {
  expect(readContentRange('0-209715200/1076602')).toEqual({
    kind: 'range',
    firstOffset: 0,
    lastOffset: 209_715_200,
    totalBytes: 1_076_602,
  })
})

test('fault 8: missing, repeated and malformed headers are refused', () => {
  for (const header of [undefined, '', '  '])
    expect(readContentRange(header)).toEqual(unreadable('missing'))
  for (const header of ['0-9/100, 0-9/100', 'bytes 0-9/100,bytes 10-19/100'])
    expect(readContentRange(header)).toEqual(unreadable('repeated'))
  const garbage = [
    '0-9',
    '9-0/100',
    '-9/100',
    '0-/100',
    'items 0-9/100',
    'bytes=0-9/100',
    '0x0-9/100',
    '1e1-20/100',
    '0-9/1e3',
    '0 - 9/100',
    '+0-9/100',
    '٠-٩/100',
    'bytes0-9/100',
    '0-9/100;',
  ]
  for (const header of garbage)
    expect([header, readContentRange(header)]).toEqual([header, unreadable('invalid')])
})

test('fault 10: numbers past 2^53 are refused', () => {
  for (const header of [
    '0-9/9007199254740992',
    '0-9007199254740992/*',
    '9007199254740993-9007199254740994/*',
    '*/9007199254740992',
  ])
    expect(readContentRange(header)).toEqual(unreadable('invalid'))
  expect(readContentRange('0-9007199254740990/9007199254740991')).toMatchObject({
    totalBytes: Number.MAX_SAFE_INTEGER,
  })
})

test('no text makes the parser throw', () => {
  fc.assert(
    fc.property(
      fc.string(),
      header =>
        void expect(readContentRange(header).kind).toMatch(/^(range|unsatisfied|unreadable)$/),
    ),
  )
})
