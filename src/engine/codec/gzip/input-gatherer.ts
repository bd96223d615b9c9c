// Gathers small input blocks, so that input in single bytes does not cost one engine call for each
// byte.

/**
 * The size of the blocks that small ones are gathered into, which is also the most bytes held.
 * Blocks from a socket have 16 to 64 KiB, and node:zlib inflates blocks of this size about a third
 * faster than blocks of 64 KiB.
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
