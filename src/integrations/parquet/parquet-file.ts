// One Parquet file of a run, which appears when it is committed: its columns are those of the first
// batch. Pages are compressed as soon as they are full, and wait in memory until their row group ends.

import {
  type ByteOutput,
  type ColumnData,
  FeedError,
  type SinkBatch,
  SinkColumns,
  sinkFailed,
  spellingOf,
} from '../../engine/index'
import { ColumnChunk } from './column-chunk'
import type { Codec } from './compression'
import { footer, MARK, rowGroup } from './footer'
import {
  eachLeaf,
  type Leaf,
  leavesOf,
  reuseSlots,
  type SchemaNode,
  type Slots,
  schemaNode,
  slotsOfRows,
} from './leaf-slots'
import type { Value } from './thrift'

export const NAME = 'parquet'

/** A row group ends behind the rows with which it has so many bytes before compression. */
const GROUP_BYTES = 1 << 26
/** Rows of more bytes are taken in parts, so that no page has many of them. */
const PART_BYTES = 1 << 20

/** The key of what is known of the files whose rows the file has, as JSON, and the most of them. */
const FILES = 'feedmill.files'
const MOST_FILES = 1000

export interface FileOptions {
  readonly rowGroupRows: number
  /** The names of the folders around the file, in small letters. */
  readonly partitionBy: readonly string[] | undefined
}

export class ParquetFile {
  readonly #output: ByteOutput
  readonly #codec: Codec
  readonly #options: FileOptions
  readonly #columns = new SinkColumns(NAME)
  #nodes: readonly SchemaNode[] | undefined
  #leaves: readonly Leaf[] = []
  /** The chunks of the row group; none before its first rows. */
  #chunks: readonly ColumnChunk[] = []
  #groupRows = 0
  #rows = 0
  #bytes = 0
  readonly #groups: Value[] = []
  /** What is known of the files of the rows, as JSON. */
  readonly #files = new Set<string>()
  /** Bytes of memory that wait for the end of the row group, where there are other files. */
  heldBytes = 0

  /** @param output is open */
  constructor(output: ByteOutput, codec: Codec, options: FileOptions) {
    this.#output = output
    this.#codec = codec
    this.#options = options
  }

  /** True before the first batch. */
  get isEmpty(): boolean {
    return this.#nodes === undefined
  }

  /** @throws FeedError SINK_FAILED, COLUMN_UNKNOWN, SINK_VALUE_INVALID */
  async write(batch: SinkBatch): Promise<void> {
    const columns = this.#columns.dataOf(batch)
    if (this.#files.size < MOST_FILES) this.#files.add(JSON.stringify(batch.file))
    if (this.isEmpty) await this.#begin()
    const most = rowsOfPart(columns, batch.length)
    for (let from = 0; from < batch.length; ) {
      const left = this.#options.rowGroupRows - this.#groupRows
      const count = Math.min(most, left, batch.length - from)
      this.#typed(() => this.#add(columns, from, count))
      from += count
      const isFull = this.#groupRows === this.#options.rowGroupRows
      if (isFull || this.#sum(chunk => chunk.rawBytes) >= GROUP_BYTES) await this.#endGroup()
    }
    if (this.#options.partitionBy !== undefined)
      this.heldBytes = this.#sum(chunk => chunk.heldBytes)
  }

  /** Writes the row group so far, and frees its memory. */
  async release(): Promise<void> {
    await this.#endGroup()
    this.#chunks = []
    this.heldBytes = 0
  }

  /** Writes the rest and syncs the file. @throws FeedError SINK_FAILED where no batch came */
  async prepare(): Promise<void> {
    if (this.#nodes === undefined) throw this.#columns.missing(this.#output.name)
    await this.release()
    const about = new Map([[FILES, `[${[...this.#files].join(',')}]`]])
    await this.#write(footer(this.#nodes, this.#leaves, this.#rows, this.#groups, about))
    await this.#output.prepare()
  }

  commit(): Promise<void> {
    return this.#output.commit()
  }

  abort(): Promise<void> {
    return this.#output.abort()
  }

  async #begin(): Promise<void> {
    this.#nodes = this.#shownFields().map(schemaNode)
    this.#leaves = this.#nodes.flatMap(node => leavesOf(node))
    await this.#write(MARK)
  }

  #add(columns: readonly ColumnData[], from: number, count: number): void {
    if (this.#chunks.length === 0)
      this.#chunks = this.#leaves.map(leaf => new ColumnChunk(leaf, this.#codec))
    let next = 0
    const rows = slotsOfRows(from, count)
    const add = (data: ColumnData, slots: Slots) => this.#chunks[next++]!.add(data, slots)
    for (const column of columns) {
      reuseSlots()
      const isAbsent = column.nullCount === column.length && column.children.length === 0
      if (isAbsent) this.#chunks[next++]!.addNulls(count)
      else eachLeaf(column, rows, add)
    }
    this.#groupRows += count
  }

  async #endGroup(): Promise<void> {
    if (this.#groupRows === 0) return
    const facts = this.#typed(() => this.#chunks.map(chunk => chunk.end()))
    this.#groups.push(rowGroup(facts, this.#groupRows, this.#bytes, this.#codec.id))
    this.#rows += this.#groupRows
    this.#groupRows = 0
    for (const { parts } of facts) await this.#write(Buffer.concat(parts))
  }

  async #write(bytes: Uint8Array): Promise<void> {
    await this.#output.write(bytes)
    this.#bytes += bytes.length
  }

  #sum(sizeOf: (chunk: ColumnChunk) => number): number {
    let sum = 0
    for (const chunk of this.#chunks) sum += sizeOf(chunk)
    return sum
  }

  /** Returns what the encoder returns. @throws FeedError SINK_FAILED for any failure of it */
  #typed<T>(encode: () => T): T {
    try {
      return encode()
    } catch (cause) {
      throw FeedError.is(cause) ? cause : sinkFailed(NAME, this.#output.name, cause)
    }
  }

  /** Readers take a folder for a column, and would hide a column of the file that has its name. */
  #shownFields() {
    const { partitionBy: folders = [] } = this.#options
    const { fields } = this.#columns
    const taken = new Set([...folders, ...fields.map(({ name }) => spellingOf(name))])
    return fields.map(({ name, type }) => {
      if (!folders.includes(spellingOf(name))) return { name, type }
      let copy = 2
      while (taken.has(`${spellingOf(name)}#${copy}`)) copy++
      taken.add(`${spellingOf(name)}#${copy}`)
      return { name: `${name}#${copy}`, type }
    })
  }
}

/** Returns how many rows of a batch are taken at once. */
function rowsOfPart(columns: readonly ColumnData[], rows: number): number {
  const bytes = columns.reduce((sum, column) => sum + bytesOf(column), 0)
  return Math.max(1, Math.floor((rows * PART_BYTES) / Math.max(bytes, PART_BYTES)))
}

function bytesOf({ values, children }: ColumnData): number {
  return children.reduce((sum, child) => sum + bytesOf(child), values?.byteLength ?? 0)
}
