// A parser whose input begins in the middle of a file, at a row: it gives the rows, positions and
// bad rows that a parser of the whole file gives from that row on.

import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { lend } from '../../../../src/engine/codec/loan'
import { TsvParser, type TsvParserOptions } from '../../../../src/engine/codec/tsv/parser'
import { wasmMemory } from '../../../../src/engine/codec/wasm-module'
import type { RowPosition } from '../../../../src/engine/errors'
import { int32, text } from '../../../../src/engine/schema/column-kinds'
import { type Columns, defineSchema } from '../../../../src/engine/schema/feed-schema'
import { anyColumns } from '../../../tsv-text'

const schema = defineSchema({
  name: 'item',
  columns: {
    a: text(),
    b: text(),
  },
})
const SMALL = { batchBytes: 64, maxRowBytes: 64 } as const
const HEADER = 'A\tb\n'

/** Rows good and bad. A quote that never closes is not among them: it changes the rows behind it. */
const line = fc.constantFrom(
  'x\ty\n',
  'ä\t"q\tr"\n',
  '"two\nlines"\tz\n',
  'short\n',
  'a\tb\tc\n',
  '\n',
  `${'long'.repeat(40)}\tb\n`,
  '\xff\xfe\tb\n',
)
const lines = fc.array(line, { minLength: 1, maxLength: 40 })

type Start = NonNullable<TsvParserOptions<Columns>['startsAt']>

/** What a parser gives for an input in pieces, and what it says of itself at its end. */
function read(pieces: readonly Uint8Array[], startsAt?: Start) {
  const rows: { cells: (string | null)[]; position: RowPosition }[] = []
  const bad: { code: string; position: RowPosition }[] = []
  const parser = new TsvParser({
    schema,
    ...SMALL,
    onBadRow: ({ code, position: { row, line, byteOffset } }) =>
      void bad.push({ code, position: { row, line, byteOffset } }),
    ...(startsAt && { startsAt }),
  })
  const take = (batches: ReturnType<typeof parser.push>) => {
    for (const batch of batches)
      for (const row of batch)
        rows.push({ cells: [row.text('a'), row.text('b')], position: row.position })
  }
  for (const piece of pieces) take(parser.push(piece))
  take(parser.end())
  const { badRows, rowsRead, columnNames } = parser
  return { rows, bad, badRows, rowsRead, columnNames }
}

const isFrom =
  (first: RowPosition) =>
  ({ position }: { readonly position: RowPosition }) =>
    position.row >= first.row

