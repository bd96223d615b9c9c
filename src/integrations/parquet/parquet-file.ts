// One Parquet file of a run, which appears when it is committed: its columns are those of the first
// batch.

import {
  type ArrowField,
  ByteOutput,
  type ColumnBatch,
  type ColumnData,
  emptyData,
  FeedError,
  type SinkTarget,
  valueInvalid,
} from '../../engine/index'
import { ArrowStream } from './arrow-stream'
import { type Compression, ParquetEncoder, type ParquetWasm } from './parquet-encoder'

export const NAME = 'parquet'

export interface FileOptions {
  readonly compression: Compression
  readonly rowGroupRows: number
}

export class ParquetFile {
  readonly #output: ByteOutput
  readonly #encoder: ParquetEncoder
  #fields: readonly ArrowField[] | undefined
  #stream: ArrowStream | undefined
  #rows = 0

  private constructor(output: ByteOutput, encoder: ParquetEncoder) {
    this.#output = output
    this.#encoder = encoder
  }

  /** @throws FeedError SINK_FAILED */
  static async open(
    api: ParquetWasm,
    target: SinkTarget,
    options: FileOptions,
  ): Promise<ParquetFile> {
    const output = new ByteOutput(target, NAME)
    await output.open()
    const write = (bytes: Uint8Array) => output.write(bytes)
    return new ParquetFile(output, new ParquetEncoder(api, { ...options, write }))
  }

  /** @throws FeedError SINK_FAILED, COLUMN_UNKNOWN, SINK_VALUE_INVALID */
  async write(batch: ColumnBatch): Promise<void> {
    this.#fields ??= batch.columns.map(({ name, type }) => ({ name, type }))
    this.#stream ??= new ArrowStream(this.#fields)
    await this.#encoder.add(this.#stream.of(batch.length, this.#dataOf(batch, this.#fields)))
    this.#rows += batch.length
  }

  /** Writes the rest and syncs the file. */
  async prepare(): Promise<void> {
    await this.#encoder.end()
    await this.#output.prepare()
  }

  commit(): Promise<void> {
    return this.#output.commit()
  }

  async abort(): Promise<void> {
    await this.#encoder.abort()
    await this.#output.abort()
  }

  /** The columns of a batch in the order of the file. One that another header lacks is empty. */
  #dataOf(batch: ColumnBatch, fields: readonly ArrowField[]): readonly ColumnData[] {
    const columns = new Map(batch.columns.map(column => [column.name, column]))
    const data = fields.map(({ name, type }) => {
      const column = columns.get(name)
      columns.delete(name)
      if (column === undefined) return emptyData(type, batch.length)
      if (JSON.stringify(column.type) === JSON.stringify(type)) return column.data
      throw valueInvalid(
        NAME,
        this.#rows + 1,
        `the column ${name} has another type than in the rows before`,
      )
    })
    const [unknown] = columns.keys()
    if (unknown === undefined) return data
    const known = fields.map(({ name }) => name)
    const message = `row ${this.#rows + 1} has a column ${unknown} that the first row does not have: give its file a sink of its own, or choose the parser's columns`
    throw new FeedError('COLUMN_UNKNOWN', message, { column: unknown, known })
  }
}
