import { expect, test } from 'vitest'
import { decoderOf } from '../../../../src/engine/codec/kinds/all-kinds'
import { oneOf } from '../../../../src/engine/schema/column-kinds'

test('oneOf reads its texts, case included, and names them in its error', () => {
  const { decode, empty } = decoderOf(oneOf('red', 'green'))
  expect([decode('red'), decode('green'), empty]).toEqual(['red', 'green', null])
  for (const text of ['Red', 'blue', ' red', '__proto__', 'constructor'])
    expect(() => decode(text)).toThrow(
      expect.objectContaining({
        code: 'CELL_INVALID',
        context: { type: 'oneOf', reason: 'not one of red, green', excerpt: text },
      }),
    )
})
