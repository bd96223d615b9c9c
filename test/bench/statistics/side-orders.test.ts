import fc from 'fast-check'
import { expect, test } from 'vitest'
import { seededRandom, sideOrders } from '../../../src/bench/statistics/side-orders'

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

test('a seed gives the same numbers again, another seed others', () => {
  const drawn = (seed: number) => Array.from({ length: 20 }, seededRandom(seed))
  expect(drawn(1)).toEqual(drawn(1))
  expect(drawn(1)).not.toEqual(drawn(2))
})

test('numbers are spread evenly from 0 up to 1', () => {
  const random = seededRandom(3)
  const tenths = new Array<number>(10).fill(0)
  for (let n = 0; n < 100_000; n++) tenths[Math.floor(random() * 10)]!++
  for (const count of tenths) expect(Math.abs(count - 10_000)).toBeLessThan(500)
})
