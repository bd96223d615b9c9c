import { expect, test } from 'vitest'
import { ReusedMemory } from '../../../src/engine/codec/memory'

test('memory is used again once it is cleared, and has room for what was asked for', () => {
  const memory = new ReusedMemory()
  const [first, second] = [memory.take(5), memory.take(8)]
  expect(first!.buffer).not.toBe(second!.buffer)
  memory.clear()
  const again = [5, 8].map(bytes => memory.take(bytes))
  expect(again.map(({ byteOffset, length }) => [byteOffset, length])).toEqual([
    [0, 5],
    [8, 8],
  ])
  const more = memory.take(1)
  expect(more.buffer).not.toBe(again[0]!.buffer)
  memory.clear()
  expect([5, 8, 1].map(bytes => memory.take(bytes).byteOffset)).toEqual([0, 8, 16])
})
