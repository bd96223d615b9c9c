// Memory of bytes: how it is copied, where that of an output comes from, and where that of blocks
// comes from: each gets its own, or one block after the other lies in the same memory.

/** Arrays in one memory begin at words of this size. */
export const WORD_BYTES = 8

/**
 * Copies bytes to an offset of a target that does not overlap them. `TypedArray.set` copies into
 * and out of shared memory word by word, or byte by byte where the two are not aligned alike;
 * `Buffer.fill` is a memcpy.
 */
export function copyInto(target: Uint8Array, at: number, bytes: Uint8Array): void {
  if (bytes.length > 0) Buffer.prototype.fill.call(target, bytes, at, at + bytes.length)
}

/**
 * The allocator of glibc gives freed memory back to the system, whose pages then cost a fault each
 * in the next output, except for twice the largest block that was ever freed. So a block of nearly
 * 32 MiB, more than which it does not count, is freed first. Nobody writes to it: it takes no
 * memory.
 */
const FREED_BYTES = (1 << 25) - (1 << 16)
let isFreed = false

function keepFreedMemory(): void {
  if (!isFreed) Buffer.allocUnsafeSlow(FREED_BYTES)
  isFreed = true
}

/** Makes the memory of an output, which is not zeroed. */
export function outputMemory(bytes: number): ArrayBuffer {
  keepFreedMemory()
  return Buffer.allocUnsafeSlow(bytes).buffer as ArrayBuffer
}

/** Copies bytes whose owner is going to overwrite them. */
export function copyBytes(bytes: Uint8Array): Uint8Array {
  if (bytes.buffer instanceof ArrayBuffer) {
    keepFreedMemory()
    return bytes.slice()
  }
  const copy = new Uint8Array(outputMemory(bytes.length))
  copyInto(copy, 0, bytes)
  return copy
}

export interface Memory {
  /** Returns memory that is not zeroed and begins at a whole word of 8 bytes. */
  take(bytes: number): Uint8Array
}

/** Gives arrays of one class, so that V8 compiles what reads them for one class only. */
export const OWN_MEMORY: Memory = {
  take: bytes => new Uint8Array(Buffer.allocUnsafeSlow(bytes).buffer),
}

/** Memory that is used again. */
export class ReusedMemory implements Memory {
  #memory: ArrayBuffer = new ArrayBuffer(0)
  /** Bytes that were asked for. Where they have no room, they are memory of their own. */
  #asked = 0

  take(bytes: number): Uint8Array {
    const at = this.#asked
    this.#asked += Math.ceil(bytes / WORD_BYTES) * WORD_BYTES
    return this.#asked > this.#memory.byteLength
      ? OWN_MEMORY.take(bytes)
      : new Uint8Array(this.#memory, at, bytes)
  }

  /** Ends the use of what was taken, and makes as much room for what comes. */
  clear(): void {
    if (this.#asked > this.#memory.byteLength) this.#memory = outputMemory(this.#asked)
    this.#asked = 0
  }
}
