// Detects content that begins with a gzip header. No UTF-8 text begins with the bytes 1f 8b, so a
// feed that begins with them was compressed twice.

import { ID1, ID2, METHOD_DEFLATE, RESERVED_FLAGS } from './header'

const SIGNATURE: readonly ((byte: number) => boolean)[] = [
  byte => byte === ID1,
  byte => byte === ID2,
  byte => byte === METHOD_DEFLATE,
  flags => (flags & RESERVED_FLAGS) === 0,
]

export class NestedProbe {
  #matched = 0
  #decided = false

  /**
   * Returns true for the block that completes a gzip signature at the very start of the content.
   */
  completes(block: Uint8Array): boolean {
    for (let at = 0; at < block.length && !this.#decided; at++) {
      const fits = SIGNATURE[this.#matched]!(block[at]!)
      this.#decided = !fits || ++this.#matched === SIGNATURE.length
      if (fits && this.#decided) return true
    }
    return false
  }
}
