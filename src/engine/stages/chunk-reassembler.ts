// ChunkReassembler: turns the pieces of one file, in any order, into its bytes in order. It is a
// stage over ReorderBuffer, and copies bytes only where they are lent and have to wait.

import type { Piece } from '../codec/range/reorder-buffer'
import { ReorderBuffer, type ReorderBufferOptions } from '../codec/range/reorder-buffer'
import { byteBlock } from '../codec/stage-input'
import { inputInvalid } from '../core/input-invalid'
import { show } from '../options'
import { Stage } from './stage'

const EXPECTED = 'pieces { offset, bytes }, where offset is a whole number from 0'

/**
 * Puts the pieces `{offset, bytes}` of one file in order.
 *
 * Each output is the block of an input piece itself. Its memory belongs to the stage from `write`
 * until it is given out, then to the reader. Only in a pipeline whose next stage borrows its inputs
 * (Gunzip, a parser), the stage borrows its own, and copies pieces that have to wait.
 *
 * The stage holds the current piece and at most `windowBytes` of pieces that lie ahead. The input may
 * end where no byte before its end is missing and `totalBytes`, where given, is reached; otherwise
 * the stage fails with CHUNK_GAP or CHUNK_TOTAL_MISMATCH. A piece that overlaps another fails with
 * CHUNK_OVERLAP, one that does not fit into the window with CHUNK_WINDOW_EXCEEDED, and an item that
 * is no piece with STAGE_INPUT_INVALID. Empty input has empty output, unless `totalBytes` says
 * otherwise.
 *
 * @example
 * ```ts
 * import { ChunkReassembler, pipeline } from 'feedmill'
 *
 * const pieces = [
 *   { offset: 2, bytes: Uint8Array.of(3, 4) },
 *   { offset: 0, bytes: Uint8Array.of(1, 2) },
 * ]
 * const blocks = await pipeline(pieces).to(new ChunkReassembler({ totalBytes: 4 })).toArray()
 * console.log(Buffer.concat(blocks).toString('hex'))
 * // => 01020304
 * ```
 */
export class ChunkReassembler extends Stage<Piece, Uint8Array> {
  override ownsOutputs = true
  readonly #buffer: ReorderBuffer
  #lends = false

  /** @throws FeedError OPTION_INVALID */
  constructor(options: Partial<ReorderBufferOptions> = {}) {
    super('ChunkReassembler')
    this.#buffer = new ReorderBuffer(options)
  }

  /** Bytes that are held because bytes before them are missing. */
  get heldBytes(): number {
    return this.#buffer.heldBytes
  }

  /** True where the next stage borrows too, because most outputs are inputs as they are. */
  override get borrowsInputs(): boolean {
    return this.#lends
  }

  override lendOutputs(): boolean {
    this.#lends = true
    return true
  }

  /** The pieces begin as the file does. */
  override requireStart(ofOutput: Uint8Array | undefined): Uint8Array | undefined {
    return ofOutput
  }

  protected override transform(piece: Piece): readonly Uint8Array[] {
    const { offset, bytes } = this.#checked(piece)
    const isHeld = offset > this.#buffer.nextOffset
    return this.#buffer.add(offset, this.#lends && isHeld ? new Uint8Array(bytes) : bytes)
  }

  protected override flush(): undefined {
    this.#buffer.finish()
  }

  #checked(piece: Piece): Piece {
    // A Buffer has a property `offset` of its own.
    const { offset, bytes } = (piece ?? {}) as Partial<Piece>
    if (Number.isSafeInteger(offset) && offset! >= 0 && bytes !== undefined) {
      byteBlock(this.name, bytes)
      return piece
    }
    throw inputInvalid(
      this.name,
      EXPECTED,
      piece,
      offset === undefined ? undefined : `its offset is ${show(offset)}`,
    )
  }
}
