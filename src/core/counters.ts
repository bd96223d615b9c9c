// What a stage counts about itself, and how large an item is.
// Sizes are recognised by shape, so that user-made batches count too.

/** Counted by every stage from its first item to its terminal event. Times are in milliseconds. */
export interface StageCounters {
  readonly stage: string
  itemsIn: number
  itemsOut: number
  bytesIn: number
  bytesOut: number
  rowsIn: number
  rowsOut: number
  /** Spent inside the stage's own work, waiting for its I/O included. */
  busyMs: number
  /** Spent with nothing to do because the stage before had nothing yet. */
  waitMs: number
  /** Spent handing items on, or held back by the reader. */
  blockedMs: number
}

export function newCounters(stage: string): StageCounters {
  return {
    stage,
    itemsIn: 0,
    itemsOut: 0,
    bytesIn: 0,
    bytesOut: 0,
    rowsIn: 0,
    rowsOut: 0,
    busyMs: 0,
    waitMs: 0,
    blockedMs: 0,
  }
}

/** Why a stage rests: nothing came yet, or nobody takes what it has. */
export type IdleFor = 'waitMs' | 'blockedMs'

/** Adds the time that a stage rests to its counters. */
export class IdleTime {
  readonly #counters: StageCounters
  #since = 0
  #for: IdleFor | undefined

  constructor(counters: StageCounters) {
    this.#counters = counters
  }

  enter(idleFor: IdleFor | undefined): void {
    this.#for = idleFor
    this.#since = performance.now()
  }

  leave(): void {
    if (this.#for !== undefined) this.#counters[this.#for] += performance.now() - this.#since
    this.#for = undefined
  }
}

/** Bytes in an item: a byte block, a piece that carries one, or a batch that says its size. */
export function byteLengthOf(item: unknown): number {
  if (typeof item !== 'object' || item === null) return 0
  const { byteLength, bytes } = item as { byteLength?: unknown; bytes?: { byteLength?: unknown } }
  if (typeof byteLength === 'number') return byteLength
  return typeof bytes?.byteLength === 'number' ? bytes.byteLength : 0
}

/** Rows in an item: a batch's length; byte blocks and pieces have none. */
export function rowCountOf(item: unknown): number {
  if (typeof item !== 'object' || item === null || ArrayBuffer.isView(item)) return 0
  const { length } = item as { length?: unknown }
  return typeof length === 'number' ? length : 0
}
