// The input of inflate engines: small blocks are gathered, so that input in single bytes does not
// cost one engine call for each byte, and what an engine may not have used is kept.

/**
 * The size of the blocks that small ones, such as those of a socket, are gathered into, which is
 * also the most bytes held.
 */
export const GATHER_BYTES = 256 * 1024

/**
 * From this size on a block is not copied. The limit is below GATHER_BYTES, because otherwise all
 * blocks of a file that have that size would be copied: the first one is a few bytes shorter after
 * its header is cut off, and from then on those few bytes would be missing each time.
 */
export const LARGE_BYTES = GATHER_BYTES / 2

const NOTHING = new Uint8Array(0)

export class InputGatherer {
  readonly #largeBytes: number
  #held = NOTHING
  #heldBytes = 0

  /** @param largeBytes a block of this size or more is not copied */
  constructor(largeBytes = LARGE_BYTES) {
    this.#largeBytes = largeBytes
  }

  get isEmpty(): boolean {
    return this.#heldBytes === 0
  }

  /**
   * Takes a block and returns the blocks that are ready, in order. Small blocks are copied; a large
   * block is returned as it is, after the held bytes.
   */
  add(block: Uint8Array): Uint8Array[] {
    if (block.length >= this.#largeBytes) return this.isEmpty ? [block] : [this.take(), block]
    const part = block.subarray(0, GATHER_BYTES - this.#heldBytes)
    this.#append(part)
    return this.#heldBytes < GATHER_BYTES
      ? []
      : [this.take(), ...this.add(block.subarray(part.length))]
  }

  /** Returns the held bytes, which then belong to the caller. */
  take(): Uint8Array {
    const taken = this.#held.subarray(0, this.#heldBytes)
    this.#held = NOTHING
    this.#heldBytes = 0
    return taken
  }

  #append(part: Uint8Array): void {
    if (part.length === 0) return
    if (this.isEmpty) this.#held = new Uint8Array(Buffer.allocUnsafeSlow(GATHER_BYTES).buffer)
    this.#held.set(part, this.#heldBytes)
    this.#heldBytes += part.length
  }
}

/**
 * Keeps the input that the engine was given and may not have used. Where the deflate data ends
 * before the end of that input, the rest goes back to the framing.
 */
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
