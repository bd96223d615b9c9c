// Rows in place are those that the parser reads of the same lines.

import fc from 'fast-check'
import { expect, test } from 'vitest'
import { OWN_MEMORY } from '../../../../src/engine/codec/memory'
import type { RowBatch } from '../../../../src/engine/codec/row-batch'
import { rowsInPlace } from '../../../../src/engine/codec/tsv/rows-in-place'
import { anyColumns, batchesIn, tsv } from '../../../tsv-text'

const NAMES = ['a', 'b', 'c']
const cell = fc.oneof(
  fc.constantFrom('', 'x', 'ü', '"quoted"', 'tab\tand\nline', '\\', '\u{1f600}'),
  fc.string({ unit: 'binary' }).map(text => text.replaceAll(/[\0\r]/g, '')),
)

/** The batches of the parser, and of the lines in place. */
function both(rows: readonly (readonly string[])[]) {
  const text = tsv([NAMES, ...rows])
  const batches = [...batchesIn(text, { schema: anyColumns })]
  const lines = Buffer.from(text.slice(text.indexOf('\n') + 1))
  return { batches, lines, inPlace: rowsInPlace(batches[0]!.header, lines, OWN_MEMORY) }
}

const textsOf = (batches: readonly RowBatch[]) =>
  batches.flatMap(batch => Array.from(batch, row => row.toStrings()))

test('rows of any cells are read as by the parser', () => {
  const rows = fc.array(fc.tuple(fc.constant('key'), cell, cell), { minLength: 1, maxLength: 8 })
  fc.assert(
    fc.property(rows, all => {
      const { batches, inPlace } = both(all)
      expect(textsOf(inPlace)).toEqual(textsOf(batches))
    }),
  )
})

test('many rows, and a row that is larger than a batch', () => {
  const rows = Array.from({ length: 9_000 }, (_, n) => [`${n}`, 'x'.repeat(n % 90), ''])
  rows[4_000] = ['large', 'y'.repeat(700_000), 'ü']
  const { batches, inPlace } = both(rows)
  expect(textsOf(inPlace)).toEqual(textsOf(batches))
  expect(inPlace.length).toBeGreaterThan(2)
})

test('rows end before a line that is no row', () => {
  const { batches, lines } = both([['a', 'b', 'c']])
  for (const bad of ['one\ttwo\n', 'a\t"b\tc\n', 'a\tb\tc'])
    expect(
      textsOf(
        rowsInPlace(batches[0]!.header, Buffer.concat([lines, Buffer.from(bad)]), OWN_MEMORY),
      ),
    ).toEqual([{ a: 'a', b: 'b', c: 'c' }])
})
