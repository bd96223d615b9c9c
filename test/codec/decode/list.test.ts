import fc from 'fast-check'
import { expect, test } from 'vitest'
import { decodeCommaList, decodePipeList } from '../../../src/codec/decode/list'

test('values keep their order, space around them goes, empty ones go', () => {
  expect(decodeCommaList('SHIP_TO_HOME, IN_STORE_PICKUP,,\tA|B ,')).toEqual([
    'SHIP_TO_HOME',
    'IN_STORE_PICKUP',
    'A|B',
  ])
  expect(decodePipeList('NEW|  |PRICE CHANGE|a,b|')).toEqual(['NEW', 'PRICE CHANGE', 'a,b'])
  expect(decodeCommaList('')).toEqual([])
  expect(decodePipeList(' | ')).toEqual([])
})

test('fault 73: unknown enumeration values are kept', () => {
  expect(decodeCommaList('SHIP_TO_HOME,BY_DRONE')).toEqual(['SHIP_TO_HOME', 'BY_DRONE'])
  const values = fc.array(fc.stringMatching(/^[^\s|]+$/))
  fc.assert(
    fc.property(values, list => {
      expect(decodePipeList(list.join('|'))).toEqual(list)
    }),
  )
})
