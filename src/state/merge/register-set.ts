// The newest row of every key, in a keyed store: merges batches into it and reads it back. What is
// newer is decided in codec/merge; this file brings rows, registers and the store together, one
// round trip a batch, two where rows have to be compared with those that are kept.

import { ByteWriter } from '../../codec/byte-writer'
import {
  type ChangeKind,
  compareContents,
  HEAD_BYTES,
  headOf,
  judgeArrival,
  needsContents,
  type RegisterHead,
  readRegister,
  writeRegister,
  writeRemoval,
} from '../../codec/merge/register'
import {
  compareVersions,
  type Version,
  type VersionOf,
  versionOfRow,
} from '../../codec/merge/version-order'
import type { Row } from '../../codec/row'
import type { FileProgress } from '../../codec/row-batch'
import type { AnyBatch, AnyRow } from '../../codec/row-image'
import type { Columns, FeedSchema } from '../../schema/feed-schema'
import {
  type KeyedStore,
  prefixRange,
  type StoreEntry,
  type StoreOp,
  type WriteOptions,
} from '../keyed-store'
import { OriginBook } from '../origin-book'
import { keyOfRow } from '../row-key'
import {
  type Arrival,
  type Change,
  type ChangeOptions,
  COMPLETE,
  RegisterChange,
  rowOfRegister,
  type Telling,
} from './register-change'

/** One key's register, read back. */
export interface KeptRow<C extends Columns> {
  readonly itemId: string
  readonly version: Version
  /** Null when it was removed. */
  readonly row: Row<C> | null
}

/** A register without its row. */
export type KeptHead = Pick<KeptRow<Columns>, 'itemId' | 'version'>

/** Registers in one write of a pass over all of them. */
const PASS_WRITES = 4096

export interface RegisterSetOptions<Part extends string, C extends Columns> {
  readonly part: Part
  readonly store: KeyedStore
  /** The set's keys begin with `prefix`, those of its origins with `o` and `prefix`. One letter. */
  readonly prefix: string
  /** What kept rows are read with. */
  readonly schema: FeedSchema<C>
  /** The column that names a row's key; `itemId` unless given. */
  readonly keyColumn?: string
  readonly versionOf?: VersionOf | undefined
  readonly changes?: ChangeOptions | undefined
}

export interface MergeOptions extends WriteOptions {
  /**
   * Written together with the batch: both or neither. Keys of the store that the state was given,
   * not its own.
   */
  readonly also?: readonly StoreOp[]
}

export class RegisterSet<Part extends string, C extends Columns> {
  readonly #options: RegisterSetOptions<Part, C>
  readonly #keyColumn: string
  readonly #book: OriginBook<C>
  readonly #telling: Telling<Part, C>

  constructor(options: RegisterSetOptions<Part, C>) {
    this.#options = options
    this.#keyColumn = options.keyColumn ?? 'itemId'
    this.#book = new OriginBook(options.store, `o${options.prefix}`, options.schema)
    this.#telling = { part: options.part, book: this.#book, ...options.changes }
  }

