import fc from 'fast-check'
import { expect, test } from 'vitest'
import { decodeConditionDescriptors } from '../../../../src/engine/codec/kinds/condition-descriptors'

const base64 = (text: string) => Buffer.from(text).toString('base64')

test('what is written comes back', () => {
  const texts = fc.string({ unit: fc.constantFrom(':', ';', '|', 'a', 'ä') })
  const descriptors = fc.array(
    fc.record({ name: texts, values: fc.array(texts, { minLength: 1, maxLength: 4 }) }),
    { minLength: 1 },
  )
  fc.assert(
    fc.property(descriptors, fc.constantFrom('', ';'), (entries, end) => {
      const cell =
        entries
          .map(({ name, values }) => `${base64(name)}:${values.map(base64).join('|')}`)
          .join(';') + end
      expect(decodeConditionDescriptors(cell)).toEqual(entries)
    }),
  )
})

test('nothing has no descriptors', () => {
  expect(decodeConditionDescriptors('')).toEqual([])
  expect(decodeConditionDescriptors(';')).toEqual([])
})

test.each([
  'bg==',
  'bg==|dg==',
  'bg==:dg==:dg==',
  'bg==|bg==:dg==',
  'bg==:dg==;;',
  'bg==:dg==|dg==:bg==',
  'bg==:*',
])('refuses %s', cell => {
  expect(() => decodeConditionDescriptors(cell)).toThrow(
    expect.objectContaining({ code: 'CELL_INVALID' }),
  )
})
