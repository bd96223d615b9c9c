// The push-back buffer of an inflate engine: keeps the input that the engine was given and may not
// have used. Where the deflate data ends before the end of that input, the rest goes back to the
// framing.

export class PushBackBuffer {
  readonly #blocks: Uint8Array[] = []
  /** Bytes of input before the first block that is held. */
  #before = 0

  add(block: Uint8Array): void {
    this.#blocks.push(block)
  }

  /**
   * Drops the blocks that the engine has used.
   * @param usedBytes the `usedBytes` of the engine
   */
  used(usedBytes: number): void {
    for (
      let first = this.#blocks[0];
      first && this.#before + first.length <= usedBytes;
      first = this.#blocks[0]
    ) {
      this.#before += first.length
      this.#blocks.shift()
    }
  }

  /** Returns the input after the first `usedBytes`, and empties the buffer for the next engine. */
  takeRest(usedBytes: number): Uint8Array[] {
    this.used(usedBytes)
    const [first, ...rest] = this.#blocks.splice(0)
    const blocks = first ? [first.subarray(usedBytes - this.#before), ...rest] : []
    this.#before = 0
    return blocks
  }
}
