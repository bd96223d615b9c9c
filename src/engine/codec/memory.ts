// Where the memory of blocks comes from: each gets its own, or one block after the other lies in the
// same memory.

import { outputMemory, WORD_BYTES } from './loan'

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
