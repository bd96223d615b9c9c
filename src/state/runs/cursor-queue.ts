// Cursors of runs that are merged, in a binary heap: the one at the smallest key is first. Of equal
// keys, the one of the first run is. Most keys differ in a few bytes behind those that all have in
// common, which are compared as one number.

import { compareHeads, keyStart } from './row-heads'
import type { RunCursor } from './run-cursor'
import type { KeyedBlocks } from './run-reader'

export class CursorQueue {
  readonly #heap: RunCursor[] = []
  /** The cursors whose blocks are used up. */
  readonly #spent: RunCursor[]
  /** The bytes with which the first keys of all blocks begin. */
  readonly #prefix: Uint8Array

  /** @param cursors which have no block yet */
  constructor(cursors: readonly RunCursor[]) {
    this.#spent = [...cursors]
    this.#prefix = commonPrefix(cursors.flatMap(({ run }) => outerKeys(run)))
  }

  get first(): RunCursor | undefined {
    return this.#heap[0]
  }

  /** The one that is first without the first. */
  get second(): RunCursor | undefined {
    const [, left, right] = this.#heap
    return right !== undefined && compare(right, left!) < 0 ? right : left
  }

  /** True where {@link fill} is due. */
  get hasSpent(): boolean {
    return this.#spent.length > 0
  }

  /** Puts the first cursor, which has moved, into its place. */
  settle(): void {
    const heap = this.#heap
    const first = heap[0]!
    if (first.isSpent) {
      this.#spent.push(first)
      const last = heap.pop()!
      if (heap.length > 0) this.#sink(last)
    } else this.#sink(first)
  }

  /** Reads the next blocks of the cursors that need one, and drops those at their end. */
  async fill(): Promise<void> {
    for (const cursor of this.#spent) if (await cursor.load()) this.#add(cursor)
    this.#spent.length = 0
  }

  #add(cursor: RunCursor): void {
    cursor.order = this.#orderOf(cursor)
    const heap = this.#heap
    let at = heap.push(cursor) - 1
    while (at > 0) {
      const parent = (at - 1) >> 1
      if (compare(heap[parent]!, cursor) < 0) break
      heap[at] = heap[parent]!
      at = parent
    }
    heap[at] = cursor
  }

  /** Puts a cursor in place of the first, and below those that are before it. */
  #sink(cursor: RunCursor): void {
    cursor.order = this.#orderOf(cursor)
    const heap = this.#heap
    let at = 0
    for (;;) {
      let child = 2 * at + 1
      if (child >= heap.length) break
      if (child + 1 < heap.length && compare(heap[child + 1]!, heap[child]!) < 0) child++
      if (compare(cursor, heap[child]!) < 0) break
      heap[at] = heap[child]!
      at = child
    }
    heap[at] = cursor
  }

  /** Returns a number in the order of keys, which equal keys have in common. */
  #orderOf({ heads, at, isInLastBlock }: RunCursor): number {
    const { keys, keyEnds } = heads
    const prefix = this.#prefix
    const end = keyEnds[at]!
    let from = keyStart(heads, at)
    if (isInLastBlock)
      for (const [n, byte] of prefix.entries())
        if (from + n >= end || keys[from + n] !== byte) return BEHIND_ALL
    from += prefix.length
    let [high, low] = [0, 0]
    for (let n = 0; n < 3; n++) high = (high << 8) | (from < end ? keys[from++]! : 0)
    for (let n = 0; n < 3; n++) low = (low << 8) | (from < end ? keys[from++]! : 0)
    return high * 2 ** 24 + low
  }
}

/** The number of a key without the prefix, which is greater than those with it. */
const BEHIND_ALL = 2 ** 48

/** The keys of all blocks but the last lie between these, and so begin as both do. */
function outerKeys({ index: { blocks } }: KeyedBlocks): readonly Uint8Array[] {
  const outer = blocks.length === 0 ? [] : [blocks[0]!, blocks.at(-1)!]
  return outer.map(({ firstKey }) => Buffer.from(firstKey))
}

function commonPrefix(keys: readonly Uint8Array[]): Uint8Array {
  let prefix = keys[0] ?? new Uint8Array()
  for (const key of keys) {
    let same = 0
    while (same < prefix.length && key[same] === prefix[same]) same++
    prefix = prefix.subarray(0, same)
  }
  return prefix
}

function compare(a: RunCursor, b: RunCursor): number {
  if (a.order !== b.order) return a.order - b.order
  return compareHeads(a.heads, a.at, b.heads, b.at) || a.rank - b.rank
}
