// Cursors of runs that are merged, in a binary heap: the one at the smallest key is first. Of equal
// keys, the one of the first run is.

import { compareHeads } from './row-heads'
import type { RunCursor } from './run-cursor'

export class CursorQueue {
  readonly #heap: RunCursor[] = []
  /** The cursors whose blocks are used up. */
  readonly #spent: RunCursor[]

  /** @param cursors which have no block yet */
  constructor(cursors: readonly RunCursor[]) {
    this.#spent = [...cursors]
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
    if (!first.isSpent) {
      this.#sink(first)
      return
    }
    this.#spent.push(first)
    const last = heap.pop()!
    if (heap.length > 0) this.#sink(last)
  }

  /** Reads the next blocks of the cursors that need one, and drops those at their end. */
  async fill(): Promise<void> {
    for (const cursor of this.#spent) if (await cursor.load()) this.#add(cursor)
    this.#spent.length = 0
  }

  #add(cursor: RunCursor): void {
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
}

function compare(a: RunCursor, b: RunCursor): number {
  return compareHeads(a.heads, a.at, b.heads, b.at) || a.rank - b.rank
}
