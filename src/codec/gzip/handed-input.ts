// What was handed to an inflate engine and is not known to be used: when the data turns out to end
// before it, it goes back to the framing.

export class HandedInput {
  readonly #blocks: Uint8Array[] = []
  /** Bytes before the first block that is held. */
  #before: number

  /** @param usedBytes what the engine has used before the first block */
  constructor(usedBytes = 0) {
    this.#before = usedBytes
  }

  add(block: Uint8Array): void {
    this.#blocks.push(block)
  }

  /** @param usedBytes the engine's */
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

  /**
   * The blocks behind the first `usedBytes`; nothing is held afterwards, and the count begins anew.
   */
  takeRest(usedBytes: number): Uint8Array[] {
    this.used(usedBytes)
    const [first, ...rest] = this.#blocks.splice(0)
    const blocks = first ? [first.subarray(usedBytes - this.#before), ...rest] : []
    this.#before = 0
    return blocks
  }
}
