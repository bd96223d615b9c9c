import { expect, test } from 'vitest'
import { MemoryStore } from '../../../src/state/memory/memory-store'
import { WriteGroup } from '../../../src/sync/folder/write-group'

const value = (text: string) => Buffer.from(text)
const text = (bytes: Uint8Array | undefined) => bytes && Buffer.from(bytes).toString()

test('what is gathered is read, and is in the store only when it is committed, all in one write', async () => {
  const store = new MemoryStore()
  store.write([
    { key: 'a', value: value('1') },
    { key: 'b', value: value('1') },
  ])
  const group = new WriteGroup(store)
  group.write([{ key: 'a', value: value('2') }])
  group.write([
    { key: 'b', value: null },
    { key: 'c', value: value('2') },
  ])
  expect((await group.getMany(['c', 'a', 'x', 'b'])).map(text)).toEqual([
    '2',
    '2',
    undefined,
    undefined,
  ])
  expect(store.getMany(['a', 'b', 'c']).map(text)).toEqual(['1', '1', undefined])
  expect(group.byteLength).toBeGreaterThan(0)
  const writes: string[] = []
  store.write = ops => {
    writes.push(ops.map(({ key }) => key).join())
  }
  await group.commit([{ key: 'position', value: value('3') }])
  expect(writes).toEqual(['a,b,c,position'])
  expect(group.byteLength).toBe(0)
})

test('a write while others are read from the store changes nothing of what is answered', async () => {
  const store = new MemoryStore()
  store.write([
    { key: 'a', value: value('A') },
    { key: 'b', value: value('B') },
  ])
  const group = new WriteGroup({
    getMany: async keys => store.getMany(keys),
    write: ops => store.write(ops),
    entries: () => [],
    close: () => {},
  })
  const reading = group.getMany(['a', 'b'])
  group.write([{ key: 'a', value: value('later') }])
  expect((await reading).map(text)).toEqual(['A', 'B'])
})

test('what could not be committed stays gathered, and so does what is written meanwhile', async () => {
  const store = new MemoryStore()
  const group = new WriteGroup(store)
  group.write([{ key: 'a', value: value('1') }])
  const bytes = group.byteLength
  store.write = () => {
    throw new RangeError('full')
  }
  await expect(group.commit()).rejects.toThrow('full')
  expect([(await group.getMany(['a'])).map(text), group.byteLength]).toEqual([['1'], bytes])
  store.write = () => group.write([{ key: 'a', value: value('2') }])
  await group.commit()
  expect([(await group.getMany(['a'])).map(text), group.byteLength]).toEqual([['2'], bytes])
})
