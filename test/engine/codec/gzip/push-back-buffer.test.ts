import fc from 'fast-check'
import { expect, test } from 'vitest'
import { PushBackBuffer } from '../../../../src/engine/codec/gzip/push-back-buffer'

const bytesOf = (blocks: readonly Uint8Array[]) => Buffer.concat(blocks)

test('the buffer gives back the input after the used bytes, whatever use was reported before', () => {
  fc.assert(
    fc.property(
      fc.array(fc.uint8Array({ maxLength: 9 }), { maxLength: 12 }),
      fc.array(fc.nat(100)),
      fc.nat(100),
      (blocks, steps, end) => {
        const all = bytesOf(blocks)
        const used = Math.min(end, all.length)
        const buffer = new PushBackBuffer()
        for (const [n, block] of blocks.entries()) {
          buffer.add(block)
          buffer.used(Math.min(steps[n] ?? 0, used))
        }
        expect(bytesOf(buffer.takeRest(used)).equals(all.subarray(used))).toBe(true)
        expect(buffer.takeRest(0)).toEqual([])
      },
    ),
  )
})

test('the buffer is empty for the next engine', () => {
  const buffer = new PushBackBuffer()
  buffer.add(Buffer.from('first, next'))
  const [rest] = buffer.takeRest(7)
  buffer.add(rest!)
  expect(bytesOf(buffer.takeRest(1)).toString()).toBe('ext')
})
