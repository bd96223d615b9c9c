import fc from 'fast-check'
import { expect, test } from 'vitest'
import { TsvParser } from '../../../src/engine/codec/tsv/parser'
import { anyColumns, richCell, tsv } from '../../tsv-text'

const columns = ['a', 'b', 'c']

function rowsOf(cells: readonly (readonly string[])[]) {
  const parser = new TsvParser({ schema: anyColumns })
  return [...parser.push(Buffer.from(tsv([columns, ...cells]))), ...parser.end()].flatMap(batch => [
    ...batch,
  ])
}

/** Cells of all kinds, and long ones, so that rows end anywhere in the runs that become text. */
const cell = fc.oneof(
  { weight: 8, arbitrary: richCell },
  { weight: 1, arbitrary: fc.nat(3000).map(length => 'x'.repeat(length)) },
  { weight: 1, arbitrary: fc.nat(3000).map(length => `"é\\${'ß"'.repeat(length)}`) },
)

test('a cell reads the same in whatever order rows are read, by name or as an object', () => {
  fc.assert(
    fc.property(
      fc.array(fc.tuple(cell, cell, cell), { minLength: 1, maxLength: 40 }),
      fc.array(fc.nat(), { maxLength: 40 }),
      fc.boolean(),
      (cells, order, backwards) => {
        const rows = rowsOf(cells)
        const visits = [
          ...order.map(n => n % rows.length),
          ...(backwards ? [...rows.keys()].reverse() : rows.keys()),
        ]
        for (const n of visits) {
          const row = rows[n]!
          expect(columns.map(name => row.text(name))).toEqual(cells[n])
          expect(columns.map(name => row.ownText(name))).toEqual(cells[n])
          expect(Object.values(row.toStrings())).toEqual(cells[n])
        }
      },
    ),
  )
})

test('a lone backslash, and a backslash before any character but a quote or a backslash, is kept', () => {
  const parser = new TsvParser({ schema: anyColumns })
  const [batch] = [...parser.push(Buffer.from('a\n"\\x \\\\ \\" é\\n"\n')), ...parser.end()]
  expect(batch!.row(0).text('a')).toBe('\\x \\ " é\\n')
})

test('a quoted cell may be longer than the shared buffer for unescaping', () => {
  const text = `"${'\\é"'.repeat(5000)}`
  expect(rowsOf([[text, 'b', text]])[0]!.toStrings()).toEqual({ a: text, b: 'b', c: text })
})
