import { expect, test } from 'vitest'
import { seededRandom } from '../../../src/bench/statistics/random'

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
