import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { StoreOp } from '../../../src/state/keyed-store'
import { checkValue, INLINE_BYTES, readEntry } from '../../../src/state/level/index-entry'
import { blockTakerOf, newRoom, WriteBlock } from '../../../src/state/level/write-block'
import { MemoryStore } from '../../../src/state/memory/memory-store'

const write = fc.record({
  key: fc.constantFrom('a', 'b', 'c', 'a longer key'),
  value: fc.option(
    fc
      .tuple(fc.integer({ max: 3 * INLINE_BYTES, min: 0 }), fc.nat(255))
      .map(([length, byte]): Uint8Array => new Uint8Array(length).fill(byte)),
  ),
})
const writes = fc.array(fc.array(write, { maxLength: 5 }), { maxLength: 40 })
const PLACE = { segment: 3, offset: 1_000_000 }

function blockOf(all: readonly (readonly StoreOp[])[]): WriteBlock {
  // The room is small, so that it is widened.
  const block = new WriteBlock({ ...newRoom(100), indexed: Buffer.alloc(10) })
  for (const ops of all) block.add(ops)
  return block
}

const newestOf = (all: readonly (readonly StoreOp[])[]) =>
  new Map(all.flat().map(({ key, value }) => [key, value && Buffer.from(value)]))

test('the newest value of each key is there, in whole, in part and as an entry of the index', () => {
  fc.assert(
    fc.property(writes, fc.nat(100), (all, firstBytes) => {
      const block = blockOf(all)
      const expected = newestOf(all)
      expect(block.size).toBe(expected.size)
      for (const [key, value] of expected) {
        const [whole, part] = [block.valueOf(key), block.valueOf(key, firstBytes)]
        expect([whole && Buffer.from(whole), part && Buffer.from(part)]).toEqual([
          value,
          value?.subarray(0, firstBytes) ?? null,
        ])
      }
      expect(block.valueOf('another')).toBeUndefined()
      const ops = block.ops().map(({ key, value }) => [key, value && Buffer.from(value)] as const)
      expect(new Map(ops)).toEqual(expected)

      const entries = new Map<string, Buffer | null>()
      block.giveEntries(PLACE, (key, bytes) => {
        if (bytes === null) return entries.set(key, null)
        const entry = readEntry(Uint8Array.from(bytes), 'x')
        if (entry.place === undefined) return entries.set(key, Buffer.from(entry.value))
        const { segment, offset, length } = entry.place
        expect([segment, length > INLINE_BYTES]).toEqual([PLACE.segment, true])
        const from = offset - PLACE.offset
        const value = Buffer.from(block.values.subarray(from, from + length))
        checkValue(value, entry, 'x')
        expect(value.subarray(0, entry.head.length)).toEqual(Buffer.from(entry.head))
        entries.set(key, value)
      })
      expect(entries).toEqual(expected)

      const lengths = new Map<string, number | null>()
      block.giveLengths((key, length) => lengths.set(key, length))
      expect(lengths).toEqual(
        new Map([...expected].map(([key, value]) => [key, value?.length ?? null])),
      )
    }),
  )
})

test('values are copies, and bytes that are replaced count', () => {
  const value = Buffer.alloc(100, 'v')
  const block = blockOf([[{ key: 'a', value }]])
  value.fill(0)
  block.valueOf('a')!.fill(0)
  expect(Buffer.from(block.valueOf('a')!).toString()).toBe('v'.repeat(100))
  const before = block.byteLength
  block.add([{ key: 'a', value }])
  expect(block.byteLength - before).toBeGreaterThan(100)
  expect(block.size).toBe(1)
})

test('a checksum that the writer knows becomes that of the entry', () => {
  const value = Buffer.alloc(INLINE_BYTES + 1)
  const block = blockOf([[{ key: 'a', value, checksum: 0xfffffffe }]])
  const entries: (Uint8Array | null)[] = []
  block.giveEntries(PLACE, (_, bytes) => entries.push(bytes && Uint8Array.from(bytes)))
  expect(readEntry(entries[0]!, 'folder').checksum).toBe(0xfffffffe)
})

test('writes with a value that is no bytes are refused as a whole', () => {
  const block = blockOf([])
  const ops = [
    { key: 'a', value: Buffer.from('1') },
    { key: 'b', value: undefined as never },
  ]
  expect(() => block.add(ops)).toThrow(TypeError)
  expect([block.size, block.valueOf('a')]).toEqual([0, undefined])
})

test('a store that takes no blocks gets their writes', async () => {
  const store = new MemoryStore()
  const taker = blockTakerOf(store)
  const block = taker.newBlock()
  block.add([
    { key: 'a', value: Buffer.from('1') },
    { key: 'a', value: Buffer.from('2') },
    { key: 'b', value: null },
  ])
  await taker.writeBlock(block)
  expect(store.getMany(['a', 'b']).map(bytes => bytes && Buffer.from(bytes).toString())).toEqual([
    '2',
    undefined,
  ])
})
