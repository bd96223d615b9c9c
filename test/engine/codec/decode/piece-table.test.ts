import fc from 'fast-check'
import { expect, test } from 'vitest'
import { hashHead, PieceTable } from '../../../../src/engine/codec/decode/piece-table'

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
