import fc from 'fast-check'
import { expect, test } from 'vitest'
import { decoderOf } from '../../../../src/engine/codec/kinds/all-kinds'
import { decodeList } from '../../../../src/engine/codec/kinds/list'
import { int64, list, timestamp } from '../../../../src/engine/schema/column-kinds'

test('values keep their order, space around them goes, empty ones go', () => {
  expect(decodeList('SHIP_TO_HOME, IN_STORE_PICKUP,,\tA|B ,', ',')).toEqual([
    'SHIP_TO_HOME',
    'IN_STORE_PICKUP',
    'A|B',
  ])
  expect(decodeList('NEW|  |PRICE CHANGE|a,b|', '|')).toEqual(['NEW', 'PRICE CHANGE', 'a,b'])
  expect(decodeList('', ',')).toEqual([])
  expect(decodeList(' | ', '|')).toEqual([])
})

test('fault 73: unknown enumeration values are kept', () => {
  expect(decodeList('SHIP_TO_HOME,BY_DRONE', ',')).toEqual(['SHIP_TO_HOME', 'BY_DRONE'])
  const values = fc.array(fc.stringMatching(/^[^\s|]+$/))
  fc.assert(
    fc.property(values, list => {
      expect(decodeList(list.join('|'), '|')).toEqual(list)
    }),
  )
})

test('a list reads back with any separator and any kind of values, and is frozen', () => {
  const separator = fc.constantFrom('|', ',', ';', '::', ' / ', 'x')
  fc.assert(
    fc.property(
      separator,
      fc.array(fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n })),
      (between, values) => {
        const { decode } = decoderOf(list(between, int64()))
        const read = decode(values.join(between))
        expect(read).toEqual(values)
        expect(Object.isFrozen(read)).toBe(true)
      },
    ),
  )
})

test('a bad value of a list is that of its kind', () => {
  expect(() => decoderOf(list('|', timestamp())).decode('2024-01-01T00:00:00Z|now')).toThrow(
    expect.objectContaining({
      code: 'CELL_INVALID',
      context: expect.objectContaining({ type: 'timestamp', excerpt: 'now' }),
    }),
  )
})
