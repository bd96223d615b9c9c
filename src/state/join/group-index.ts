// The groups of a join by their ids, the last record of each. They are in memory at first. What
// exceeds it is sorted on disk into one run, whose blocks are read where items ask for groups.
//
//   record: number of the group · row image

import { ByteReader, ByteWriter, type Columns, type Row, writeRowImage } from '../../engine/index'
import { ByteTable } from '../memory/byte-table'
import { COMPLETE, Origins } from '../origins'
import type { KeyedRecord } from '../spill/record-run'
import type { ScratchFolder } from '../spill/scratch-folder'
import { SortedRecords } from '../spill/sorted-records'
import { IndexedRun } from './indexed-run'

/** Bytes that have the number of a group. */
const NUMBER_BYTES = 8

export class GroupIndex<G extends Columns> {
  /** The number of different groups; exact once they are ended. */
  groups = 0
  /** Records that replaced an earlier record of the same group; exact once the groups are ended. */
  replaced = 0
  readonly #folder: ScratchFolder
  readonly #memoryBytes: number
  readonly #memory = new ByteTable()
  /** The records that go to the disk, until they are ended. */
  #sorted: SortedRecords | undefined
  #disk: IndexedRun | undefined
  readonly #origins = new Origins<G>()
  /** Takes the records that go to the memory. */
  readonly #writer = new ByteWriter()
  /** One bit for each group, by its number: true where an item asked for the group. */
  #used = new Uint8Array(128)

  constructor(folder: ScratchFolder, memoryBytes: number) {
    this.#folder = folder
    this.#memoryBytes = memoryBytes
  }

  /** Bytes of memory, about. */
  get byteLength(): number {
    return this.#sorted?.byteLength ?? this.#memory.byteLength
  }

  /** Adds a group. A later record of a group replaces an earlier one. */
  addGroup(groupId: string, row: Row<G>): void {
    const sorted = this.#sorted
    const known = sorted === undefined ? this.#memory.get(groupId, NUMBER_BYTES) : undefined
    if (known !== undefined) this.replaced++
    const writer = sorted?.writer ?? this.#writer
    writer.number(known === undefined ? this.groups++ : new ByteReader(known).number())
    writeRowImage(row, this.#origins.numberOf(row.batch), writer)
    if (sorted === undefined) {
      this.#memory.set(groupId, writer.take())
      writer.rewind()
    } else sorted.add(groupId)
  }

  /** Moves everything to the disk. @throws FeedError STATE_IO */
  async spill(): Promise<void> {
    if (this.#sorted !== undefined) return this.#sorted.spill()
    this.#sorted = new SortedRecords(this.#folder)
    await this.#sorted.addSorted(this.#memory.records())
    this.#memory.clear()
  }

  /** Ends the groups: {@link take} may be called. @throws FeedError STATE_IO, STATE_CORRUPT */
  async endGroups(): Promise<void> {
    if (this.#sorted === undefined) return
    const records = this.groups + this.replaced
    this.groups = 0
    this.#disk = await IndexedRun.write(this.#folder, this.#lastOfEach(), this.#memoryBytes)
    this.replaced = records - this.groups
    await this.#sorted.remove()
  }

  /** True where {@link take} reads the disk. */
  get isOnDisk(): boolean {
    return this.#disk !== undefined
  }

  /**
   * Returns the groups with these ids and marks them as used. The rows keep only their own bytes in
   * memory.
   * @throws FeedError STATE_IO, STATE_CORRUPT
   */
  async take(ids: ReadonlySet<string>): Promise<ReadonlyMap<string, Row<G>>> {
    if (this.#disk === undefined) return this.takeNow(ids)
    const groups = new Map<string, Row<G>>()
    const wanted = [...ids]
    for (const [n, record] of (await this.#disk.getMany(wanted)).entries())
      this.#take(wanted[n]!, record, groups)
    return groups
  }

  /**
   * The same for groups in memory, which do not change any more. The rows share the memory of the
   * groups: a copy of a group for each batch that names it would wait for V8 to collect it.
   */
  takeNow(ids: ReadonlySet<string>): ReadonlyMap<string, Row<G>> {
    const groups = new Map<string, Row<G>>()
    for (const id of ids) this.#take(id, this.#memory.view(id), groups)
    return groups
  }

  #take(id: string, record: Uint8Array | undefined, groups: Map<string, Row<G>>): void {
    if (record === undefined) return
    const { number, group } = this.#groupOf(record)
    this.#use(number)
    groups.set(id, group)
  }

  /** Yields the groups that no item asked for, in key order, in blocks. */
  async *unused(): AsyncGenerator<Row<G>[], void, void> {
    for await (const block of this.#disk?.records() ?? this.#memory.records()) {
      const groups: Row<G>[] = []
      for (const { value } of block) {
        const { number, group } = this.#groupOf(new Uint8Array(value))
        if (!this.#isUsed(number)) groups.push(group)
      }
      if (groups.length > 0) yield groups
    }
  }

  clear(): void {
    this.#memory.clear()
    this.#sorted = undefined
    this.#disk = undefined
  }

  /** The last record of each group, with a new number. */
  async *#lastOfEach(): AsyncGenerator<readonly KeyedRecord[], void, void> {
    const writer = new ByteWriter()
    let last: KeyedRecord | undefined
    for await (const block of this.#sorted!.sorted()) {
      const records: KeyedRecord[] = []
      for (const record of block) {
        if (last !== undefined && last.key !== record.key)
          records.push(this.#numbered(last, writer))
        last = record
      }
      yield records
      writer.rewind()
    }
    if (last !== undefined) yield [this.#numbered(last, writer)]
  }

  #numbered({ key, value }: KeyedRecord, writer: ByteWriter): KeyedRecord {
    const reader = new ByteReader(value)
    reader.number()
    writer.number(this.groups++)
    writer.bytes(reader.rest())
    return { key, value: writer.take() }
  }

  #groupOf(record: Uint8Array): { number: number; group: Row<G> } {
    const reader = new ByteReader(record)
    const number = reader.number()
    return { number, group: this.#origins.row(record, reader.at, COMPLETE) }
  }

  #use(number: number): void {
    const at = number >> 3
    if (at >= this.#used.length) {
      const wider = new Uint8Array(Math.max(at + 1, this.#used.length * 2))
      wider.set(this.#used)
      this.#used = wider
    }
    this.#used[at]! |= 1 << (number & 7)
  }

  #isUsed(number: number): boolean {
    return ((this.#used[number >> 3] ?? 0) & (1 << (number & 7))) !== 0
  }
}
