// The registers of one part of all items: of their rows, or of their priorities. They are in memory
// at first. Once they have moved to the disk, rows that arrive are kept there too, and are judged
// when the input has ended: in the order of their keys, and those of one key in the order of their
// arrival, so that each does what it would have done in memory.

import {
  type AnyBatch,
  type Columns,
  compareContents,
  compareVersions,
  type FeedSchema,
  type FileProgress,
  findVersion,
  HEAD_BYTES,
  headOf,
  isArrival,
  judgeArrival,
  needsContents,
  type RegisterHead,
  type Row,
  readRegister,
  type Version,
  type VersionOf,
  versionMissing,
  writeArrival,
  writeRegister,
} from '../../engine/index'
import { ByteTable } from '../memory/byte-table'
import { COMPLETE, Origins } from '../origins'
import { keyOfRow } from '../row-key'
import type { ScratchFolder } from '../spill/scratch-folder'
import { SortedRecords } from '../spill/sorted-records'
import {
  type Arrival,
  type Change,
  type ChangeOptions,
  RegisterChange,
  type Reporter,
  rowOfRegister,
} from './register-change'

/** The register of one key, as it was read. */
export interface KeptRow<C extends Columns> {
  readonly key: string
  readonly version: Version
  /** Null for a removed row. */
  readonly row: Row<C> | null
}

export interface RegisterTableOptions<Part extends string, C extends Columns> {
  readonly part: Part
  /** The schema for kept rows. */
  readonly schema: FeedSchema<C>
  readonly versionOf: VersionOf | undefined
  readonly changes: ChangeOptions
}

/** What one record on disk makes of its key. */
interface Step<Part extends string, C extends Columns> {
  readonly key: string
  /** The register that stands then. */
  readonly register: Uint8Array
  /** The change by a row; undefined for a register that has moved from the memory. */
  readonly change: Change<Part, C> | undefined
}

export class RegisterTable<Part extends string, C extends Columns> {
  readonly #versionOf: VersionOf | undefined
  readonly #reporter: Reporter<Part, C>
  readonly #origins: Origins<C>
  readonly #memory = new ByteTable()
  /** The registers that have moved to the disk, and the rows that arrived since then. */
  #disk: SortedRecords | undefined

  constructor({ part, schema, versionOf, changes }: RegisterTableOptions<Part, C>) {
    this.#versionOf = versionOf
    this.#origins = new Origins(schema)
    this.#reporter = { part, origins: this.#origins, ...changes }
  }

  /** Bytes of memory, about. */
  get byteLength(): number {
    return this.#disk?.byteLength ?? this.#memory.byteLength
  }

  /**
   * Takes the rows of a batch.
   * @returns the change of each row in order; none where the rows are judged at the end
   * @throws FeedError KEY_MISSING, KEY_TOO_LONG, VERSION_MISSING, CELL_INVALID
   */
  add(batch: AnyBatch): readonly Change<Part, C>[] {
    const origin = this.#origins.numberOf(batch)
    const changes: Change<Part, C>[] = []
    for (let n = 0; n < batch.length; n++) {
      const row = batch.row(n)
      const key = keyOfRow(row, 'itemId')
      const bytes = batch.bytesOf(row.slot)
      const version = findVersion(row, this.#versionOf) ?? versionMissing(row, key)
      const head = headOf(row, version, bytes)
      if (this.#disk === undefined) {
        const arrival = { row, key, head }
        const register = writeRegister(row, head, origin, bytes)
        const before = this.#standing(arrival)
        const change = this.#judge(arrival, register, before, batch.progress)
        if (change.register !== before) this.#memory.set(key, change.register)
        changes.push(change)
      } else {
        writeArrival(row, head, origin, bytes, this.#disk.writer)
        this.#disk.add(key)
      }
    }
    return changes
  }

  /** Moves everything to the disk. */
  async spill(folder: ScratchFolder): Promise<void> {
    if (this.#disk !== undefined) return this.#disk.spill()
    this.#disk = new SortedRecords(folder)
    await this.#disk.addSorted(this.#memory.records())
    this.#memory.clear()
  }

  /** Yields the changes of the rows that are judged at the end, in blocks. */
  async *changes(): AsyncGenerator<readonly Change<Part, C>[], void, void> {
    for await (const steps of this.#steps())
      yield steps.flatMap(({ change }) => (change === undefined ? [] : change))
  }

  /** Yields all registers in the order of their keys, those of removed rows included, in blocks. */
  async *entries(): AsyncGenerator<readonly KeptRow<C>[], void, void> {
    for (const block of this.#memory.records())
      yield block.map(({ key, value }) => this.#kept(key, value))
    let last: Step<Part, C> | undefined
    for await (const steps of this.#steps()) {
      const rows: KeptRow<C>[] = []
      for (const step of steps) {
        if (last !== undefined && last.key !== step.key)
          rows.push(this.#kept(last.key, last.register))
        last = step
      }
      yield rows
    }
    if (last !== undefined) yield [this.#kept(last.key, last.register)]
  }

  /** Frees the memory. */
  clear(): void {
    this.#memory.clear()
    this.#disk?.clear()
  }

  async *#steps(): AsyncGenerator<readonly Step<Part, C>[], void, void> {
    if (this.#disk === undefined) return
    let last: Step<Part, C> | undefined
    for await (const block of this.#disk.sorted())
      yield block.map(({ key, value }) => {
        const before = last?.key === key ? last.register : undefined
        last = isArrival(value)
          ? this.#arrived(key, value, before)
          : { key, register: value, change: undefined }
        return last
      })
  }

  #arrived(key: string, value: Uint8Array, before: Uint8Array | undefined): Step<Part, C> {
    const origins = this.#origins
    const arrival: Arrival = {
      key,
      head: readRegister(value),
      get row() {
        return origins.source(value, HEAD_BYTES)
      },
    }
    const progress = origins.progress(value, HEAD_BYTES)
    const change = this.#judge(arrival, value, before, progress)
    return { key, register: change.register, change }
  }

  /** Returns the register of an arrival's key: whole where the change needs it, else its head. */
  #standing({ key, head }: Arrival): Uint8Array | undefined {
    const { before, effectiveOnly } = this.#reporter
    if (before) return this.#memory.get(key)
    const first = this.#memory.get(key, HEAD_BYTES)
    return first !== undefined && needsRow(head, readRegister(first), effectiveOnly)
      ? this.#memory.get(key)
      : first
  }

  /**
   * @param register of the arrival
   * @param before the register that stands
   */
  #judge(
    arrival: Arrival,
    register: Uint8Array,
    before: Uint8Array | undefined,
    progress: FileProgress,
  ): RegisterChange<Part, C> {
    const { head } = arrival
    const standing = before && readRegister(before)
    const difference =
      standing !== undefined && needsContents(head, standing)
        ? compareContents(
            this.#origins.content(register, HEAD_BYTES),
            this.#origins.content(before!, HEAD_BYTES),
          )
        : 1
    const { kind, writes } = judgeArrival(head, standing, difference)
    const after = writes ? register : before!
    return new RegisterChange(this.#reporter, kind, arrival, after, before, progress)
  }

  #kept(key: string, register: Uint8Array): KeptRow<C> {
    const { version } = readRegister(register)
    return { key, version, row: rowOfRegister(register, this.#origins, COMPLETE) }
  }
}

function needsRow(
  arriving: RegisterHead,
  standing: RegisterHead,
  effectiveOnly: boolean | undefined,
): boolean {
  if (needsContents(arriving, standing)) return true
  const isStale = compareVersions(arriving.version, standing.version) < 0
  return isStale && !standing.version.removed && !effectiveOnly
}
