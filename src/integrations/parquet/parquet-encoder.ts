// The adapter of parquet-wasm, an optional package: an encoder that takes batches as streams of
// Arrow and gives the bytes of a Parquet file piece by piece. It holds one row group at a time.

import { FeedError } from '../../engine/index'

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
    const context = { package: PACKAGE, neededFor: 'feedmill/parquet' }
    const message = `${context.neededFor} needs the package ${PACKAGE}: npm install ${PACKAGE}@^0.8`
    throw new FeedError('DEPENDENCY_MISSING', message, context, { cause })
  }
}

export interface EncoderOptions {
  readonly compression: Compression
  readonly rowGroupRows: number
  /** Writes bytes of the file. The encoder waits for it. */
  readonly write: (bytes: Uint8Array) => Promise<void>
}

export class ParquetEncoder {
  readonly #api: ParquetWasm
  readonly #input: WritableStreamDefaultWriter
  /** Rejects as soon as a write fails, and resolves when the encoder has ended. */
  readonly #written: Promise<void>

  constructor(api: ParquetWasm, { compression, rowGroupRows, write }: EncoderOptions) {
    this.#api = api
    const properties = new api.WriterPropertiesBuilder()
      .setCompression(api.Compression[CODECS[compression]])
      .setMaxRowGroupSize(rowGroupRows)
      .build()
    // A batch is taken only when the encoder asks for it.
    const { readable, writable } = new TransformStream()
    this.#input = writable.getWriter()
    // Each write reports a failure itself.
    this.#input.closed.catch(() => {})
    this.#written = writeAll(api.transformParquetStream(readable, properties), write)
    this.#written.catch(() => {})
  }

  /** @param stream a stream of Arrow with one batch */
  async add(stream: Uint8Array): Promise<void> {
    const table = this.#api.Table.fromIPCStream(stream)
    const batch = table.recordBatch(0)
    table.free()
    await this.#unlessFailed(this.#input.write(batch))
  }

  /** Writes the rest of the file. */
  async end(): Promise<void> {
    await this.#unlessFailed(this.#input.close())
    await this.#written
  }

  async abort(): Promise<void> {
    await this.#input.abort().catch(() => {})
  }

  async #unlessFailed(step: Promise<void>): Promise<void> {
    // The failure of the encoder is the cause, and that of its input only follows from it.
    step.catch(() => {})
    const failed = this.#written.then(() => step)
    await Promise.race([step, failed])
  }
}

async function writeAll(
  encoded: Promise<ReadableStream<Uint8Array>>,
  write: (bytes: Uint8Array) => Promise<void>,
): Promise<void> {
  for await (const bytes of await encoded) await write(bytes)
}
