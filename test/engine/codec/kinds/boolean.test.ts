import { expect, test } from 'vitest'
import { decodeBoolean } from '../../../../src/engine/codec/kinds/boolean'

test.each([
  ['true', true],
  ['TRUE', true],
  ['True', true],
  ['false', false],
  ['FALSE', false],
  ['False', false],
])('%s', (text, value) => {
  expect(decodeBoolean(text)).toBe(value)
})

test.each(['', '1', '0', 'yes', 'no', 't', ' true', 'true\n', 'null'])('refuses %j', text => {
  expect(() => decodeBoolean(text)).toThrow(expect.objectContaining({ code: 'CELL_INVALID' }))
})
