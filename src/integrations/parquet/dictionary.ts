// The distinct values of a chunk in the order in which they came, in the encoding PLAIN: the content
// of its dictionary page. The module finds them (PageCore.places) without strings of them.

import { ByteBuffer, withRoom } from './byte-buffer'

export class Dictionary {
  readonly values = new ByteBuffer()
  /** Two words of each value, which the module finds it by. */
  entries = new Int32Array(64)
  /** Number of values. */
  size = 0

  /** Forgets all values, and keeps the memory. */
  clear(): void {
    this.values.length = this.size = 0
  }

  add(values: Uint8Array, entries: Int32Array): void {
    const from = 2 * this.size
    this.entries = withRoom(this.entries, from + entries.length)
    this.entries.set(entries, from)
    this.values.add(values)
    this.size += entries.length / 2
  }
}
