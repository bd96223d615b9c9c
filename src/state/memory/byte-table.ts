// Values of bytes under text keys in memory: a Map from keys to blocks of a byte arena, which is
// sorted when it is listed.

import { compareKeys } from '../row-key'
import type { KeyedRecord } from '../spill/record-run'
import { ByteArena } from './byte-arena'

/**
 * Records in a block of a listing. A block stays small, because a row as an object takes ten times
 * its bytes, and several blocks are on their way at a time.
 */
const BLOCK_RECORDS = 128
/** Memory that a record takes beside its key and value, about. */
const RECORD_BYTES = 100
/** V8's Map takes 2^24 keys; a batch may bring some thousands more. */
const MOST_RECORDS = 2 ** 24 - 2 ** 16
/** Half of the range of the arena's 32-bit places; the other half is for holes. */
const MOST_BYTES = 2 ** 34

export class ByteTable {
  readonly #blocks = new Map<string, number>()
  #arena = new ByteArena()
  #bytes = 0

  get size(): number {
    return this.#blocks.size
  }

  /** Bytes of memory, about; infinite where the table can take no further batch. */
  get byteLength(): number {
    const bytes = this.#bytes + this.size * RECORD_BYTES
    return this.size > MOST_RECORDS || bytes > MOST_BYTES ? Number.POSITIVE_INFINITY : bytes
  }

  /** Returns a copy of a value, or of its first bytes; undefined for a missing key. */
  get(key: string, firstBytes?: number): Uint8Array | undefined {
    const block = this.#blocks.get(key)
    return block === undefined ? undefined : this.#arena.get(block, firstBytes)
  }

  /** Returns a value where it lies, until the next {@link set}; undefined for a missing key. */
  view(key: string): Uint8Array | undefined {
    const block = this.#blocks.get(key)
    return block === undefined ? undefined : this.#arena.view(block)
  }

  /** Copies a value in. */
  set(key: string, value: Uint8Array): void {
    const block = this.#blocks.get(key)
    if (block === undefined) {
      this.#blocks.set(key, this.#arena.put(value))
      this.#bytes += key.length
    } else {
      this.#bytes -= this.#arena.lengthOf(block)
      this.#arena.replace(block, value)
    }
    this.#bytes += value.length
  }

  /** Yields all records in the order of their keys, in blocks. They end where the table is cleared. */
  *records(): Generator<readonly KeyedRecord[], void, void> {
    const keys = [...this.#blocks.keys()].sort(compareKeys)
    for (let at = 0; at < keys.length && this.size > 0; at += BLOCK_RECORDS)
      yield keys.slice(at, at + BLOCK_RECORDS).map(key => ({ key, value: this.get(key)! }))
  }

  clear(): void {
    this.#blocks.clear()
    this.#arena = new ByteArena()
    this.#bytes = 0
  }
}
