// ChunkReassembler: the pieces of one file, in any order, to its bytes in order. A stage over
// ReorderBuffer; copies nothing.

import { byteBlock } from '../codec/byte-block'
import type { Piece } from '../codec/range/piece'
import {
  ReorderBuffer,
  type ReorderBufferOptions,
  WINDOW_BYTES,
} from '../codec/range/reorder-buffer'
import { FeedError } from '../errors'
import { knownOptions, type OptionNames, show } from '../options'
import { Stage } from './stage'

const OPTION_NAMES: OptionNames<ReorderBufferOptions> = {
  windowBytes: true,
  totalBytes: true,
  startOffset: true,
}
const EXPECTED = '{ offset, bytes }, where offset is a whole number from 0'

/**
 * Puts pieces `{offset, bytes}` in order.
 *
 * Every output is the very block of an input piece: its memory belongs to the stage from `write`
 * until it comes out, then to the reader. Holds at most `windowBytes` of pieces that lie ahead, and
 * the one piece it is working on. The input may end when no byte before its end is missing, and
 * `totalBytes` (when given) is reached: else CHUNK_GAP or CHUNK_TOTAL_MISMATCH. Fails with
 * CHUNK_OVERLAP and CHUNK_WINDOW_EXCEEDED where such a piece arrives, and with STAGE_INPUT_INVALID
 * where something arrives that is no piece. No input gives no output.
 */
export class ChunkReassembler extends Stage<Piece, Uint8Array> {
  readonly #buffer: ReorderBuffer

  /** Throws OPTION_INVALID. */
  constructor(options: Partial<ReorderBufferOptions> = {}) {
    super('ChunkReassembler')
    knownOptions(options, OPTION_NAMES)
    this.#buffer = new ReorderBuffer({
      ...options,
      windowBytes: options.windowBytes ?? WINDOW_BYTES,
    })
  }

  /** Bytes held because something before them is missing. */
  get heldBytes(): number {
    return this.#buffer.heldBytes
  }

  protected override transform(piece: Piece): readonly Uint8Array[] {
    const { offset, bytes } = this.#checked(piece)
    return this.#buffer.add(offset, bytes)
  }

  protected override flush(): undefined {
    this.#buffer.finish()
  }

  #checked(piece: Piece): Piece {
    const offset = (piece as Partial<Piece> | null | undefined)?.offset
    if (Number.isSafeInteger(offset) && offset! >= 0) {
      byteBlock(this.name, piece.bytes)
      return piece
    }
    const received =
      typeof piece === 'object' && piece !== null ? `offset ${show(offset)}` : show(piece)
    const context = { stage: this.name, expected: EXPECTED, received }
    throw new FeedError(
      'STAGE_INPUT_INVALID',
      `${this.name} takes pieces ${EXPECTED}, not ${received}`,
      context,
    )
  }
}
