import fc from 'fast-check'
import { expect, test } from 'vitest'
import { aspectReader } from '../../../../src/engine/codec/decode/aspect-reader'
import { arePairs, decodeAspects } from '../../../../src/engine/codec/decode/aspects'
import type { CellSource } from '../../../../src/engine/codec/decode/cell-source'
import { RowCells } from '../../../../src/engine/codec/row-cells'
import { decodedAspects, goodCell, oddCell } from '../aspects-cells'

/** More bytes than a piece is read ahead by. */
const NEXT_CELLS = '\tQUJDREVGR0hJSktMTU5PUFFSU1RVVldYWVo='

const read = aspectReader()

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
  return [new RowCells(block, index, 1), start, start + Buffer.byteLength(cell)]
}

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
  for (const piece of ['Um==VkZX', 'UmVkZGV=', '/w==', 'w6TD', 'UmV*', `${'UUFB'.repeat(5)}UmV*`]) {
    for (let n = 0; n < 3; n++) expect(read(...place(`UmVk:${piece}`))).toBeUndefined()
  }
})

test('a cell that is checked only is plain where it decodes to pairs, and never where it does not', () => {
  fc.assert(
    fc.property(goodCell, fc.constantFrom('', NEXT_CELLS), (cell, next) => {
      const [{ bytes }, start, end] = place(cell, '', next)
      expect(arePairs(bytes, start, end)).toBe(true)
    }),
    { numRuns: 150 },
  )
  fc.assert(
    fc.property(oddCell, fc.constantFrom('', NEXT_CELLS), (cell, next) => {
      const [{ bytes }, start, end] = place(cell, '', next)
      if (end > start && arePairs(bytes, start, end)) decodeAspects(cell)
    }),
    { numRuns: 500 },
  )
})
