import { expect, test } from 'vitest'
import { MemoryStore } from '../../../src/state/memory/memory-store'
import { WriteGroup } from '../../../src/sync/folder/write-group'

const value = (text: string) => Buffer.from(text)
const text = (bytes: Uint8Array | undefined) => bytes && Buffer.from(bytes).toString()

test('gathered writes are readable, and one write puts them into the store at the commit', async () => {
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

test('a write during a read from the store changes no answer', async () => {
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

test('what is written during a commit stays gathered, and is newer than what is committed', async () => {
  const store = new MemoryStore()
  const group = new WriteGroup(store)
  group.write([
    { key: 'a', value: value('1') },
    { key: 'b', value: value('1') },
  ])
  const write = store.write.bind(store)
  store.write = ops => {
    group.write([{ key: 'a', value: value('2') }])
    write(ops)
  }
  const committing = group.commit()
  expect((await group.getMany(['a', 'b'])).map(text)).toEqual(['2', '1'])
  const listed: string[] = []
  for await (const block of group.entries())
    for (const entry of block) listed.push(`${entry.key} ${text(entry.value)}`)
  expect(listed).toEqual(['a 2', 'b 1'])
  await committing
  expect(store.getMany(['a', 'b']).map(text)).toEqual(['1', '1'])
  expect((await group.getMany(['a', 'b'])).map(text)).toEqual(['2', '1'])
  expect(group.byteLength).toBeGreaterThan(0)
  store.write = write
  await group.write([{ key: 'c', value: value('3') }], { sync: true })
  expect(store.getMany(['a', 'b', 'c']).map(text)).toEqual(['2', '1', '3'])
  expect(group.byteLength).toBe(0)
})

test('after a commit that failed, all writes and commits fail with its error', async () => {
  const store = new MemoryStore()
  const group = new WriteGroup(store)
  const ops = [{ key: 'a', value: value('1') }]
  group.write(ops)
  const write = store.write.bind(store)
  store.write = () => {
    throw new RangeError('full')
  }
  await expect(group.write([{ key: 'b', value: value('1') }], { sync: true })).rejects.toThrow(
    'full',
  )
  store.write = write
  expect(() => group.write(ops)).toThrow('full')
  await expect(group.commit()).rejects.toThrow('full')
  await expect(group.write(ops, { sync: true })).rejects.toThrow('full')
  expect(store.getMany(['a', 'b'])).toEqual([undefined, undefined])
  expect((await group.getMany(['a'])).map(text)).toEqual(['1'])
})

test('a write with a value that is no bytes leaves nothing of itself', async () => {
  const group = new WriteGroup(new MemoryStore())
  const ops = [
    { key: 'a', value: value('1') },
    { key: 'b', value: undefined as never },
  ]
  expect(() => group.write(ops)).toThrow()
  expect(await group.getMany(['a', 'b'])).toEqual([undefined, undefined])
})

test('a value that is replaced counts until the commit, because its memory does', async () => {
  const group = new WriteGroup(new MemoryStore())
  for (let n = 0; n < 1000; n++) group.write([{ key: 'a', value: value('1234') }])
  expect(group.byteLength).toBeGreaterThan(4000)
  expect((await group.getMany(['a'])).map(text)).toEqual(['1234'])
  await group.commit()
  expect(group.byteLength).toBe(0)
})

test('a commit does not change the values that another commit is still writing', async () => {
  const store = new MemoryStore()
  let goOn = () => {}
  const group = new WriteGroup({
    getMany: keys => store.getMany(keys),
    entries: range => store.entries(range),
    close: () => {},
    write: async ops => {
      if (ops.some(({ key }) => key === 'slow'))
        await new Promise<void>(resolve => {
          goOn = resolve
        })
      store.write(ops)
    },
  })
  group.write([{ key: 'a', value: value('first') }])
  const slow = group.commit([{ key: 'slow', value: value('') }])
  await group.commit()
  group.write([{ key: 'b', value: value('other') }])
  goOn()
  await slow
  expect(store.getMany(['a']).map(text)).toEqual(['first'])
})

test('a listing is complete, in order and without repetition when a commit comes between its blocks', async () => {
  const store = new MemoryStore()
  const keys = Array.from({ length: 900 }, (_, n) => String(n).padStart(3, '0'))
  const third = (rest: number) => keys.filter((_, n) => n % 3 === rest)
  store.write([...third(0), ...third(1)].map(key => ({ key, value: value('stored') })))
  const group = new WriteGroup(store)
  group.write(third(0).map(key => ({ key, value: null })))
  group.write(third(2).map(key => ({ key, value: value('gathered') })))
  const listed: string[] = []
  for await (const block of group.entries()) {
    listed.push(...block.map(entry => `${entry.key} ${text(entry.value)}`))
    await group.commit()
  }
  expect(group.byteLength).toBe(0)
  expect(listed).toEqual(
    keys.flatMap((key, n) =>
      n % 3 === 0 ? [] : [`${key} ${n % 3 === 1 ? 'stored' : 'gathered'}`],
    ),
  )
})

test('values and listings are copies, and changes to them reach neither the group nor the store', async () => {
  const store = new MemoryStore()
  store.write([{ key: 'stored', value: value('1') }])
  const group = new WriteGroup(store)
  const given = value('2')
  group.write([{ key: 'gathered', value: given }])
  given.fill(0)
  const keys = ['stored', 'gathered']
  for (const bytes of await group.getMany(keys)) bytes?.fill(0)
  for await (const block of group.entries()) for (const entry of block) entry.value.fill(0)
  expect((await group.getMany(keys)).map(text)).toEqual(['1', '2'])
  await group.commit()
  expect(store.getMany(keys).map(text)).toEqual(['1', '2'])
})
