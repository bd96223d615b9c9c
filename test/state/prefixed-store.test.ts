import { expect, test, vi } from 'vitest'
import { MemoryStore } from '../../src/state/memory/memory-store'
import { prefixedStore } from '../../src/state/prefixed-store'
import { collect } from '../rows-from-text'

const value = (text: string) => Uint8Array.from(Buffer.from(text))

test('views of one store do not see each other, and leave it open', async () => {
  const store = new MemoryStore()
  const [a, b] = [prefixedStore(store, 'a/'), prefixedStore(store, 'b/')]
  await a.write([
    { key: '', value: value('1') },
    { key: 'k', value: value('22') },
  ])
  await b.write([{ key: 'k', value: value('333') }], { sync: true })
  expect(await a.getMany(['k', 'x'])).toEqual([value('22'), undefined])
  expect(await b.getMany(['k'], { firstBytes: 1 })).toEqual([value('3')])
  const listed = async (range?: { from?: string; to?: string }) =>
    (await collect(a.entries(range) as AsyncIterable<{ key: string }[]>))
      .flat()
      .map(({ key }) => key)
  expect(await listed()).toEqual(['', 'k'])
  expect(await listed({ from: 'a' })).toEqual(['k'])
  expect(await listed({ to: 'k' })).toEqual([''])
  await a.close()
  expect(store.getMany(['a/k', 'b/k'])).toEqual([value('22'), value('333')])
})

test('a view passes on the checksums of values', async () => {
  const store = new MemoryStore()
  const write = vi.spyOn(store, 'write')
  await prefixedStore(store, 'a/').write([{ key: 'k', value: value('1'), checksum: 7 }])
  expect(write.mock.calls[0]![0]).toEqual([{ key: 'a/k', value: value('1'), checksum: 7 }])
})
