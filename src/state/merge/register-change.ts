// A change that an arriving row made to the register of its key. The rows of a change are made of
// stored bytes when a caller reads them.

import type { AnyRow, Columns, FileProgress, Row, Version } from '../../engine/index'
import { type ChangeKind, HEAD_BYTES, type RegisterHead, readRegister } from '../../engine/index'
import { COMPLETE, type Origins } from '../origins'

/** A change that a row made to the register of its key. */
export interface Change<Part extends string, C extends Columns> {
  /** The register of the item: its row or its priority. */
  readonly part: Part
  /** What the arrived row did to the register. */
  readonly kind: ChangeKind
  /** The key of the item. */
  readonly itemId: string
  /** The version that is kept now. */
  readonly version: Version
  /**
   * The row that arrived, with its file and position, and whether it is confirmed. It keeps its
   * batch in memory.
   */
  readonly source: AnyRow
  /**
   * The row that is kept now. Null where it was removed, and for a change without effect under
   * `effectiveOnly`. It is made at each read and keeps about 64 KiB in memory: see {@link
   * Row.detach}.
   */
  readonly row: Row<C> | null
  /**
   * The row that was kept before. Null where there was none, undefined without the option `before`.
   * It keeps only its own bytes in memory.
   */
  readonly before: Row<C> | null | undefined
}

/**
 * The parts of changes that a caller reads. Fewer parts are faster, because kept rows must be read
 * for them.
 */
export interface ChangeOptions {
  /** Changes have the row that was kept before. */
  readonly before?: boolean
  /** Changes without effect (`unchanged`, `stale`) have no row. */
  readonly effectiveOnly?: boolean
}

/** The row that made a change. */
export interface Arrival {
  readonly row: AnyRow
  readonly key: string
  readonly head: RegisterHead
}

/** What all changes of a set share. */
export interface Reporter<Part extends string, C extends Columns> extends ChangeOptions {
  readonly part: Part
  readonly origins: Origins<C>
}

// An object keeps little and makes the rest when it is read: there is one for each row, and most
// callers only count them.
export class RegisterChange<Part extends string, C extends Columns> implements Change<Part, C> {
  readonly kind: ChangeKind
  readonly #reporter: Reporter<Part, C>
  readonly #arrival: Arrival
  /** The register after the row. */
  readonly register: Uint8Array
  readonly #before: Uint8Array | undefined
  readonly #progress: FileProgress

  constructor(
    reporter: Reporter<Part, C>,
    kind: ChangeKind,
    arrival: Arrival,
    register: Uint8Array,
    before: Uint8Array | undefined,
    progress: FileProgress,
  ) {
    this.kind = kind
    this.#reporter = reporter
    this.#arrival = arrival
    this.register = register
    this.#before = before
    this.#progress = progress
  }

  get part(): Part {
    return this.#reporter.part
  }

  get itemId(): string {
    return this.#arrival.key
  }

  get source(): AnyRow {
    return this.#arrival.row
  }

  get version(): Version {
    return readRegister(this.register).version
  }

  get row(): Row<C> | null {
    if (this.#reporter.effectiveOnly && (this.kind === 'stale' || this.kind === 'unchanged'))
      return null
    return rowOfRegister(this.register, this.#reporter.origins, this.#progress)
  }

  get before(): Row<C> | null | undefined {
    if (!this.#reporter.before) return undefined
    return this.#before === undefined
      ? null
      : rowOfRegister(this.#before, this.#reporter.origins, COMPLETE)
  }
}

/** Returns the row of a register; null for a removed one. */
export function rowOfRegister<C extends Columns>(
  register: Uint8Array,
  origins: Origins<C>,
  progress: FileProgress,
): Row<C> | null {
  return readRegister(register).version.removed ? null : origins.row(register, HEAD_BYTES, progress)
}
