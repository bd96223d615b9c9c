// Cells of aspects and of conditionDescriptors are pieces between separators, each in Base64 on its
// own.

import type { CellType } from '../../schema/values'
import { whatIsWrongWith } from './base64-pieces'
import { invalidCell } from './kind-of-cells'
import { type Pieces, pieceReader } from './piece-reader'

export const readPieces = /* @__PURE__ */ pieceReader()

/** Room behind a cell, to read ahead. */
const ROOM = '\t'.repeat(32)

/**
 * Splits a cell at every separator and decodes the pieces. A semicolon at the very end closes the
 * last piece and begins no other.
 * @throws FeedError CELL_INVALID
 */
export function decodePieces(text: string, type: CellType): Pieces {
  const bytes = Buffer.from(text + ROOM)
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length)
  const pieces: Pieces = { texts: [], separators: [] }
  if (readPieces({ bytes, view }, 0, bytes.length - ROOM.length, undefined, pieces)) return pieces
  const piece = text.split(/[:;|]/)[pieces.texts.length] ?? text
  throw invalidCell(type, whatIsWrongWith(piece), piece)
}
