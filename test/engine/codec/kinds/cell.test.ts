import { expect, test } from 'vitest'
import { decoderOf } from '../../../../src/engine/codec/kinds/all-kinds'
import { FeedError } from '../../../../src/engine/errors'
import { cell } from '../../../../src/engine/schema/column-kinds'

test('a function of the caller gives the value, and what it throws is the cause', () => {
  const cause = new RangeError('too heavy')
  const { decode, empty } = decoderOf(
    cell(
      text => {
        if (text === 'heavy') throw cause
        return text.length
      },
      { empty: 0 },
    ),
  )
  expect([decode('abc'), empty]).toEqual([3, 0])
  expect(() => decode('heavy')).toThrow(
    expect.objectContaining({
      code: 'CELL_INVALID',
      cause,
      context: {
        type: 'cell',
        reason: "the schema's function threw: too heavy",
        excerpt: 'heavy',
      },
    }),
  )
})

test.each([null, 'text', 7, Symbol('s')])('a thrown %o is the cause too', thrown => {
  const { decode } = decoderOf(
    cell(() => {
      throw thrown
    }),
  )
  expect(() => decode('a')).toThrow(
    expect.objectContaining({ code: 'CELL_INVALID', cause: thrown }),
  )
})

test('a FeedError of the caller stays as it is', () => {
  const own = new FeedError('OPTION_INVALID', 'a unit', {
    option: 'u',
    expected: 'g',
    received: 'x',
  })
  const { decode } = decoderOf(
    cell(() => {
      throw own
    }),
  )
  expect(() => decode('a')).toThrow(own)
})
