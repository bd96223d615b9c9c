import fc from 'fast-check'
import { expect, test } from 'vitest'
import { decodeJson } from '../../../../src/engine/codec/kinds/json'

test('every JSON value reads back', () => {
  fc.assert(
    fc.property(fc.jsonValue(), value => {
      const text = JSON.stringify(value)
      expect(JSON.stringify(decodeJson(text))).toBe(text)
    }),
  )
})

test.each(['{', '[1,]', "{'a':1}", 'undefined', 'NaN', '1 2'])('%j is no JSON', text => {
  expect(() => decodeJson(text)).toThrow(
    expect.objectContaining({
      code: 'CELL_INVALID',
      context: expect.objectContaining({ type: 'json', excerpt: text }),
      cause: expect.any(SyntaxError),
    }),
  )
})
