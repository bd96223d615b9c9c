// The counters of a stage, and the size of an item. Sizes are recognised by shape, so that batches
// from other packages count too.

/** Counted by every stage from its first item to its terminal event. Times are in milliseconds. */
export interface StageCounters {
  /** The name of the stage. */
  readonly stage: string
  /** The number of items that the stage took. */
  itemsIn: number
  /** The number of items that the stage gave. */
  itemsOut: number
  /** The bytes of the items that the stage took. */
  bytesIn: number
  /** The bytes of the items that the stage gave. */
  bytesOut: number
  /** The rows of the items that the stage took. */
  rowsIn: number
  /** The rows of the items that the stage gave. */
  rowsOut: number
  /**
   * The rows that the stage left out because they, or one of their cells, could not be read. The
   * stage has read `rowsOut + rowsLeftOut` rows.
   */
  rowsLeftOut: number
  /** Time inside the stage's own work, including the wait for its own I/O. */
  busyMs: number
  /** Time without work because the stage before had no item ready. */
  waitMs: number
  /**
   * Time from giving an item until the next one is asked for: the reader uses the item, or is slow.
   */
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
    rowsLeftOut: 0,
    busyMs: 0,
    waitMs: 0,
    blockedMs: 0,
  }
}

/** Why a stage is idle: no input is there, or its output has not been taken. */
export type IdleFor = 'waitMs' | 'blockedMs'

/** Adds the idle time of a stage to its counters. */
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

/**
 * The bytes of an item: a byte block, a piece that has one, or a batch with `byteLength`; 0 for
 * anything else.
 */
export function byteLengthOf(item: unknown): number {
  if (typeof item !== 'object' || item === null) return 0
  const { byteLength, bytes } = item as { byteLength?: unknown; bytes?: { byteLength?: unknown } }
  if (typeof byteLength === 'number') return byteLength
  return typeof bytes?.byteLength === 'number' ? bytes.byteLength : 0
}

/** The rows of an item, which are its `length`; 0 for byte blocks and pieces. */
export function rowCountOf(item: unknown): number {
  if (typeof item !== 'object' || item === null || ArrayBuffer.isView(item)) return 0
  const { length } = item as { length?: unknown }
  return typeof length === 'number' ? length : 0
}
