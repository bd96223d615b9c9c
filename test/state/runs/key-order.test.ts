import fc from 'fast-check'
import { expect, test } from 'vitest'
import { keyOrder } from '../../../src/state/runs/key-order'
import { newHeads, reserveHeads } from '../../../src/state/runs/row-heads'

function headsOf(keys: readonly Buffer[]) {
  const heads = newHeads(0, 0)
  keys.forEach((key, n) => {
    reserveHeads(heads, n, 1, key.length)
    const start = n === 0 ? 0 : heads.keyEnds[n - 1]!
    heads.keys.set(key, start)
    heads.keyEnds[n] = start + key.length
  })
  return heads
}

function expectOrder(keys: readonly Buffer[]): void {
  const expected = keys.map((_, n) => n).sort((a, b) => Buffer.compare(keys[a]!, keys[b]!) || a - b)
  expect([...keyOrder(headsOf(keys), keys.length)]).toEqual(expected)
}

test('Keys are in the order of their bytes, equal keys in the order of their places.', () => {
  const byte = fc.constantFrom(0, 1, 0x30, 0x7c, 0x80, 0xff)
  const key = fc.array(byte, { maxLength: 9 }).map(bytes => Buffer.from(bytes))
  fc.assert(
    fc.property(fc.array(key, { maxLength: 60 }), fc.constantFrom('', 'v1|11'), (keys, start) =>
      expectOrder(keys.map(each => Buffer.concat([Buffer.from(start), each]))),
    ),
  )
})

test('Keys that end where others go on, and the number of keys, make no difference.', () => {
  expectOrder([])
  expectOrder(['v1|2|0', 'v1|2', 'v1|20|0', 'v1|1|10', 'v1|2|0'].map(text => Buffer.from(text)))
})
