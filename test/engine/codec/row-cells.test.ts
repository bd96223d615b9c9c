import fc from 'fast-check'
import { expect, test, vi } from 'vitest'
import { TsvParser } from '../../../src/engine/codec/tsv/parser'
import { anyColumns, batchesIn, richCell, tsv } from '../../tsv-text'

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

/** Bytes of UTF-8 in every length, of Latin-1 and not, with escapes, and bytes that are not UTF-8. */
const bytesOfCell = fc
  .array(
    fc.constantFrom(
      ...[
        'a',
        'plain text of some length',
        'é',
        'ÿ',
        'Ā',
        '日本',
        '😀',
        '\\',
        '\\\\',
        '\\"',
        '\0',
      ].map(text => Buffer.from(text)),
      ...['c3', 'e697', 'f09f98', 'c080', 'e08080', 'eda080', 'f4908080', 'ff'].map(hex =>
        Buffer.from(hex, 'hex'),
      ),
      Buffer.from('é'.repeat(200)),
      Buffer.from('本'.repeat(300)),
    ),
    { maxLength: 8 },
  )
  .map(parts => Buffer.concat(parts))
  .chain(bytes =>
    fc.constantFrom(bytes, Buffer.concat([Buffer.from('"'), bytes, Buffer.from(' "')])),
  )
const blockOfCells = fc
  .array(fc.tuple(bytesOfCell, bytesOfCell), { minLength: 1, maxLength: 120 })
  .map(rows =>
    Buffer.concat([
      Buffer.from('a\tb\n'),
      ...rows.flatMap(([a, b]) => [a, Buffer.from('\t'), b, Buffer.from('\n')]),
    ]),
  )

test('the texts of rows that become text together are those of each cell alone, of several batches in turns', () => {
  fc.assert(
    fc.property(
      fc.array(blockOfCells, { minLength: 1, maxLength: 3 }),
      fc.array(fc.nat(), { maxLength: 60 }),
      (blocks, order) => {
        const rows = blocks
          .map(block =>
            batchesIn(block, { schema: anyColumns, invalidUtf8: 'replace', onBadRow: 'skip' }),
          )
          .flatMap(batches => batches.flatMap(batch => [...batch]))
        for (const n of [...order.map(at => at % (rows.length || 1)), ...rows.keys()]) {
          if (rows.length === 0) break
          const alone = [rows[n]!.ownText('a'), rows[n]!.ownText('b')]
          expect([rows[n]!.text('a'), rows[n]!.text('b')]).toEqual(alone)
          expect(Object.values(rows[n]!.toStrings())).toEqual(alone)
          expect([rows[n]!.get('a') ?? '', rows[n]!.get('b') ?? '']).toEqual(alone)
        }
      },
    ),
    { numRuns: 60 },
  )
})

test('without WebAssembly each cell becomes text on its own', async () => {
  vi.stubGlobal('WebAssembly', undefined)
  vi.resetModules()
  const parser = new (await import('../../../src/engine/codec/tsv/parser')).TsvParser({
    schema: anyColumns,
  })
  const batches = [...parser.push(Buffer.from('a\n"é"\nx\n"\\"日"\n')), ...parser.end()]
  expect(batches.flatMap(batch => Array.from(batch, row => row.text('a')))).toEqual([
    'é',
    'x',
    '"日',
  ])
  vi.unstubAllGlobals()
  vi.resetModules()
})
