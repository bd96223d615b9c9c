import fc from 'fast-check'
import { expect, test } from 'vitest'
import { decodeList } from '../../../../src/engine/codec/decode/list'

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
