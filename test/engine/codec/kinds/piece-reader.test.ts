import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { decodeAspects, readAspects } from '../../../../src/engine/codec/kinds/aspects'
import {
  decodeConditionDescriptors,
  readConditionDescriptors,
} from '../../../../src/engine/codec/kinds/condition-descriptors'
import type { CellSource } from '../../../../src/engine/codec/kinds/kind-of-cells'
import { hashHead, PieceTable } from '../../../../src/engine/codec/kinds/piece-reader'
import { RowCells } from '../../../../src/engine/codec/row-cells'
import { noNames } from '../../../tsv-text'
import { decodedAspects, goodCell, oddCell } from '../aspects-cells'

/** More bytes than a piece is read ahead by. */
const NEXT_CELLS = '\tQUJDREVGR0hJSktMTU5PUFFSU1RVVldYWVo='

/** One cell between others, or with `next` behind it. */
function place(
  cell: string,
  before = '',
  next = NEXT_CELLS,
): [source: CellSource, start: number, end: number] {
  const block = Buffer.from(before + cell + next)
  const index = {
    columns: 1,
    rowStarts: Uint32Array.of(0),
    cellEnds: Int32Array.of(block.length),
    rowFlags: Uint8Array.of(1),
  }
  const start = Buffer.byteLength(before)
  return [new RowCells(block, index, 1, noNames), start, start + Buffer.byteLength(cell)]
}

describe('aspect reader', () => {
  const read = readAspects

  test('good pairs are read as they are decoded, wherever the cell stands, known pieces and new ones alike', () => {
    fc.assert(
      fc.property(
        goodCell,
        fc.string({ maxLength: 5 }),
        fc.constantFrom('\t', '\n', '\r\n'),
        (cell, before, end) => {
          const expected = decodeAspects(cell)
          for (let n = 0; n < 2; n++)
            expect(read(...place(cell, before, end + NEXT_CELLS))).toEqual(expected)
        },
      ),
      { numRuns: 150 },
    )
  })

  test('any other cell is read as it is decoded, or not at all', () => {
    fc.assert(
      fc.property(oddCell, fc.constantFrom(NEXT_CELLS, '\n', ''), (cell, next) => {
        fc.pre(cell !== '')
        const got = read(...place(cell, '', next))
        if (got !== undefined) expect(got).toEqual(decodedAspects(cell))
      }),
      { numRuns: 1500 },
    )
  })

  test('a cell at the end of the block is left to the decoder: there is no room to read ahead', () => {
    const cell = 'Q29sb3I=:UmVk'
    for (let room = 0; room < 40; room++) {
      const got = read(...place(cell, '', NEXT_CELLS.slice(0, room)))
      expect(got).toEqual(room > 16 ? decodeAspects(cell) : undefined)
    }
  })

  test('a piece that is refused once is refused again', () => {
    for (const piece of [
      'Um==VkZX',
      'UmVkZGV=',
      '/w==',
      'w6TD',
      'UmV*',
      `${'UUFB'.repeat(5)}UmV*`,
    ]) {
      for (let n = 0; n < 3; n++) expect(read(...place(`UmVk:${piece}`))).toBeUndefined()
    }
  })
})

describe('descriptor reader', () => {
  const read = readConditionDescriptors
  const base64 = (text: string) => Buffer.from(text).toString('base64')
  const piece = fc.constantFrom('Grade', 'Größe', '', 'a'.repeat(47)).map(base64)
  const good = fc.array(fc.tuple(piece, fc.array(piece, { minLength: 1, maxLength: 3 })), {
    minLength: 1,
    maxLength: 4,
  })

  test('good descriptors are read as they are decoded', () => {
    fc.assert(
      fc.property(good, fc.constantFrom('', ';'), (descriptors, end) => {
        const cell = descriptors.map(([name, values]) => `${name}:${values.join('|')}`).join(';')
        fc.pre(!cell.endsWith(';'))
        expect(read(...place(cell + end))).toEqual(decodeConditionDescriptors(cell + end))
      }),
    )
  })

  test('any other cell is read as it is decoded, or not at all', () => {
    const separator = fc.constantFrom(':', ';', '|')
    const cells = fc
      .array(fc.oneof(piece, separator, oddCell), { minLength: 1, maxLength: 8 })
      .map(parts => parts.join(''))
    fc.assert(
      fc.property(cells, cell => {
        fc.pre(cell !== '')
        const got = read(...place(cell))
        if (got !== undefined) expect(got).toEqual(decodeConditionDescriptors(cell))
      }),
      { numRuns: 1500 },
    )
  })
})

describe('piece table', () => {
  const base64 = (text: string) => Buffer.from(text).toString('base64')

  /** What a reader does before it asks the table. */
  function read(
    table: PieceTable,
    piece: string,
    next = ':',
    limit = piece.length + next.length,
  ): { text: string | undefined; end: number } {
    const block = Buffer.from(`${piece}${next}`)
    const head = Buffer.alloc(16)
    block.copy(head, 0, 0, Math.min(16, piece.length))
    const [a, b, c, d] = [0, 4, 8, 12].map(at => head.readInt32LE(at)) as [
      number,
      number,
      number,
      number,
    ]
    const view = new DataView(block.buffer, block.byteOffset, block.byteLength)
    const text = table.read(block, view, 0, Math.min(16, piece.length), limit, hashHead(a, b, c, d))
    return { text, end: table.end }
  }

  test('a piece ends where a separator or the end of a cell follows, or where the block ends', () => {
    const table = new PieceTable()
    for (const next of [':', ';', '|', '\t', '\n', '\r\n', '']) {
      for (const text of ['A', 'four', 'more than sixteen bytes']) {
        expect(read(table, base64(text), next)).toEqual({ text, end: base64(text).length })
      }
    }
  })

  test('no end is looked for beyond the limit', () => {
    const piece = base64('a piece of more than sixteen bytes')
    expect(read(new PieceTable(), piece, ':', 24).end).toBe(24)
    expect(read(new PieceTable(), piece, ':', 21).end).toBe(24)
  })

  test('more pieces than it has places for, again and again, short and long', () => {
    const table = new PieceTable()
    for (let round = 0; round < 2; round++) {
      for (let n = 0; n < 9000; n++) {
        const text = `${n}`.padEnd(1 + (n % 60), 'é')
        if (read(table, base64(text)).text !== text) expect.fail(text)
        if (read(table, base64('often')).text !== 'often') expect.fail('often')
      }
    }
  })

  test('what two pieces of one set have to change places for', () => {
    const table = new PieceTable()
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 0, max: 20_000 }), { maxLength: 300 }), numbers => {
        for (const n of [...numbers, ...numbers])
          expect(read(table, base64(`piece ${n}`)).text).toBe(`piece ${n}`)
      }),
      { numRuns: 100 },
    )
  })

  test('bad pieces give nothing and are not kept', () => {
    const table = new PieceTable()
    for (const piece of ['Um==VkZX', 'UmVkZGV=', '/w==', 'w6TD', 'UmV*', '\0\0\0\0']) {
      for (let n = 0; n < 2; n++) expect(read(table, piece).text).toBeUndefined()
    }
    expect(table.texts.every(text => text === '')).toBe(true)
    expect(table.entries.every(word => word === 0)).toBe(true)
  })
})
