// Gives the content of a gzip file on this machine, block by block. It reads the compressed bytes;
// block-inflater.ts inflates them.

import type { DurableFile } from '../../engine/index'
import { BlockInflater } from './block-inflater'

const READ_BYTES = 256 * 1024

export class FileInflater {
  readonly #file: DurableFile
  readonly #readBytes: number
  #inflater: BlockInflater | undefined

  /**
   * @param file stays open; its caller closes it
   * @param readBytes compressed bytes read at a time
   */
  constructor(file: DurableFile, readBytes = READ_BYTES) {
    this.#file = file
    this.#readBytes = readBytes
  }

  /**
   * Returns blocks of the content, each lent until the next is asked for. The file is proven to be
   * whole when the sequence has ended by itself.
   * @throws FeedError STATE_IO, GZIP_* as Gunzip
   */
  async *blocks(): AsyncGenerator<Uint8Array, void, void> {
    this.#inflater = new BlockInflater()
    // A buffer for each read would take memory until V8 collects it.
    const memory = this.#inflater.isDoneWithInput
      ? Buffer.allocUnsafeSlow(this.#readBytes)
      : undefined
    for (let at = 0; ; ) {
      const compressed = await this.#file.read(at, this.#readBytes, memory)
      if (compressed.length === 0) break
      at += compressed.length
      yield* this.#inflater.blocks(compressed)
    }
    yield* this.#inflater.lastBlocks()
  }

  close(): void {
    this.#inflater?.close()
  }
}
