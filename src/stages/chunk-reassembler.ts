// ChunkReassembler: the pieces of one file, in any order, to its bytes in order. A stage over ChunkWindow; copies nothing.

import { ChunkWindow, type ChunkWindowOptions, WINDOW_BYTES } from '../codec/range/chunk-window'
import type { Piece } from '../codec/range/piece'
import { Stage } from './stage'

/**
 * Puts pieces `{offset, bytes}` in order.
 *
 * Every output is the very block of an input piece: its memory belongs to the stage from `write` until it comes out, then to the
 * reader. Holds at most `windowBytes` of pieces that lie ahead, and the one piece it is working on.
 * The input may end when no byte before its end is missing, and `totalBytes` (when given) is reached: else CHUNK_GAP or
 * CHUNK_TOTAL_MISMATCH. Fails with CHUNK_OVERLAP and CHUNK_WINDOW_EXCEEDED where such a piece arrives. No input gives no output.
 */
export class ChunkReassembler extends Stage<Piece, Uint8Array> {
  readonly #window: ChunkWindow

  /** Throws OPTION_INVALID. */
  constructor(options: Partial<ChunkWindowOptions> = {}) {
    super('ChunkReassembler')
    this.#window = new ChunkWindow({ ...options, windowBytes: options.windowBytes ?? WINDOW_BYTES })
  }

  /** Bytes held because something before them is missing. */
  get heldBytes(): number {
    return this.#window.heldBytes
  }

  protected override transform(piece: Piece): readonly Uint8Array[] {
    return this.#window.add(piece.offset, piece.bytes)
  }

  protected override flush(): undefined {
    this.#window.finish()
  }
}
