import fc from 'fast-check'
import { expect, test } from 'vitest'
import { aspectReader } from '../../../src/codec/decode/aspect-reader'
import { decodeAspects } from '../../../src/codec/decode/aspects'
import type { CellSource } from '../../../src/codec/decode/cell-source'
import { RowCells } from '../../../src/codec/row-cells'
import type { Aspect } from '../../../src/schema/values'

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

function decoded(cell: string): Aspect[] | undefined {
  try {
    return decodeAspects(cell)
  } catch {
    return undefined
  }
}

const base64 = (text: string) => Buffer.from(text).toString('base64')
const goodPiece = fc.oneof(
  {
    weight: 2,
    arbitrary: fc.constantFrom(
      'Color',
      'Size',
      'Country/Region of Manufacture',
      'Größe',
      '',
      '\ufffd',
      'a'.repeat(47),
    ),
  },
  { weight: 1, arbitrary: fc.string({ unit: 'binary', maxLength: 30 }) },
)
const goodPair = fc
  .tuple(fc.option(goodPiece), goodPiece, goodPiece)
  .map(
    ([label, name, value]) =>
      `${label === null ? '' : `${base64(label)}|`}${base64(name)}:${base64(value)}`,
  )
const goodCell = fc
  .tuple(fc.array(goodPair, { minLength: 1, maxLength: 6 }), fc.constantFrom('', ';'))
  .map(([pairs, end]) => pairs.join(';') + end)

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
    { numRuns: 300 },
  )
})

test('any other cell is read as it is decoded, or not at all', () => {
  const oddPiece = fc.string({
    unit: fc.constantFrom('Q', 'U', 'g', '/', '=', '-', 'é', '"', ';', ':', '|'),
    maxLength: 24,
  })
  const oddCell = fc.oneof(
    fc
      .array(fc.oneof(goodCell, goodPiece.map(base64), oddPiece, fc.constantFrom(':', ';', '|')), {
        minLength: 1,
        maxLength: 6,
      })
      .map(parts => parts.join('')),
    fc.tuple(goodCell, fc.nat(80)).map(([cell, cut]) => cell.slice(0, cut)),
  )
  fc.assert(
    fc.property(oddCell, fc.constantFrom(NEXT_CELLS, '\n', ''), (cell, next) => {
      fc.pre(cell !== '')
      const got = read(...place(cell, '', next))
      if (got !== undefined) expect(got).toEqual(decoded(cell))
    }),
    { numRuns: 3000 },
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
