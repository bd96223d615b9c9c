// Reads the pairs of a plainly good aspects cell straight from its bytes. aspects.ts describes the
// form, and decodes every other cell.
//
// This is the most expensive column of a feed: 17 pieces a row, of changing lengths. The cost lies
// in branches that a processor mispredicts, and in calls. So there is one loop, which reads and
// hashes the first 16 bytes of each piece and compares them with the first entry of the table's set
// without a branch. The table reads pieces that are longer, new or irregular.

import type { Aspect } from '../../schema/values'
import { COLON, PIPE, SEMICOLON } from './base64-pieces'
import type { CellSource } from './cell-source'
import { ENTRY_WORDS, HEAD_BYTES, hashHead, PIECE_BITS, PieceTable, setOf } from './piece-table'

export type AspectReader = (source: CellSource, start: number, end: number) => Aspect[] | undefined

/**
 * Makes a reader with a table of its own. The reader returns the pairs of the cell from `start` to
 * `end`, or undefined where the cell is not plainly good. Behind the cell is a byte that ends
 * cells, or the end of the block.
 */
export function aspectReader(): AspectReader {
  // These are constants of the function because bundlers make variables of a module's constants,
  // which cost a lookup for every piece.
  const table = new PieceTable()
  const { entries, texts } = table
  const bits = PIECE_BITS

  return function readAspects({ bytes, view }, start, end) {
    if (end + HEAD_BYTES >= bytes.length) return undefined
    const last = bytes[end - 1] === SEMICOLON ? end - 1 : end
    const aspects: Aspect[] = []
    let label: string | null = null
    let name = ''
    let before = SEMICOLON
    for (let at = start; ; ) {
      const a = view.getInt32(at, true)
      let b = view.getInt32(at + 4, true)
      let c = view.getInt32(at + 8, true)
      let d = view.getInt32(at + 12, true)
      // The mask has all bits set while the piece goes on, and clears the bytes behind the piece.
      const inB = bits[b & 0xff]!
      const inC = bits[c & 0xff]! & inB
      const inD = bits[d & 0xff]! & inC
      const inNext = bits[view.getUint8(at + HEAD_BYTES)]! & inD
      b &= inB
      c &= inC
      d &= inD
      const length = 4 - 4 * (inB + inC + inD)
      const hash = hashHead(a, b, c, d)
      const set = setOf(hash)
      const word = set * ENTRY_WORDS
      const differs =
        (entries[word]! ^ length) |
        (entries[word + 1]! ^ a) |
        (entries[word + 2]! ^ b) |
        (entries[word + 3]! ^ c) |
        (entries[word + 4]! ^ d)
      let text: string | undefined
      let stop = at + length
      if ((differs | inNext) === 0) text = texts[set]
      else if (bits[a & 0xff] === 0) {
        text = ''
        stop = at
      } else {
        text = table.read(bytes, view, at, stop, last, hash)
        stop = table.end
      }
      if (text === undefined || stop > last) return undefined
      const separator = stop === last ? SEMICOLON : view.getUint8(stop)
      if (separator === SEMICOLON && before === COLON) {
        aspects.push({ label, name, value: text })
        if (stop === last) return aspects
      } else if (separator === COLON && before !== COLON) name = text
      else if (separator === PIPE && before === SEMICOLON) label = text
      else return undefined
      before = separator
      at = stop + 1
    }
  }
}
