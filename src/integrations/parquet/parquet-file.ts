// One Parquet file of a run, which appears when it is committed: its columns are those of the first
// batch. This is the adapter of parquet-wasm, an optional package: an encoder that takes batches as
// streams of Arrow and gives the bytes of a file piece by piece. It holds one row group at a time.

import {
  ArrowIpc,
  type ByteOutput,
  type ColumnBatch,
  missingPackage,
  SinkColumns,
  spellingOf,
} from '../../engine/index'

export const NAME = 'parquet'
export type Compression = 'snappy' | 'zstd' | 'gzip' | 'none'

const PACKAGE = 'parquet-wasm'
const CODECS = { snappy: 'SNAPPY', zstd: 'ZSTD', gzip: 'GZIP', none: 'UNCOMPRESSED' } as const

export const COMPRESSIONS = Object.keys(CODECS) as readonly Compression[]

/** What is used of the package. */
export type ParquetWasm = typeof import('parquet-wasm')

/** @throws FeedError DEPENDENCY_MISSING, with the command that installs the package */
export async function loadParquet(): Promise<ParquetWasm> {
  try {
    return await import('parquet-wasm')
  } catch (cause) {
    throw missingPackage('feedmill/parquet', PACKAGE, `${PACKAGE}@^0.8`, cause)
  }
}

export interface FileOptions {
  readonly compression: Compression
  readonly rowGroupRows: number
  /** The names of the folders around the file, in small letters. */
  readonly partitionBy: readonly string[] | undefined
}

export class ParquetFile {
  readonly #api: ParquetWasm
  readonly #output: ByteOutput
  readonly #folders: readonly string[]
  readonly #columns = new SinkColumns(NAME)
  readonly #input: WritableStreamDefaultWriter
  /** Rejects as soon as a write fails, and resolves when the encoder has ended. */
  readonly #written: Promise<void>
  #stream: ArrowIpc | undefined

  /** @param output is open */
  constructor(
    api: ParquetWasm,
    output: ByteOutput,
    { compression, rowGroupRows, partitionBy = [] }: FileOptions,
  ) {
    this.#api = api
    this.#output = output
    this.#folders = partitionBy
    const properties = new api.WriterPropertiesBuilder()
      .setCompression(api.Compression[CODECS[compression]])
      .setMaxRowGroupSize(rowGroupRows)
      .build()
    // A batch is taken only when the encoder asks for it.
    const { readable, writable } = new TransformStream()
    this.#input = writable.getWriter()
    // Each write reports a failure itself.
    this.#input.closed.catch(() => {})
    this.#written = writeAll(api.transformParquetStream(readable, properties), output)
    this.#written.catch(() => {})
  }

  /** @throws FeedError SINK_FAILED, COLUMN_UNKNOWN, SINK_VALUE_INVALID */
  async write(batch: ColumnBatch): Promise<void> {
    const data = this.#columns.dataOf(batch)
    const stream = (this.#stream ??= this.#newStream())
    // The encoder takes each batch as a stream of its own.
    const parts = [stream.start, stream.batch(batch.length, data), stream.end()]
    const table = this.#api.Table.fromIPCStream(Buffer.concat(parts))
    const record = table.recordBatch(0)
    table.free()
    await this.#unlessFailed(this.#input.write(record))
  }

  /** Writes the rest and syncs the file. @throws FeedError SINK_FAILED where no batch came */
  async prepare(): Promise<void> {
    if (this.#stream === undefined) throw this.#columns.missing(this.#output.name)
    await this.#unlessFailed(this.#input.close())
    await this.#written
    await this.#output.prepare()
  }

  commit(): Promise<void> {
    return this.#output.commit()
  }

  async abort(): Promise<void> {
    // The input waits for a write to the output.
    const ended = this.#input.abort().catch(() => {})
    await this.#output.abort()
    await ended
  }

  async #unlessFailed(step: Promise<void>): Promise<void> {
    // The failure of the encoder is the cause, and that of its input only follows from it.
    step.catch(() => {})
    const failed = this.#written.then(() => step)
    await Promise.race([step, failed])
  }

  /** Readers take a folder for a column, and would hide a column of the file that has its name. */
  #newStream(): ArrowIpc {
    const { fields } = this.#columns
    const taken = new Set([...this.#folders, ...fields.map(({ name }) => spellingOf(name))])
    const shown = fields.map(({ name, type }) => {
      if (!this.#folders.includes(spellingOf(name))) return { name, type }
      let copy = 2
      while (taken.has(`${spellingOf(name)}#${copy}`)) copy++
      taken.add(`${spellingOf(name)}#${copy}`)
      return { name: `${name}#${copy}`, type }
    })
    return new ArrowIpc(shown, 'stream')
  }
}

async function writeAll(
  encoded: Promise<ReadableStream<Uint8Array>>,
  output: ByteOutput,
): Promise<void> {
  for await (const bytes of await encoded) await output.write(bytes)
}
