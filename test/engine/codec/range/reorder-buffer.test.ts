import fc from 'fast-check'
import { expect, test } from 'vitest'
import { ReorderBuffer } from '../../../../src/engine/codec/range/reorder-buffer'

const bytes = (length: number, from = 0) =>
  Uint8Array.from({ length }, (_, at) => (from + at) & 0xff)
const code = (name: string, context: object) => expect.objectContaining({ code: name, context })

test('fault 33: pieces out of order come back in order, as the same blocks', () => {
  const window = new ReorderBuffer({ windowBytes: 100 })
  const [a, b, c] = [bytes(10), bytes(5), bytes(20)]
  expect(window.add(15, c)).toEqual([])
  expect(window.add(10, b)).toEqual([])
  expect(window.heldBytes).toBe(25)
  const out = window.add(0, a)
  expect(out.every((piece, at) => piece === [a, b, c][at])).toBe(true)
  expect(out.length).toBe(3)
  expect(window.heldBytes).toBe(0)
  expect(window.add(35, bytes(1)).length).toBe(1)
  window.finish()
})

test('fault 33: a piece outside the window is refused, and the next piece due may have any size', () => {
  const window = new ReorderBuffer({ windowBytes: 10 })
  expect(window.add(0, bytes(1000)).length).toBe(1)
  window.add(1001, bytes(9))
  expect(() => window.add(1010, bytes(1))).toThrow(
    code('CHUNK_WINDOW_EXCEEDED', { byteOffset: 1010, nextOffset: 1000, windowBytes: 10 }),
  )
})

test('a gap at the end is refused', () => {
  const window = new ReorderBuffer({ windowBytes: 100 })
  window.add(0, bytes(10))
  window.add(14, bytes(1))
  expect(() => window.finish()).toThrow(code('CHUNK_GAP', { byteOffset: 10, missingBytes: 4 }))
})

test('overlaps with returned bytes and with held pieces are refused', () => {
  const window = new ReorderBuffer({ windowBytes: 100 })
  window.add(0, bytes(10))
  window.add(20, bytes(10))
  expect(() => window.add(8, bytes(4))).toThrow(
    code('CHUNK_OVERLAP', { byteOffset: 8, overlapBytes: 2 }),
  )
  expect(() => window.add(2, bytes(4))).toThrow(
    code('CHUNK_OVERLAP', { byteOffset: 2, overlapBytes: 4 }),
  )
  expect(() => window.add(15, bytes(6))).toThrow(
    code('CHUNK_OVERLAP', { byteOffset: 20, overlapBytes: 1 }),
  )
  expect(() => window.add(10, bytes(11))).toThrow(
    code('CHUNK_OVERLAP', { byteOffset: 20, overlapBytes: 1 }),
  )
  expect(() => window.add(29, bytes(6))).toThrow(
    code('CHUNK_OVERLAP', { byteOffset: 29, overlapBytes: 1 }),
  )
  expect(() => window.add(20, bytes(10))).toThrow(
    code('CHUNK_OVERLAP', { byteOffset: 20, overlapBytes: 10 }),
  )
  expect(window.add(10, bytes(10)).length).toBe(2)
})

test('pieces have to end at the total', () => {
  expect(() => new ReorderBuffer({ windowBytes: 9, totalBytes: 5 }).add(3, bytes(3))).toThrow(
    code('CHUNK_TOTAL_MISMATCH', { byteOffset: 6, totalBytes: 5 }),
  )
  expect(() => new ReorderBuffer({ windowBytes: 9, totalBytes: 5 }).finish()).toThrow(
    code('CHUNK_TOTAL_MISMATCH', { byteOffset: 0, totalBytes: 5 }),
  )
  new ReorderBuffer({ windowBytes: 9, totalBytes: 0 }).finish()
  new ReorderBuffer({ windowBytes: 9 }).finish()
})

test('bad options and offsets are refused, and empty pieces are ignored', () => {
  expect(() => new ReorderBuffer({ windowBytes: 0 })).toThrow(
    code('OPTION_INVALID', expect.objectContaining({ option: 'windowBytes' }) as object),
  )
  const window = new ReorderBuffer({ windowBytes: 9 })
  for (const offset of [-1, 0.5, Number.NaN])
    expect(() => window.add(offset, bytes(1))).toThrow(
      expect.objectContaining({ code: 'OPTION_INVALID' }),
    )
  expect(window.add(5, bytes(0))).toEqual([])
  window.finish()
})

test('fault 33: any cut and any order inside the window gives the file, and holds no more than the window', () => {
  const cuts = fc.array(fc.integer({ min: 1, max: 30 }), { minLength: 1, maxLength: 40 })
  fc.assert(
    fc.property(
      cuts,
      fc.integer({ min: 30, max: 200 }),
      fc.infiniteStream(fc.nat(1000)),
      (lengths, windowBytes, picks) => {
        let offset = 0
        const due = lengths.map(length => {
          const piece = { offset, bytes: bytes(length, offset) }
          offset += length
          return piece
        })
        const window = new ReorderBuffer({ windowBytes, totalBytes: offset })
        const out: Uint8Array[] = []
        let nextOffset = 0
        while (due.length > 0) {
          const fitting = due.filter(
            piece => piece.offset + piece.bytes.length <= nextOffset + windowBytes,
          )
          const piece = fitting[(picks.next().value as number) % fitting.length]!
          due.splice(due.indexOf(piece), 1)
          for (const block of window.add(piece.offset, piece.bytes)) {
            out.push(block)
            nextOffset += block.length
          }
          expect(window.heldBytes).toBeLessThanOrEqual(windowBytes)
        }
        window.finish()
        expect(Uint8Array.from(Buffer.concat(out))).toEqual(bytes(offset))
      },
    ),
    { numRuns: 100 },
  )
})
