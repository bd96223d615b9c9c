// The memory of ranges whose bytes are lent: they are copied into blocks that are filled again as
// soon as their reader is done. Memory that is new for every part of a body would wait in the
// window long enough for V8 to treat it as long-lived, and would stay until a full collection.

/** The size of most blocks, at which Gunzip takes a block as it is. */
const MOST_BLOCK_BYTES = 256 * 1024

export class RangeBlocks {
  readonly #blockBytes: number
  /** The block that was used last is used first, so that few of them take part. */
  readonly #free: ArrayBufferLike[] = []

  /** @param rangeBytes the size of a range, which so is a whole number of blocks */
  constructor(rangeBytes: number) {
    this.#blockBytes = Math.ceil(rangeBytes / Math.ceil(rangeBytes / MOST_BLOCK_BYTES))
  }

  /** Appends a copy of `bytes` to the parts of a range, each of which is alone in its block. */
  append(parts: Uint8Array[], bytes: Uint8Array): void {
    for (let rest = bytes; rest.length > 0; ) {
      const last = parts.at(-1)
      const hasRoom = last !== undefined && last.length < this.#blockBytes
      const before = hasRoom ? last.length : 0
      const block = hasRoom ? last.buffer : (this.#free.pop() ?? this.#newBlock())
      const taken = rest.subarray(0, this.#blockBytes - before)
      const part = new Uint8Array(block, 0, before + taken.length)
      part.set(taken, before)
      parts[hasRoom ? parts.length - 1 : parts.length] = part
      rest = rest.subarray(taken.length)
    }
  }

  /** Takes back the block of a part that nobody reads any more. */
  giveBack(part: Uint8Array): void {
    this.#free.push(part.buffer)
  }

  #newBlock(): ArrayBufferLike {
    return Buffer.allocUnsafeSlow(this.#blockBytes).buffer
  }
}
