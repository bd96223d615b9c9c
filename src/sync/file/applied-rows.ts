// The rows of a file that an earlier run has applied. The next run reads the file from its start and
// passes over them: inflating and parsing a row costs a small part of merging it, and a position in
// the middle of compressed data would need the state of the inflate engine.

import type { Columns, RowBatch, RowQuarantine } from '../../engine/index'
import type { LedgerEntry } from '../folder/ledger'

export class AppliedRows {
  /** Number of rows from the start of the file on, those that were left out included. */
  readonly #count: number
  /** Those of them that were left out, by the parser or by the merge. */
  readonly #badRows: number
  /** Those of them that the parser has given again. */
  #given = 0
  #isPast: boolean

  constructor({ rowsRead, badRows }: Pick<LedgerEntry, 'rowsRead' | 'badRows'>) {
    this.#count = rowsRead
    this.#badRows = badRows
    this.#isPast = rowsRead === 0
  }

  /**
   * Number of applied rows that the merge has left out. The parser counts its own again. It is known
   * when a row behind the applied ones was read, or the whole file.
   */
  get unmerged(): number {
    return this.#badRows - (this.#count - this.#given)
  }

  /** Returns the rows of a batch that were not applied; undefined where all of them were. */
  rest<C extends Columns>(batch: RowBatch<C>): RowBatch<C> | undefined {
    if (this.#isPast) return batch
    const rest = batch.select(row => row.position.row > this.#count)
    this.#given += batch.length - rest.length
    this.#isPast = rest.length > 0
    return this.#isPast ? rest : undefined
  }

  /** Returns a quarantine that gets only the rows behind the applied ones. */
  quarantineOfRest(quarantine: RowQuarantine): RowQuarantine {
    return this.#isPast
      ? quarantine
      : {
          take: leftOut => {
            if (leftOut.position.row > this.#count) quarantine.take(leftOut)
          },
          settle: () => quarantine.settle(),
          flush: () => quarantine.flush(),
        }
  }
}
