import fc from 'fast-check'
import { expect, test } from 'vitest'
import { TextPrefix } from '../../../src/engine/codec/text-prefix'
import { itemSnapshotSchema } from '../../../src/engine/schema/feed-schemas'
import { batchesOf } from '../../rows-from-text'

const text = fc.string({ unit: 'grapheme', maxLength: 300 })

test('a text behind a prefix is the joined text, whatever its characters and length', () => {
  fc.assert(
    fc.property(text, fc.array(text, { minLength: 1 }), (before, texts) => {
      const prefix = new TextPrefix(before)
      for (const each of texts) {
        const bytes = Buffer.from(`<${each}>`)
        expect(prefix.withText(bytes, 1, bytes.length - 1)).toBe(before + each)
      }
    }),
  )
})

test('a cell behind a prefix reads as its text', () => {
  const rows = ['v1|1|0', '', '"quoted"', 'Zubehör', 'x'.repeat(1000)].map(itemId => [itemId, 'A'])
  const batches = batchesOf(itemSnapshotSchema, { feed: 'item_snapshot' }, [
    ['itemId', 'availability'],
    ...rows,
  ])
  const all = batches.flatMap(batch => [...batch])
  const prefix = new TextPrefix('c/i')
  expect(all.map(row => row.prefixedText('itemId', prefix))).toEqual(
    all.map(row => `c/i${row.text('itemId')}`),
  )
  expect(all[0]!.prefixedText('title', prefix)).toBe('c/i')
  expect(() => all[0]!.prefixedText('unknown', prefix)).toThrow(
    expect.objectContaining({ code: 'COLUMN_UNKNOWN' }),
  )
})
