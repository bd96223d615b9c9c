// Pairs of an aspects cell straight from its bytes, where they are plainly good. The form, and what
// is wrong with any other cell, is aspects.ts.
//
// This is the dearest column of a feed: 17 pieces a row, of changing lengths. What costs is
// branches that a processor guesses wrong, and calls. So there is one loop, and each piece's first
// 16 bytes are read, hashed and compared with what the table has in the first place without a
// branch. What is longer, new or odd is the table's business.

import type { Aspect } from '../../schema/values'
import { COLON, PIPE, SEMICOLON } from './base64-pieces'
import type { CellSource } from './cell-source'
import { ENTRY_WORDS, HEAD_BYTES, hashHead, PIECE_BITS, PieceTable, setOf } from './piece-table'

export type AspectReader = (source: CellSource, start: number, end: number) => Aspect[] | undefined

/**
 * A reader with a table of its own: pairs of the cell from `start` to `end`, undefined where it is
 * not plainly good. The cell stands in front of a byte that ends cells, or at the end of the block.
 */
export function aspectReader(): AspectReader {
  // Constants of a function, not of the module: bundlers make variables of the latter, which have
  // to be looked up for every piece.
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
      // All bits while the piece goes on: what is behind it becomes 0.
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
