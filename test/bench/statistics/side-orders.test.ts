import fc from 'fast-check'
import { expect, test } from 'vitest'
import { seededRandom } from '../../../src/bench/statistics/random'
import { sideOrders } from '../../../src/bench/statistics/side-orders'

function ordersOf(seed: number, count: number): string[] {
  const orders = sideOrders(['a', 'b', 'c'], seededRandom(seed))
  return Array.from({ length: count }, () => orders.next().value.join(''))
}

test('each block of six rounds has every order once', () => {
  fc.assert(
    fc.property(fc.integer(), fc.integer({ min: 1, max: 5 }), (seed, blocks) => {
      const orders = ordersOf(seed, blocks * 6)
      for (let block = 0; block < blocks; block++) {
        expect(orders.slice(block * 6, block * 6 + 6).toSorted()).toEqual([
          'abc',
          'acb',
          'bac',
          'bca',
          'cab',
          'cba',
        ])
      }
    }),
  )
})

test('the orders of blocks differ, and a seed gives the same ones again', () => {
  const orders = ordersOf(1, 60)
  expect(ordersOf(1, 60)).toEqual(orders)
  expect(ordersOf(2, 60)).not.toEqual(orders)
  const blocks = Array.from({ length: 10 }, (_, block) =>
    orders.slice(block * 6, block * 6 + 6).join(),
  )
  expect(new Set(blocks).size).toBeGreaterThan(5)
})
