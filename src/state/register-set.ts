// The newest row of every key, in a keyed store: merges batches into it and reads it back.
// What is newer is decided in codec/merge; this file brings rows, registers and the store together, one round trip a batch.

import { ByteWriter } from '../codec/byte-writer'
import { type ChangeKind, judgeArrival, readRegister, writeRegister } from '../codec/merge/register'
import { type Version, type VersionOf, versionOfRow } from '../codec/merge/version-order'
import type { Row } from '../codec/row'
import type { FileProgress } from '../codec/row-batch'
import type { AnyBatch, AnyRow } from '../codec/row-image'
import { FeedError } from '../errors'
import type { Columns, FeedSchema } from '../schema/feed-schema'
import { type KeyedStore, prefixRange, type StoreOp } from './keyed-store'
import { OriginBook } from './origin-book'

/** What one row did to the register of its key. */
export interface Change<Part extends string, C extends Columns> {
  /** Which of an item's registers it is: its row, or its priority. */
  readonly part: Part
  readonly kind: ChangeKind
  readonly itemId: string
  /** Of what is kept now. */
  readonly version: Version
  /** The row that came in: its file and position, and whether it is confirmed. It pins its batch. */
  readonly source: AnyRow
  /** The row that is kept now; null when it was removed. Made when read; it pins about 64 KiB: see {@link Row.detach}. */
  readonly row: Row<C> | null
}

/** One key's register, read back. */
export interface KeptRow<C extends Columns> {
  readonly itemId: string
  readonly version: Version
  /** Null when it was removed. */
  readonly row: Row<C> | null
}

/** Rows listed from a store were merged from files read to their end. */
const COMPLETE: FileProgress = { complete: true }

export interface RegisterSetOptions<Part extends string, C extends Columns> {
  readonly part: Part
  readonly store: KeyedStore
  /** The set's keys begin with `prefix`, those of its origins with `o` and `prefix`. One letter. */
  readonly prefix: string
  /** What kept rows are read with. */
  readonly schema: FeedSchema<C>
  readonly versionOf?: VersionOf | undefined
}

export class RegisterSet<Part extends string, C extends Columns> {
  readonly #options: RegisterSetOptions<Part, C>
  readonly #book: OriginBook<C>

  constructor(options: RegisterSetOptions<Part, C>) {
    this.#options = options
    this.#book = new OriginBook(options.store, `o${options.prefix}`, options.schema)
  }

  /**
   * Merges the rows of a batch, all or none. @returns one change for each row, in order
   * @throws FeedError KEY_MISSING, VERSION_MISSING, CELL_INVALID, STATE_LIMIT
   */
  async merge(batch: AnyBatch): Promise<Change<Part, C>[]> {
    await this.#book.open()
    const { store, prefix } = this.#options
    const rows = [...batch].map(row => ({ row, itemId: keyOfRow(row) }))
    const stored = await store.getMany(rows.map(({ itemId }) => prefix + itemId))
    const latest = new Map<string, Uint8Array>()
    const merging: Merging = { origin: this.#book.numberOf(batch), writer: new ByteWriter(), progress: progressOf(batch) }
    const changes = rows.map(({ row, itemId }, n) => {
      const before = latest.get(itemId) ?? stored[n]
      const { kind, register } = this.#arrive(row, itemId, before, merging)
      if (register !== before) latest.set(itemId, register)
      return new RegisterChange(this.#options.part, kind, itemId, row, register, this.#book, merging.progress)
    })
    await this.#save(latest)
    return changes
  }

  /** The rows kept now, in the order asked; null where there is none. They pin nothing but their own bytes. */
  async rows(itemIds: readonly string[]): Promise<(Row<C> | null)[]> {
    await this.#book.open()
    const { store, prefix } = this.#options
    const stored = await store.getMany(itemIds.map(itemId => prefix + itemId))
    return stored.map(register => (register === undefined ? null : rowOfRegister(register, this.#book, COMPLETE)))
  }

  /** Blocks of all registers in key order, those of removed rows included. */
  async *entries(): AsyncGenerator<KeptRow<C>[], void, void> {
    await this.#book.open()
    const { store, prefix } = this.#options
    for await (const block of store.entries(prefixRange(prefix))) {
      yield block.map(({ key, value }) => ({
        itemId: key.slice(prefix.length),
        version: readRegister(value).version,
        row: rowOfRegister(value, this.#book, COMPLETE),
      }))
    }
  }

  /** @returns the register after the row: `before` itself where nothing has to be written */
  #arrive(
    row: AnyRow,
    itemId: string,
    before: Uint8Array | undefined,
    { origin, writer }: Merging,
  ): { kind: ChangeKind; register: Uint8Array } {
    const version = versionOfRow(row, itemId, this.#options.versionOf)
    const register = () => writeRegister(row, version, origin, writer)
    if (before === undefined) return { kind: judgeArrival(version, undefined).kind, register: register() }
    const { imageAt, version: stored } = readRegister(before)
    const kept = imageAt === undefined ? undefined : () => this.#book.content(before, imageAt)
    const content = () => ({ bytes: row.batch.bytesOf(row.slot), signature: this.#book.signature(origin) })
    const { kind, writes } = judgeArrival(version, { version: stored, content, kept })
    return { kind, register: writes ? register() : before }
  }

  async #save(registers: ReadonlyMap<string, Uint8Array>): Promise<void> {
    const ops: StoreOp[] = [...this.#book.unsaved]
    for (const [itemId, value] of registers) ops.push({ key: this.#options.prefix + itemId, value })
    await this.#options.store.write(ops)
    this.#book.saved()
  }
}

/** What is the same for all rows of a batch. */
interface Merging {
  readonly origin: number
  readonly writer: ByteWriter
  readonly progress: FileProgress
}

class RegisterChange<Part extends string, C extends Columns> implements Change<Part, C> {
  readonly #register: Uint8Array
  readonly #book: OriginBook<C>
  readonly #progress: FileProgress

  constructor(
    readonly part: Part,
    readonly kind: ChangeKind,
    readonly itemId: string,
    readonly source: AnyRow,
    register: Uint8Array,
    book: OriginBook<C>,
    progress: FileProgress,
  ) {
    this.#register = register
    this.#book = book
    this.#progress = progress
  }

  get version(): Version {
    return readRegister(this.#register).version
  }

  get row(): Row<C> | null {
    return rowOfRegister(this.#register, this.#book, this.#progress)
  }
}

function rowOfRegister<C extends Columns>(register: Uint8Array, book: OriginBook<C>, progress: FileProgress): Row<C> | null {
  const { imageAt } = readRegister(register)
  return imageAt === undefined ? null : book.row(register, imageAt, progress)
}

function keyOfRow(row: AnyRow): string {
  const itemId = row.text('itemId')
  if (itemId === '') throw new FeedError('KEY_MISSING', 'a row without itemId', { ...row.position, column: 'itemId' })
  return itemId
}

/** Live: a row becomes confirmed when its batch does. */
function progressOf(batch: AnyBatch): FileProgress {
  return {
    get complete() {
      return batch.confirmed
    },
  }
}
