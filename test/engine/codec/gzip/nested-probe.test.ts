import { expect, test } from 'vitest'
import { NestedProbe } from '../../../../src/engine/codec/gzip/nested-probe'
import { byteByByte } from './build-gzip'

const blocksOf = (...bytes: number[]) => byteByByte(Uint8Array.from(bytes))

function sawGzip(blocks: readonly Uint8Array[]): boolean {
  const probe = new NestedProbe()
  return blocks.some(block => probe.completes(block))
}

test('fault 49: the probe sees a gzip signature, in one block or byte by byte', () => {
  expect(sawGzip([Uint8Array.of(0x1f, 0x8b, 8, 0x1f, 0, 0)])).toBe(true)
  expect(sawGzip([...blocksOf(0x1f, 0x8b, 8), new Uint8Array(0), ...blocksOf(0)])).toBe(true)
})

test.each([
  ['another method', [0x1f, 0x8b, 7, 0]],
  ['reserved flags', [0x1f, 0x8b, 8, 0x20]],
  ['a signature that breaks off', [0x1f, 0x8b, 8]],
  ['a signature after the first byte', [0x41, 0x1f, 0x8b, 8, 0]],
  ['a signature after half a signature', [0x1f, 0x8b, 0x1f, 0x8b, 8, 0]],
])('the probe sees no signature in %s', (_, bytes) => {
  expect(sawGzip([Uint8Array.from(bytes)])).toBe(false)
  expect(sawGzip(blocksOf(...bytes))).toBe(false)
})
