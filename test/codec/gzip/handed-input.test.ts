import fc from 'fast-check'
import { expect, test } from 'vitest'
import { HandedInput } from '../../../src/codec/gzip/handed-input'

const bytesOf = (blocks: readonly Uint8Array[]) => Buffer.concat(blocks)

test('what lies behind the used bytes comes back, whatever was said to be used before', () => {
  fc.assert(
    fc.property(
      fc.array(fc.uint8Array({ maxLength: 9 }), { maxLength: 12 }),
      fc.array(fc.nat(100)),
      fc.nat(100),
      (blocks, steps, end) => {
        const all = bytesOf(blocks)
        const used = Math.min(end, all.length)
        const handed = new HandedInput()
        for (const [n, block] of blocks.entries()) {
          handed.add(block)
          handed.used(Math.min(steps[n] ?? 0, used))
        }
        expect(bytesOf(handed.takeRest(used)).equals(all.subarray(used))).toBe(true)
        expect(handed.takeRest(0)).toEqual([])
      },
    ),
  )
})

test('it begins anew for the next engine', () => {
  const handed = new HandedInput()
  handed.add(Buffer.from('first, next'))
  const [rest] = handed.takeRest(7)
  handed.add(rest!)
  expect(bytesOf(handed.takeRest(1)).toString()).toBe('ext')
})
