import fc from 'fast-check'
import { expect, test } from 'vitest'
import { textHash } from '../../../src/engine/codec/columns/text-hash'
import {
  FrequentValues,
  GOOD,
  KEY_BYTES,
  MOST_VALUES,
} from '../../../src/inspect/columns/frequent-values'

function viewOf(text: string): DataView {
  return new DataView(Uint8Array.from(Buffer.from(text)).buffer)
}

function counted(values: Iterable<string>): FrequentValues {
  const frequent = new FrequentValues()
  let cells = 0
  for (const value of values) {
    cells++
    const bytes = viewOf(value)
    const hash = textHash(bytes, 0, bytes.byteLength)
    if (!frequent.isCounting) break
    if (frequent.count(hash, bytes, 0, bytes.byteLength) < 0)
      frequent.add(hash, bytes, 0, bytes.byteLength, GOOD, cells)
  }
  return frequent
}

const shown = (frequent: FrequentValues) =>
  new Map(
    frequent.top(MOST_VALUES).map(({ bytes, count }) => [Buffer.from(bytes).toString(), count]),
  )

function exactCounts(values: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>()
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1)
  return counts
}

test('counts are exact while the values fit', () => {
  const value = fc.integer({ min: 1, max: MOST_VALUES }).map(n => `value ${n}`)
  fc.assert(
    fc.property(fc.array(value, { maxLength: 600 }), values => {
      const frequent = counted(values)
      expect(frequent.isExact).toBe(true)
      expect(shown(frequent)).toEqual(exactCounts(values))
    }),
  )
})

test('beyond that a count lacks at most `lacking`, and no value with more than that is left out', () => {
  const value = fc.oneof(
    { weight: 3, arbitrary: fc.integer({ min: 0, max: 9 }) },
    { weight: 2, arbitrary: fc.integer({ min: 10, max: 5_000 }) },
  )
  fc.assert(
    fc.property(fc.array(value, { minLength: 600, maxLength: 3_000 }), numbers => {
      const values = numbers.map(String)
      const frequent = counted(values)
      const counts = shown(frequent)
      for (const [each, exact] of exactCounts(values)) {
        const count = counts.get(each)
        if (count === undefined) expect(exact).toBeLessThanOrEqual(frequent.lacking)
        else {
          expect(count).toBeLessThanOrEqual(exact)
          expect(count).toBeGreaterThanOrEqual(exact - frequent.lacking)
        }
      }
      expect(frequent.size).toBeLessThanOrEqual(MOST_VALUES)
    }),
    { numRuns: 40 },
  )
})

test('a column of distinct values stops counting', () => {
  expect(counted(Array.from({ length: 10_000 }, (_, n) => `v1|${n}|0`)).isCounting).toBe(false)
})

test('a value that is too long is only counted as such', () => {
  const frequent = counted([
    'a'.repeat(KEY_BYTES),
    'b'.repeat(KEY_BYTES + 1),
    'b'.repeat(KEY_BYTES + 1),
  ])
  expect(frequent).toMatchObject({ size: 1, tooLong: 2, isExact: false })
})

test('values with equal hashes are told apart', () => {
  const frequent = new FrequentValues()
  const bytes = viewOf('ab')
  frequent.add(7, bytes, 0, 1, GOOD, 1)
  expect(frequent.count(7, bytes, 1, 2)).toBe(-1)
  frequent.add(7, bytes, 1, 2, GOOD, 2)
  expect(frequent.count(7, bytes, 1, 2)).toBe(1)
  expect([...shown(frequent)]).toEqual([
    ['b', 2],
    ['a', 1],
  ])
})
