// Which header and which file the rows of a store came from. A stored row names both by one number,
// so that a row costs its own bytes only. The list is kept in the same store, one small entry for
// each file. It reads stored rows back, under one schema for all files: a column that a row's file
// lacks reads as empty.

import type { RowContent } from '../codec/merge/register'
import { Row } from '../codec/row'
import { type FileProgress, RowBatch } from '../codec/row-batch'
import { type AnyBatch, bytesOfImage, originOfImage, readRowImage } from '../codec/row-image'
import { type BoundHeader, bindHeader } from '../codec/tsv/header'
import type { Columns, FeedFile, FeedSchema } from '../schema/feed-schema'
import { type KeyedStore, prefixRange, type StoreOp } from './keyed-store'

interface Origin<C extends Columns> {
  readonly header: BoundHeader<C>
  readonly file: FeedFile
  readonly signature: string
}

/** An origin as it is stored. Dates are milliseconds since 1970. */
interface OriginRecord {
  readonly headings: readonly string[]
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
  #opened = false

  /** @param prefix of the keys that the list takes in the store */
  constructor(store: KeyedStore, prefix: string, schema: FeedSchema<C>) {
    this.#store = store
    this.#prefix = prefix
    this.#schema = schema
  }

  /** Reads the list from the store, the first time. */
  async open(): Promise<void> {
    if (this.#opened) return
    this.#opened = true
    for await (const block of this.#store.entries(prefixRange(this.#prefix))) {
      for (const { key, value } of block)
        this.#add(Number(key.slice(this.#prefix.length)), Buffer.from(value).toString())
    }
  }

  /** The number for rows of `batch`, which may be a new one. */
  numberOf(batch: Pick<AnyBatch, 'header' | 'file'>): number {
    const recent = this.#recent.get(batch.header)
    if (recent?.file === batch.file) return recent.number
    const text = recordOf(batch)
    const number = this.#numbers.get(text) ?? this.#addNew(text)
    this.#recent.set(batch.header, { file: batch.file, number })
    return number
  }

  /**
   * What has to be written together with the first rows that name it. Call {@link saved} when it
   * is.
   */
  get unsaved(): readonly StoreOp[] {
    return this.#unsaved
  }

  saved(): void {
    this.#unsaved = []
  }

  /** The feed and the header line as one text. */
  signature(number: number): string {
    return this.#origins[number]!.signature
  }

  /** The row of an image that begins at `at`. It pins the image's memory. */
  row(image: Uint8Array, at: number, progress: FileProgress): Row<C> {
    const { header, file } = this.#origins[originOfImage(image, at)]!
    const { origin: _, ...place } = readRowImage(image, at, header.columns.length)
    return new Row(new RowBatch({ header, file, progress, ...place, rowCount: 1 }), 0)
  }

  /** The bytes and the signature of an image that begins at `at`. */
  content(image: Uint8Array, at: number): RowContent {
    const { header, signature } = this.#origins[originOfImage(image, at)]!
    return { bytes: bytesOfImage(image, at, header.columns.length), signature }
  }

  #addNew(text: string): number {
    const number = this.#origins.length
    this.#add(number, text)
    this.#unsaved.push({ key: `${this.#prefix}${number}`, value: Buffer.from(text) })
    return number
  }

  #add(number: number, text: string): void {
    const { headings, file }: OriginRecord = JSON.parse(text)
    const signature = JSON.stringify([file.feed, ...headings])
    this.#numbers.set(text, number)
    this.#origins[number] = {
      header: this.#bind(headings, signature),
      file: fileOf(file),
      signature,
    }
  }

  // Files of one feed have the same header line as a rule: they share what is made of it.
  #bind(headings: readonly string[], signature: string): BoundHeader<C> {
    const like = this.#origins.find(origin => origin?.signature === signature)
    return like?.header ?? bindHeader(this.#schema, headings, { row: 0, line: 1, byteOffset: 0 })
  }
}

function recordOf({ header, file }: Pick<AnyBatch, 'header' | 'file'>): string {
  const { hour, lastModified, ...rest } = file
  const dates = { ...millisecondsOf('hour', hour), ...millisecondsOf('lastModified', lastModified) }
  const record: OriginRecord = {
    headings: header.columns.map(column => column.heading),
    file: { ...rest, ...dates },
  }
  return JSON.stringify(record)
}

/** An invalid date is left out: JSON would make null of it, and 1970 of that. */
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
