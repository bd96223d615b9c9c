// Memory for the registers of the rows of a file, which its batches use in turns. A new buffer for
// each batch would cost an allocation of the size of the file in all.

import { ByteWriter } from '../../engine/index'

/**
 * Batches whose registers are in use at the same time: one that is being merged, the one before it,
 * whose changes its rows see, and the next, whose rows the store looks up.
 */
const BATCHES = 3

export class RegisterMemory {
  readonly #writers = Array.from({ length: BATCHES }, () => new ByteWriter())

  /**
   * Returns the writer for the registers of the next batch. What the third call before this one has
   * returned holds no registers any more.
   */
  next(): ByteWriter {
    const writer = this.#writers.shift()!
    this.#writers.push(writer)
    writer.rewind()
    return writer
  }
}
