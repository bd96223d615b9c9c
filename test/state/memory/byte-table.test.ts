import fc from 'fast-check'
import { expect, test } from 'vitest'
import { ByteTable } from '../../../src/state/memory/byte-table'

const bytes = (text: string) => Buffer.from(text)

test('a table answers as a Map does, in the order of the bytes of its keys', () => {
  const key = fc.string({ unit: fc.constantFrom('a', 'b', '\0', '\uff5e', '😀'), maxLength: 3 })
  fc.assert(
    fc.property(fc.array(fc.tuple(key, fc.string({ maxLength: 40 }))), writes => {
      const table = new ByteTable()
      const model = new Map<string, string>()
      for (const [key, value] of writes) {
        table.set(key, bytes(value))
        model.set(key, value)
      }
      for (const [key, value] of model) {
        expect(Buffer.from(table.get(key)!).toString()).toBe(value)
        expect(table.get(key, 3)).toEqual(Uint8Array.from(bytes(value).subarray(0, 3)))
      }
      expect(table.get('missing')).toBeUndefined()
      const listed = [...table.records()].flat()
      expect(listed.map(({ key, value }) => [key, Buffer.from(value).toString()])).toEqual(
        [...model].sort(([a], [b]) => Buffer.compare(bytes(a), bytes(b))),
      )
      const held = [...model].map(([key, value]) => key.length + bytes(value).length + 100)
      expect(table.byteLength).toBe(held.reduce((sum, each) => sum + each, 0))
    }),
  )
})

test('a listing has blocks, and ends where the table is cleared', () => {
  const table = new ByteTable()
  for (let n = 0; n < 300; n++) table.set(String(n), bytes('x'))
  let listed = 0
  for (const block of table.records()) {
    listed += block.length
    table.clear()
  }
  expect([listed > 0 && listed < 300, table.size, table.byteLength]).toEqual([true, 0, 0])
})

test('a value can be read where it lies', () => {
  const table = new ByteTable()
  table.set('a', Uint8Array.of(1, 2, 3))
  table.set('b', Uint8Array.of())
  expect([table.view('a'), table.view('b'), table.view('c')]).toEqual([
    Uint8Array.of(1, 2, 3),
    Uint8Array.of(),
    undefined,
  ])
  expect(table.view('a')!.buffer).toBe(table.view('b')!.buffer)
})
