// The newest row of every key, in a keyed store. This class merges batches into the store and reads
// it back. codec/merge decides which row is newer.

import type {
  AnyBatch,
  AnyRow,
  Columns,
  FeedError,
  FeedSchema,
  FileProgress,
  Row,
  Version,
  VersionOf,
} from '../../engine/index'
import {
  type ChangeKind,
  checksumOfRegister,
  compareContents,
  HEAD_BYTES,
  judgeArrival,
  needsContents,
  type RegisterHead,
  readRegister,
  TextPrefix,
  writeRemoval,
} from '../../engine/index'
import {
  type KeyedStore,
  prefixRange,
  type StoreEntry,
  type StoreOp,
  type WriteOptions,
} from '../keyed-store'
import { OriginBook } from '../origin-book'
import {
  type Arrival,
  type Change,
  type ChangeOptions,
  COMPLETE,
  RegisterChange,
  type Reporter,
  type RowArrival,
  rowOfRegister,
} from './register-change'
import { beginLookUp, finishLookUp, Turns } from './register-look-up'
import { arrivalsOf, type RegisterMemory } from './row-arrivals'

/** The register of one key, as it was read. */
export interface KeptRow<C extends Columns> {
  readonly itemId: string
  readonly version: Version
  /** Null for a removed row. */
  readonly row: Row<C> | null
}

/** A register without its row. */
export type KeptHead = Pick<KeptRow<Columns>, 'itemId' | 'version'>

/** Registers in one write of a pass over all registers. */
const PASS_WRITES = 4096

export interface RegisterSetOptions<Part extends string, C extends Columns> {
  readonly part: Part
  readonly store: KeyedStore
  /** One letter. The set's keys begin with `prefix`, those of its origins with `o` and `prefix`. */
  readonly prefix: string
  /** Text before all of these keys, for a store that others use too. Default: none. */
  readonly within?: string | undefined
  /** The schema for kept rows. */
  readonly schema: FeedSchema<C>
  /** The column of a row's key. Default: `itemId`. */
  readonly keyColumn?: string
  readonly versionOf?: VersionOf | undefined
  readonly changes?: ChangeOptions | undefined
}

export interface MergeOptions extends WriteOptions {
  /**
   * Writes that are atomic with the batch. Their keys are keys of the store that the caller gave,
   * without the set's prefix.
   */
  readonly also?: readonly StoreOp[]
  /**
   * Called for a row without a key or a version, which is then left out. Default: such a row fails
   * the whole batch.
   */
  readonly leaveOut?: (row: AnyRow, error: FeedError) => void
  /** Resolves when the batch may be merged. The store looks up its rows before. */
  readonly after?: Promise<void>
  /**
   * True where the rows replace other content of their own version, whatever its order: they are
   * mended. Default: false.
   */
  readonly winsTies?: boolean
  /**
   * Memory for the changes of the batch. They are valid until the third batch after it is given
   * with the same memory. Default: new memory.
   */
  readonly memory?: RegisterMemory
}

export class RegisterSet<Part extends string, C extends Columns> {
  readonly #options: RegisterSetOptions<Part, C>
  /** The text before an `itemId` in a key. */
  readonly #prefix: TextPrefix
  readonly #book: OriginBook<C>
  readonly #reporter: Reporter<Part, C>
  readonly #turns = new Turns()

