import { expect, test } from 'vitest'
import { MemoryStore } from '../../src/state/memory-store'
import { WriteGroup } from '../../src/sync/write-group'

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
  expect((await group.getMany(['c', 'a', 'x', 'b'])).map(text)).toEqual(['2', '2', undefined, undefined])
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
