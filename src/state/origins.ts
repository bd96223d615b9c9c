// The origins of kept rows: the header line and the file of each row. A kept row has the number of
// its origin, so that it costs its own bytes only. This class also reads kept rows back, under one
// schema for all files: a column that the row's file lacks is empty.

import {
  type AnyBatch,
  type AnyRow,
  type BoundHeader,
  bindHeader,
  bytesOfImage,
  type Columns,
  type FeedFile,
  type FeedSchema,
  type FileProgress,
  originOfImage,
  Row,
  RowBatch,
  type RowContent,
  readRowImage,
} from '../engine/index'
import { recordOf } from './origin-record'

/** The progress of files that were read to their end before their rows are given. */
export const COMPLETE: FileProgress = { complete: true }

interface Origin<C extends Columns> {
  readonly header: BoundHeader<C>
  /** The header that the rows arrived with. */
  readonly arrived: BoundHeader
  readonly file: FeedFile
  readonly signature: string
  /** How far the file was read when its last batch arrived. */
  progress: FileProgress
}

export class Origins<C extends Columns> {
  #schema: FeedSchema<C> | undefined
  readonly #origins: Origin<C>[] = []
  readonly #numbers = new Map<string, number>()
  readonly #recent = new WeakMap<BoundHeader, { file: FeedFile; number: number }>()

  /** @param schema under which rows are read. Default: that of the first batch */
  constructor(schema?: FeedSchema<C>) {
    this.#schema = schema
  }

  /** Returns the number of the batch's origin. */
  numberOf(batch: AnyBatch): number {
    const recent = this.#recent.get(batch.header)
    const number = recent?.file === batch.file ? recent.number : this.#find(batch)
    this.#origins[number]!.progress = batch.progress
    return number
  }

  /** Returns the row of the image at `at`. The row keeps the memory of the image. */
  row(image: Uint8Array, at: number, progress: FileProgress): Row<C> {
    const { header, file } = this.#of(image, at)
    return rowOf(image, at, header, file, progress)
  }

  /** Returns the row with the header that it arrived with. */
  source(image: Uint8Array, at: number): AnyRow {
    const { arrived, file, progress } = this.#of(image, at)
    return rowOf(image, at, arrived, file, progress)
  }

  /** Tells how far the file of the image at `at` was read. */
  progress(image: Uint8Array, at: number): FileProgress {
    return this.#of(image, at).progress
  }

  /** Returns the bytes and the signature of the image at `at`. */
  content(image: Uint8Array, at: number): RowContent {
    const { header, signature } = this.#of(image, at)
    return { bytes: bytesOfImage(image, at, header.columns.length), signature }
  }

  #of(image: Uint8Array, at: number): Origin<C> {
    return this.#origins[originOfImage(image, at)]!
  }

  #find(batch: AnyBatch): number {
    const { header, file } = batch
    const text = JSON.stringify(recordOf(batch))
    let number = this.#numbers.get(text)
    if (number === undefined)
      this.#numbers.set(text, (number = this.#origins.push(this.#originOf(batch)) - 1))
    this.#recent.set(header, { file, number })
    return number
  }

  #originOf({ header: arrived, file, progress }: AnyBatch): Origin<C> {
    const { cells } = arrived
    const schema = (this.#schema ??= arrived.schema as FeedSchema<C>)
    const headings = arrived.columns.map(({ heading }) => heading)
    const signature = JSON.stringify([file.feed, ...headings, ...(cells ? [cells] : [])])
    // Most files of one feed have the same header line, and share its bound header.
    const like = this.#origins.find(origin => origin.signature === signature)
    const header = like?.header ?? {
      ...bindHeader(schema, headings, { row: 0, line: 1, byteOffset: 0 }),
      ...(cells && { cells }),
    }
    return { header, arrived, file, signature, progress }
  }
}

function rowOf<C extends Columns>(
  image: Uint8Array,
  at: number,
  header: BoundHeader<C>,
  file: FeedFile,
  progress: FileProgress,
): Row<C> {
  const { position, index, bytes } = readRowImage(image, at, header.columns.length)
  const placeOf = () => position
  return new Row(new RowBatch({ header, file, progress, index, bytes, rowCount: 1, placeOf }), 0)
}