  /**
   * Merges the rows of a batch, all or none. @returns one change for each row, in order
   * @throws FeedError KEY_MISSING, KEY_TOO_LONG, VERSION_MISSING, CELL_INVALID, STATE_LIMIT,
   * STATE_IO, STATE_CORRUPT
   */
  async merge(
    batch: AnyBatch,
    { also = [], ...writeOptions }: MergeOptions = {},
  ): Promise<Change<Part, C>[]> {
    await this.#book.open()
    const arrivals: RowArrival[] = []
    for (const row of batch) arrivals.push(this.#arrival(row))
    const registers = await this.#registersOf(arrivals)
    const latest = new Map<string, Uint8Array>()
    const merging: Merging = {
      origin: this.#book.numberOf(batch),
      writer: new ByteWriter(),
      progress: progressOf(batch),
    }
    const changes = arrivals.map((arrival, n) => {
      const before = latest.get(arrival.key) ?? registers[n]
      const { kind, register } = this.#arrive(arrival, before, merging)
      if (register !== before) latest.set(arrival.key, register)
      return this.#change(kind, arrival, register, before, merging.progress)
    })
    await this.#save(latest, also, writeOptions)
    return changes
  }

  /**
   * Removes every row that is older than `generated`: those that a file of all rows, generated then
   * and merged before, does not have. Their removals are of that time, so that rows of before it
   * stay away. Repeated, it finds only what is left. @returns blocks of changes
   */
  async *sweep(generated: Date): AsyncGenerator<Change<Part, C>[], void, void> {
    await this.#book.open()
    const timeMs = generated.getTime()
    const head: RegisterHead = {
      version: { timeMs, removed: true, generatedMs: timeMs },
      checksum: 0,
    }
    const removal = writeRemoval(head.version, new ByteWriter())
    for await (const block of this.#registers(
      this.#options.changes?.before ? undefined : HEAD_BYTES,
    )) {
      const swept = block.filter(({ value }) => isOlderRow(readRegister(value), timeMs))
      if (swept.length === 0) continue
      await this.#options.store.write(swept.map(({ key }) => ({ key, value: removal })))
      const arrival = (key: string): Arrival => ({ itemId: this.#itemIdOf(key), row: null, head })
      yield swept.map(({ key, value }) =>
        this.#change('deleted', arrival(key), removal, value, COMPLETE),
      )
    }
  }

  /**
   * Forgets the removals of before a time: no row that old can come any more.
   * @returns how many they were
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
   * The rows kept now, in the order asked; null where there is none. They pin nothing but their own
   * bytes.
   */
  async rows(itemIds: readonly string[]): Promise<(Row<C> | null)[]> {
    await this.#book.open()
    const { store, prefix } = this.#options
    const stored = await store.getMany(itemIds.map(itemId => prefix + itemId))
    return stored.map(register =>
      register === undefined ? null : rowOfRegister(register, this.#book, COMPLETE),
    )
  }

  /** Blocks of all registers in key order, those of removed rows included. */
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

  /** Blocks of all registers in key order without their rows, those of removed rows included. */
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
    const { store, prefix } = this.#options
    return store.entries(prefixRange(prefix), firstBytes === undefined ? {} : { firstBytes })
  }

  #itemIdOf(key: string): string {
    return key.slice(this.#options.prefix.length)
  }

  #arrival(row: AnyRow): RowArrival {
    const itemId = keyOfRow(row, this.#keyColumn)
    return {
      row,
      itemId,
      key: this.#options.prefix + itemId,
      head: headOf(row, versionOfRow(row, itemId, this.#options.versionOf)),
    }
  }

  /**
   * What stands under the key of each row: whole where it is needed, else at least the beginning.
   */
  async #registersOf(
    arrivals: readonly RowArrival[],
  ): Promise<readonly (Uint8Array | undefined)[]> {
    const { store, changes = {} } = this.#options
    const keys = arrivals.map(({ key }) => key)
    if (changes.before) return store.getMany(keys)
    const heads = await store.getMany(keys, { firstBytes: HEAD_BYTES })
    const open = new Set<string>()
    for (let n = 0; n < keys.length; n++) {
      const head = heads[n]
      if (head !== undefined && this.#needsRow(arrivals[n]!.head, readRegister(head)))
        open.add(keys[n]!)
    }
    if (open.size === 0) return heads
    const wanted = [...open]
    const whole = await store.getMany(wanted)
    const byKey = new Map(wanted.map((key, n) => [key, whole[n]]))
    return heads.map((head, n) => byKey.get(keys[n]!) ?? head)
  }

  #needsRow(arriving: RegisterHead, standing: RegisterHead): boolean {
    if (needsContents(arriving, standing)) return true
    const isStale = compareVersions(arriving.version, standing.version) < 0
    return isStale && !standing.version.removed && !this.#options.changes?.effectiveOnly
  }

  /** @returns the register after the row: `before` itself where nothing has to be written */
  #arrive(
    { row, head }: RowArrival,
    before: Uint8Array | undefined,
    { origin, writer }: Merging,
  ): { kind: ChangeKind; register: Uint8Array } {
    const compare = () => {
      const content = {
        bytes: row.batch.bytesOf(row.slot),
        signature: this.#book.signature(origin),
      }
      return compareContents(content, this.#book.content(before!, HEAD_BYTES))
    }
    const { kind, writes } = judgeArrival(head, before && readRegister(before), compare)
    return { kind, register: writes ? writeRegister(row, head, origin, writer) : before! }
  }

  #change(
    kind: ChangeKind,
    arrival: Arrival,
    register: Uint8Array,
    before: Uint8Array | undefined,
    progress: FileProgress,
  ): Change<Part, C> {
    return new RegisterChange(this.#telling, kind, arrival, register, before, progress)
  }

  async #save(
    registers: ReadonlyMap<string, Uint8Array>,
    also: readonly StoreOp[],
    options: WriteOptions,
  ): Promise<void> {
    const ops: StoreOp[] = [...this.#book.unsaved]
    for (const [key, value] of registers) ops.push({ key, value })
    for (const op of also) ops.push(op)
    await this.#options.store.write(ops, options)
    this.#book.saved()
  }
}

interface RowArrival extends Arrival {
  readonly row: AnyRow
  /** In the store. */
  readonly key: string
}

/** What is the same for all rows of a batch. */
interface Merging {
  readonly origin: number
  readonly writer: ByteWriter
  readonly progress: FileProgress
}

function isOlderRow({ version }: RegisterHead, timeMs: number): boolean {
  return !version.removed && version.timeMs < timeMs
}

/** Live: a row becomes confirmed when its batch does. */
function progressOf(batch: AnyBatch): FileProgress {
  return {
    get complete() {
      return batch.confirmed
    },
  }
}
