import fc from 'fast-check'
import { expect, test } from 'vitest'
import { decodePieces } from '../../../src/codec/decode/base64-pieces'
import { pieceEnd, readPiece } from '../../../src/codec/decode/piece-reader'

const base64 = (text: string) => Buffer.from(text).toString('base64')

function read(cell: string, start = 0): { text: string | undefined; end: number } {
  const block = Buffer.from(`${cell}\tQUJDREVGRw==`)
  const text = readPiece(block, new DataView(block.buffer, block.byteOffset, block.byteLength), start, Buffer.byteLength(cell))
  return { text, end: pieceEnd }
}

test('a piece ends at a separator or at the end, and is never read beyond', () => {
  expect(read('QQ==:Qg==')).toEqual({ text: 'A', end: 4 })
  expect(read('QQ==:Qg==', 5)).toEqual({ text: 'B', end: 9 })
  expect(read('w6Q=;')).toEqual({ text: 'ä', end: 4 })
  expect(read('|x')).toEqual({ text: '', end: 0 })
  expect(read('')).toEqual({ text: '', end: 0 })
  expect(read('QQ').end).toBe(0)
})

test('reads what the decoding of all pieces gives, or nothing, kept pieces and new ones alike', () => {
  const piece = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 80 }).map(base64),
    fc.string({ unit: fc.constantFrom('Q', 'U', 'g', '/', '=', '-', 'é'), maxLength: 9 }),
  )
  fc.assert(
    fc.property(piece, fc.constantFrom('', ':', ';', '|'), (text, separator) => {
      let expected: string | undefined
      try {
        expected = decodePieces(text, 'aspects').texts[0]
      } catch {
        expected = undefined
      }
      const length = Buffer.byteLength(text)
      for (let n = 0; n < 3; n++) {
        const { text: got, end } = read(text + separator)
        if (end === length) expect(got).toBe(expected)
        // A length that is no multiple of four: the end is not found, and so nothing that follows can be either.
        else expect(length % 4).not.toBe(0)
      }
    }),
    { numRuns: 800 },
  )
})