describe('the rows of a file from any of them on', () => {
  test('have the cells, positions and faults that they have in the whole file', () => {
    fc.assert(
      fc.property(lines, fc.nat(), fc.nat(), (texts, place, cut) => {
        const at = place % texts.length
        const before = Buffer.from(HEADER + texts.slice(0, at).join(''), 'latin1')
        const rest = Buffer.from(texts.slice(at).join(''), 'latin1')
        const position = {
          row: at + 1,
          line: before.toString('latin1').split('\n').length,
          byteOffset: before.length,
        }
        const whole = read([before, rest])
        const cutAt = cut % (rest.length + 1)
        const found = read([rest.subarray(0, cutAt), rest.subarray(cutAt)], {
          columnNames: ['A', 'b'],
          position,
        })
        const bad = whole.bad.filter(isFrom(position))
        expect(found).toEqual({
          rows: whole.rows.filter(isFrom(position)),
          bad,
          badRows: bad.length,
          rowsRead: whole.rowsRead,
          columnNames: ['A', 'b'],
        })
      }),
      { numRuns: 150 },
    )
  })

  test('have the positions that one counts by hand', () => {
    const start: Start = {
      columnNames: ['a', 'b'],
      position: { row: 8, line: 11, byteOffset: 100 },
    }
    const found = read([Buffer.from('1\t2\n"three\nlines\n"\t4\nbad\n5\t6')], start)
    expect(found).toEqual({
      rows: [
        { cells: ['1', '2'], position: { row: 8, line: 11, byteOffset: 100 } },
        { cells: ['three\nlines\n', '4'], position: { row: 9, line: 12, byteOffset: 104 } },
        { cells: ['5', '6'], position: { row: 11, line: 16, byteOffset: 125 } },
      ],
      bad: [{ code: 'TSV_ROW_SHORT', position: { row: 10, line: 15, byteOffset: 121 } }],
      badRows: 1,
      rowsRead: 11,
      columnNames: ['a', 'b'],
    })
  })

  test('have these positions in lent memory too', () => {
    // The scan engine works behind the lent page, and asks for a memory of 33 pages.
    const memory = wasmMemory(37)
    const bytes = new Uint8Array(memory.buffer, 0, 200)
    bytes.set(Buffer.from('1\t2\n'.repeat(50)))
    const parser = new TsvParser({
      schema,
      batchBytes: 64,
      lends: true,
      startsAt: { columnNames: ['a', 'b'], position: { row: 8, line: 11, byteOffset: 100 } },
    })
    const positions: RowPosition[] = []
    let readInPlace = 0
    const take = (batches: ReturnType<typeof parser.push>) => {
      for (const batch of batches) {
        if (batch.bytesOf().buffer === memory.buffer) readInPlace++
        for (const row of batch) positions.push(row.position)
      }
    }
    take(parser.push(lend(bytes, { memory, freeFrom: 65_536, historyBytes: 0 })))
    take(parser.end())
    expect(readInPlace).toBe(3)
    expect(positions).toEqual(
      Array.from({ length: 50 }, (_, n) => ({
        row: 8 + n,
        line: 11 + n,
        byteOffset: 100 + 4 * n,
      })),
    )
  })
})

describe('the columns of a file whose header line is not read', () => {
  const position = { row: 3, line: 4, byteOffset: 50 }
  const typed = defineSchema({
    name: 'own',
    columns: {
      id: text({ required: true }),
      count: int32(),
    },
  })

  test('are found by the names that are given, in their order and in any spelling', () => {
    const startsAt = { columnNames: ['other', 'COUNT', 'id'], position }
    const parser = new TsvParser({ schema: typed, startsAt })
    const [batch] = [...parser.push(Buffer.from('x\t7\tone\ny\tmany\ttwo\n')), ...parser.end()]
    expect(parser.columnNames).toEqual(['other', 'COUNT', 'id'])
    expect(batch!.row(0).toObject()).toEqual({ other: 'x', count: 7, id: 'one' })
    expect(() => batch!.row(1).toObject()).toThrow(
      expect.objectContaining({
        code: 'CELL_INVALID',
        context: expect.objectContaining({ row: 4, line: 5, byteOffset: 58, column: 'count' }),
      }),
    )
  })

  test('are refused at once where a required one is not among them', () => {
    expect(
      () => new TsvParser({ schema: typed, startsAt: { columnNames: ['count'], position } }),
    ).toThrow(expect.objectContaining({ code: 'TSV_COLUMN_MISSING' }))
  })
})

test('the first bytes of such an input are a row, whatever they would be at the start of a file', () => {
  const startsAt = { columnNames: ['a', 'b'], position: { row: 2, line: 2, byteOffset: 9 } }
  for (const first of ['\ufeff1', '#1', 'a', '\x1f\x8b']) {
    const parser = new TsvParser<Columns>({
      schema: anyColumns,
      dialect: { comment: '#' },
      invalidUtf8: 'replace',
      startsAt,
    })
    const [batch] = [...parser.push(Buffer.from(`${first}\tb\n`)), ...parser.end()]
    expect([...batch!].map(row => [row.toStrings(), row.position])).toEqual([
      [{ a: first, b: 'b' }, startsAt.position],
    ])
  }
})

test('such an input may be empty', () => {
  const startsAt = { columnNames: ['a', 'b'], position: { row: 7, line: 9, byteOffset: 200 } }
  expect(read([], startsAt)).toEqual({
    rows: [],
    bad: [],
    badRows: 0,
    rowsRead: 6,
    columnNames: ['a', 'b'],
  })
})
