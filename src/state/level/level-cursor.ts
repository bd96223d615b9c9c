// Reads the numbers and strings of LevelDB's files in sequence.

import { corruptState } from '../../engine/index'

export class LevelCursor {
  readonly #bytes: Buffer
  readonly #path: string
  #at = 0

  /** @param path of the file, for the error */
  constructor(bytes: Buffer, path: string) {
    this.#bytes = bytes
    this.#path = path
  }

  get isAtEnd(): boolean {
    return this.#at >= this.#bytes.length
  }

  /**
   * Reads a number of 7 bits a byte, low bits first. @throws FeedError STATE_CORRUPT past the end
   */
  varint(): number {
    let value = 0
    for (let scale = 1; ; scale *= 0x80) {
      const byte = this.take(1)[0]!
      value += (byte & 0x7f) * scale
      if (byte < 0x80) return value
    }
  }

  /** Skips a string and the length before it. @throws FeedError STATE_CORRUPT past the end */
  skipText(): void {
    this.take(this.varint())
  }

  /** Returns a view of the next bytes. @throws FeedError STATE_CORRUPT past the end */
  take(bytes: number): Buffer {
    const from = this.#at
    this.#at += bytes
    if (this.#at > this.#bytes.length) throw corruptState(this.#path, 'it ends inside a record')
    return this.#bytes.subarray(from, this.#at)
  }
}
