// The engine of data that is stored in an archive as it is: it copies so many bytes.

import { type InflateEngine, OUTPUT_BLOCK_BYTES } from '../codec/gzip/inflate-engine'
import { copyBytes } from '../codec/memory'

export class StoredData implements InflateEngine {
  readonly #bytes: number
  #usedBytes = 0

  constructor(bytes: number) {
    this.#bytes = bytes
  }

  get usedBytes(): number {
    return this.#usedBytes
  }

  get ended(): boolean {
    return this.#usedBytes === this.#bytes
  }

  *inflate(block: Uint8Array): Generator<Uint8Array, void, void> {
    const data = block.subarray(0, this.#bytes - this.#usedBytes)
    for (let at = 0; at < data.length; at += OUTPUT_BLOCK_BYTES) {
      const part = data.subarray(at, at + OUTPUT_BLOCK_BYTES)
      this.#usedBytes += part.length
      yield copyBytes(part)
    }
  }

  finish(): IterableIterator<Uint8Array, void> {
    return [].values()
  }

  destroy(): void {}
}