  constructor(options: RegisterSetOptions<Part, C>) {
    this.#options = options
    const { store, prefix, within = '', schema } = options
    this.#prefix = new TextPrefix(within + prefix)
    this.#book = new OriginBook(store, `${within}o${prefix}`, schema)
    this.#reporter = {
      part: options.part,
      keyStart: this.#prefix.text.length,
      book: this.#book,
      ...options.changes,
    }
  }

  /** Reads what {@link merge} needs, so that it then reads its batch before it returns. */
  open(): Promise<void> {
    return this.#book.open()
  }

  /**
   * Merges the rows of a batch, all or none. A caller need not wait for one batch before it gives
   * the next: the store then looks up the rows of the next while this one is merged. Batches are
   * merged in the order of the calls. After {@link open}, the call has read its batch when it
   * returns the promise; only {@link Change.source} refers to the batch later.
   * @returns one change for each row that was not left out, in order
   * @throws FeedError KEY_MISSING, KEY_TOO_LONG, VERSION_MISSING, CELL_INVALID, STATE_LIMIT,
   * STATE_IO, STATE_CORRUPT
   */
  async merge(
    batch: AnyBatch,
    { also = [], leaveOut, after, memory, winsTies = false, ...writeOptions }: MergeOptions = {},
  ): Promise<Change<Part, C>[]> {
    // Waiting only where that is needed sends the request to the store before the call returns.
    if (!this.#book.isOpen) await this.#book.open()
    const origin = this.#book.numberOf(batch)
    const { store, changes: wanted, keyColumn = 'itemId', versionOf } = this.#options
    const prefix = this.#prefix
    const writer = memory?.next()
    const arrivals = arrivalsOf(batch, { keyColumn, prefix, versionOf, origin, writer, leaveOut })
    const lookingUp = beginLookUp(store, arrivals, wanted)
    const { ahead, latest, end } = this.#turns.begin()
    try {
      const [found] = await Promise.all([lookingUp, after])
      const registers = await finishLookUp(store, { arrivals, found, ahead }, wanted)
      const progress = progressOf(batch)
      const writes: StoreOp[] = []
      const changes = arrivals.map((arrival, n) => {
        const { key, head, rowBytes } = arrival
        const before = latest.get(key) ?? registers[n]
        const { kind, register } = this.#arrive(arrival, before, winsTies)
        if (register !== before) {
          latest.set(key, register)
          const checksum = checksumOfRegister(register, head, rowBytes)
          writes.push({ key, value: register, checksum })
        }
        return this.#change(kind, arrival, register, before, progress)
      })
      for (const op of also) writes.push(op)
      await this.#save(writes, writeOptions)
      return changes
    } catch (error) {
      latest.clear()
      throw error
    } finally {
      end()
    }
  }

  /**
   * Removes every row that is older than `generated`: a file of all rows, generated at that time
   * and merged before, lacks them. The removals have that time as their version, so that older rows
   * cannot return. A repeated call finds only the rows that are left.
   * @returns blocks of changes
   */
  async *sweep(generated: Date): AsyncGenerator<Change<Part, C>[], void, void> {
    await this.#book.open()
    const timeMs = generated.getTime()
    const head: RegisterHead = {
      version: { timeMs, removed: true, generatedMs: timeMs },
      checksum: 0,
    }
    const removal = writeRemoval(head.version)
    for await (const block of this.#registers(
      this.#options.changes?.before ? undefined : HEAD_BYTES,
    )) {
      const swept = block.filter(({ value }) => isOlderRow(readRegister(value), timeMs))
      if (swept.length === 0) continue
      await this.#options.store.write(swept.map(({ key }) => ({ key, value: removal })))
      yield swept.map(({ key, value }) =>
        this.#change('deleted', { key, row: null, head }, removal, value, COMPLETE),
      )
    }
  }

  /**
   * Forgets that {@link sweep} has removed rows with these keys. Other removals stay.
   */
  async unsweep(itemIds: readonly string[], generated: Date): Promise<void> {
    const { store } = this.#options
    const timeMs = generated.getTime()
    const keys = itemIds.map(itemId => this.#prefix.text + itemId)
    const heads = await store.getMany(keys, { firstBytes: HEAD_BYTES })
    const swept = keys.filter((_, n) => {
      const version = heads[n] && readRegister(heads[n]).version
      return version?.removed && version.timeMs === timeMs && version.generatedMs === timeMs
    })
    if (swept.length > 0) await store.write(swept.map(key => ({ key, value: null })))
  }

  /**
   * Forgets the removals from before a time, when no older row can arrive any more.
   * @returns the number of forgotten removals
   */
  async compact(beforeMs: number): Promise<number> {
    let forgotten = 0
    let ops: StoreOp[] = []
    for await (const block of this.#registers(HEAD_BYTES)) {
      for (const { key, value } of block) {
        const { version } = readRegister(value)
        if (version.removed && version.timeMs < beforeMs) ops.push({ key, value: null })
      }
      if (ops.length < PASS_WRITES) continue
      await this.#options.store.write(ops)
      forgotten += ops.length
      ops = []
    }
    if (ops.length > 0) await this.#options.store.write(ops)
    return forgotten + ops.length
  }

  /**
   * Returns the kept rows in the order of `itemIds`, and null for a missing or removed row. The
   * rows keep only their own bytes in memory.
   */
  async rows(itemIds: readonly string[]): Promise<(Row<C> | null)[]> {
    await this.#book.open()
    const { store } = this.#options
    const stored = await store.getMany(itemIds.map(itemId => this.#prefix.text + itemId))
    return stored.map(register =>
      register === undefined ? null : rowOfRegister(register, this.#book, COMPLETE),
    )
  }

  /** Yields all registers in key order, those of removed rows included, in blocks. */
  async *entries(): AsyncGenerator<KeptRow<C>[], void, void> {
    await this.#book.open()
    for await (const block of this.#registers()) {
      yield block.map(({ key, value }) => ({
        itemId: this.#itemIdOf(key),
        version: readRegister(value).version,
        row: rowOfRegister(value, this.#book, COMPLETE),
      }))
    }
  }

  /**
   * Yields all registers in key order without their rows, those of removed rows included, in
   * blocks.
   */
  async *heads(): AsyncGenerator<KeptHead[], void, void> {
    for await (const block of this.#registers(HEAD_BYTES)) {
      yield block.map(({ key, value }) => ({
        itemId: this.#itemIdOf(key),
        version: readRegister(value).version,
      }))
    }
  }

  #registers(
    firstBytes?: number,
  ): AsyncIterable<readonly StoreEntry[]> | Iterable<readonly StoreEntry[]> {
    const { store } = this.#options
    return store.entries(
      prefixRange(this.#prefix.text),
      firstBytes === undefined ? {} : { firstBytes },
    )
  }

  #itemIdOf(key: string): string {
    return key.slice(this.#prefix.text.length)
  }

  /** @returns the register after the row; `before` itself where there is nothing to write */
  #arrive(
    { head, register }: RowArrival,
    before: Uint8Array | undefined,
    winsTies: boolean,
  ): { kind: ChangeKind; register: Uint8Array } {
    const standing = before && readRegister(before)
    const difference =
      standing !== undefined && needsContents(head, standing)
        ? compareContents(
            this.#book.content(register, HEAD_BYTES),
            this.#book.content(before!, HEAD_BYTES),
          )
        : 1
    const { kind, writes } = judgeArrival(
      head,
      standing,
      winsTies ? Math.abs(difference) : difference,
    )
    return { kind, register: writes ? register : before! }
  }

  #change(
    kind: ChangeKind,
    arrival: Arrival,
    register: Uint8Array,
    before: Uint8Array | undefined,
    progress: FileProgress,
  ): Change<Part, C> {
    return new RegisterChange(this.#reporter, kind, arrival, register, before, progress)
  }

  /** Writes registers together with the origins that they refer to, all or none. */
  async #save(writes: readonly StoreOp[], options: WriteOptions): Promise<void> {
    const origins = this.#book.unsaved
    await this.#options.store.write([...origins, ...writes], options)
    this.#book.saved(origins)
  }
}

function isOlderRow({ version }: RegisterHead, timeMs: number): boolean {
  return !version.removed && version.timeMs < timeMs
}

/** Returns a live view: a row becomes confirmed when its batch does. */
function progressOf(batch: AnyBatch): FileProgress {
  return {
    get complete() {
      return batch.confirmed
    },
  }
}
