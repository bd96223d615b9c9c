// What an arriving row did to the register of its key, as its reader sees it. Rows are made of
// stored bytes when they are read.

import {
  type ChangeKind,
  HEAD_BYTES,
  type RegisterHead,
  readRegister,
} from '../../codec/merge/register'
import type { Version } from '../../codec/merge/version-order'
import type { Row } from '../../codec/row'
import type { FileProgress } from '../../codec/row-batch'
import type { AnyRow } from '../../codec/row-image'
import type { Columns } from '../../schema/feed-schema'
import type { OriginBook } from '../origin-book'

/** Rows listed from a store were merged from files read to their end. */
export const COMPLETE: FileProgress = { complete: true }

/** What one row did to the register of its key, or a whole file: see {@link RegisterSet.sweep}. */
export interface Change<Part extends string, C extends Columns> {
  /** Which of an item's registers it is: its row, or its priority. */
  readonly part: Part
  readonly kind: ChangeKind
  readonly itemId: string
  /** Of what is kept now. */
  readonly version: Version
  /**
   * The row that came in: its file and position, and whether it is confirmed. It pins its batch.
   * Null where a row was missing from a whole file.
   */
  readonly source: AnyRow | null
  /**
   * The row that is kept now; null when it was removed, and for a change without effect where only
   * those with one are wanted. Made when read; it pins about 64 KiB: see {@link Row.detach}.
   */
  readonly row: Row<C> | null
  /**
   * The row that was kept before; null where there was none, undefined where it was not asked for.
   * It pins nothing but its own bytes.
   */
  readonly before: Row<C> | null | undefined
}

/**
 * What of its changes a caller wants to read: less is faster, as kept rows are read from the store
 * for it.
 */
export interface ChangeOptions {
  /** Changes tell what was kept before. */
  readonly before?: boolean
  /** The rows of changes without effect (`unchanged`, `stale`) are not wanted. */
  readonly effectiveOnly?: boolean
}

/** A row that came in. */
export interface Arrival {
  /** Null where none came, and should have. */
  readonly row: AnyRow | null
  readonly itemId: string
  readonly head: RegisterHead
}

/** What all changes of a set have in common. */
export interface Telling<Part extends string, C extends Columns> extends ChangeOptions {
  readonly part: Part
  readonly book: OriginBook<C>
}

// Little is kept and all else made when it is read: there is one for each row, and most are only
// counted.
export class RegisterChange<Part extends string, C extends Columns> implements Change<Part, C> {
  readonly kind: ChangeKind
  readonly #telling: Telling<Part, C>
  readonly #arrival: Arrival
  readonly #register: Uint8Array
  readonly #before: Uint8Array | undefined
  readonly #progress: FileProgress

  constructor(
    telling: Telling<Part, C>,
    kind: ChangeKind,
    arrival: Arrival,
    register: Uint8Array,
    before: Uint8Array | undefined,
    progress: FileProgress,
  ) {
    this.kind = kind
    this.#telling = telling
    this.#arrival = arrival
    this.#register = register
    this.#before = before
    this.#progress = progress
  }

  get part(): Part {
    return this.#telling.part
  }

  get itemId(): string {
    return this.#arrival.itemId
  }

  get source(): AnyRow | null {
    return this.#arrival.row
  }

  get version(): Version {
    return readRegister(this.#register).version
  }

  get row(): Row<C> | null {
    if (this.#telling.effectiveOnly && (this.kind === 'stale' || this.kind === 'unchanged'))
      return null
    return rowOfRegister(this.#register, this.#telling.book, this.#progress)
  }

  get before(): Row<C> | null | undefined {
    if (!this.#telling.before) return undefined
    return this.#before === undefined
      ? null
      : rowOfRegister(this.#before, this.#telling.book, COMPLETE)
  }
}

/** Null where it was removed. */
export function rowOfRegister<C extends Columns>(
  register: Uint8Array,
  book: OriginBook<C>,
  progress: FileProgress,
): Row<C> | null {
  return readRegister(register).version.removed ? null : book.row(register, HEAD_BYTES, progress)
}
