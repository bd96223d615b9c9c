// The origins of the rows in a store: the header line and the file of each row. A stored row has
// the number of its origin, so that it costs its own bytes only. The list of origins is in the same
// store, one small entry for each file. This class also reads stored rows back, under one schema
// for all files: a column that the row's file lacks is empty.

import type { CellRules, Columns, FeedFile, FeedSchema, RowContent } from '../engine/index'
import {
  type AnyBatch,
  type BoundHeader,
  bindHeader,
  bytesOfImage,
  type FileProgress,
  originOfImage,
  Row,
  RowBatch,
  readRowImage,
} from '../engine/index'
import { type KeyedStore, prefixRange, type StoreOp } from './keyed-store'

interface Origin<C extends Columns> {
  readonly header: BoundHeader<C>
  readonly file: FeedFile
  readonly signature: string
}

/** An origin as it is stored in JSON. Dates are milliseconds since 1970. */
interface OriginRecord {
  readonly headings: readonly string[]
  /** Absent where as in the documented files. */
  readonly cells?: CellRules
  readonly file: Omit<FeedFile, 'hour' | 'lastModified'> & {
    readonly hour?: number
    readonly lastModified?: number
  }
}

export class OriginBook<C extends Columns> {
  readonly #store: KeyedStore
  readonly #prefix: string
  readonly #schema: FeedSchema<C>
  readonly #origins: Origin<C>[] = []
  readonly #numbers = new Map<string, number>()
  readonly #recent = new WeakMap<BoundHeader, { file: FeedFile; number: number }>()
  #unsaved: StoreOp[] = []
  #opening: Promise<void> | undefined
  #isOpen = false

  /** @param prefix of the keys that the list takes in the store */
  constructor(store: KeyedStore, prefix: string, schema: FeedSchema<C>) {
    this.#store = store
    this.#prefix = prefix
    this.#schema = schema
  }

  /** True once {@link open} has read the list. */
  get isOpen(): boolean {
    return this.#isOpen
  }

  /** Reads the list from the store at the first call, and again after a call that failed. */
  open(): Promise<void> {
    return (this.#opening ??= this.#read().catch(error => {
      this.#opening = undefined
      throw error
    }))
  }

  /** Returns the number of the batch's origin, and adds the origin where it is new. */
  numberOf(batch: Pick<AnyBatch, 'header' | 'file'>): number {
    const recent = this.#recent.get(batch.header)
    if (recent?.file === batch.file) return recent.number
    const text = recordOf(batch)
    const number = this.#numbers.get(text) ?? this.#addNew(text)
    this.#recent.set(batch.header, { file: batch.file, number })
    return number
  }

  /**
   * The new origins, which the caller writes together with their first rows. The caller gives them
   * to {@link saved} after that write.
   */
  get unsaved(): readonly StoreOp[] {
    return this.#unsaved
  }

  saved(origins: readonly StoreOp[]): void {
    this.#unsaved = this.#unsaved.filter(origin => !origins.includes(origin))
  }

  /** Returns the row of the image at `at`. The row keeps the memory of the image alive. */
  row(image: Uint8Array, at: number, progress: FileProgress): Row<C> {
    const { header, file } = this.#origins[originOfImage(image, at)]!
    const { origin: _, ...place } = readRowImage(image, at, header.columns.length)
    return new Row(new RowBatch({ header, file, progress, ...place, rowCount: 1 }), 0)
  }

  /** Returns the bytes and the signature of the image at `at`. */
  content(image: Uint8Array, at: number): RowContent {
    const { header, signature } = this.#origins[originOfImage(image, at)]!
    return { bytes: bytesOfImage(image, at, header.columns.length), signature }
  }

  async #read(): Promise<void> {
    for await (const block of this.#store.entries(prefixRange(this.#prefix))) {
      for (const { key, value } of block)
        this.#add(Number(key.slice(this.#prefix.length)), Buffer.from(value).toString())
    }
    this.#isOpen = true
  }

  #addNew(text: string): number {
    const number = this.#origins.length
    this.#add(number, text)
    this.#unsaved = [
      ...this.#unsaved,
      { key: `${this.#prefix}${number}`, value: Buffer.from(text) },
    ]
    return number
  }

  #add(number: number, text: string): void {
    const { headings, cells, file }: OriginRecord = JSON.parse(text)
    const signature = JSON.stringify([file.feed, ...headings, ...(cells ? [cells] : [])])
    this.#numbers.set(text, number)
    this.#origins[number] = {
      header: this.#bind(headings, cells, signature),
      file: fileOf(file),
      signature,
    }
  }

  // Most files of one feed have the same header line, and share its bound header.
  #bind(
    headings: readonly string[],
    cells: CellRules | undefined,
    signature: string,
  ): BoundHeader<C> {
    const like = this.#origins.find(origin => origin?.signature === signature)
    if (like) return like.header
    const bound = bindHeader(this.#schema, headings, { row: 0, line: 1, byteOffset: 0 })
    return cells ? { ...bound, cells } : bound
  }
}

function recordOf({ header, file }: Pick<AnyBatch, 'header' | 'file'>): string {
  const { hour, lastModified, ...rest } = file
  const dates = { ...millisecondsOf('hour', hour), ...millisecondsOf('lastModified', lastModified) }
  const record: OriginRecord = {
    headings: header.columns.map(column => column.heading),
    ...(header.cells && { cells: header.cells }),
    file: { ...rest, ...dates },
  }
  return JSON.stringify(record)
}

/** An invalid date is left out. JSON would store it as null, which would be read as 1970. */
function millisecondsOf<N extends string>(
  name: N,
  date: Date | undefined,
): Partial<Record<N, number>> {
  const milliseconds = date?.getTime()
  return milliseconds === undefined || Number.isNaN(milliseconds)
    ? {}
    : ({ [name]: milliseconds } as Record<N, number>)
}

function fileOf({ hour, lastModified, ...rest }: OriginRecord['file']): FeedFile {
  return {
    ...rest,
    ...(hour !== undefined && { hour: new Date(hour) }),
    ...(lastModified !== undefined && { lastModified: new Date(lastModified) }),
  }
}
