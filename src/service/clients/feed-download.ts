// A file of the service that can be read: as typed rows, as bytes, or only its information. The
// stages are RangeFetcher, ChunkReassembler, Gunzip and TsvRowParser. Each run has its own stages,
// so that a replaced file can be read again.

import {
  aborted,
  type ChosenColumns,
  ChunkReassembler,
  type Columns,
  type FeedError,
  type FeedFile,
  type FeedSchema,
  type GunzipOptions,
  GZIP_SIGNATURE,
  is,
  listenable,
  type OptionTable,
  PIPELINE_OPTIONS,
  type Pipeline,
  type PipelineOptions,
  pipelineOfChain,
  type RangeFetcherOptions,
  type RangeInfo,
  type RangeResume,
  type RowBatch,
  readInstant,
  readOptions,
  type Secrets,
  type TsvRowParserOptions,
} from '../../engine/index'
import { fileNameOf } from '../identifiers'
import { FeedFetcher, FeedGunzip, FeedRowParser } from './feed-stages'

/** The options of fetching the ranges of a file: see RangeFetcher. */
export type RangeTuning = Pick<
  RangeFetcherOptions,
  | 'chunkBytes'
  | 'concurrency'
  | 'windowBytes'
  | 'retry'
  | 'idleMs'
  | 'acceptUnknownEnd'
  | 'redirectOrigins'
>

/** The options of one reading: those of the pipeline, and those of its stages. */
export interface ReadOptions extends PipelineOptions {
  /** Settings of the range requests. Default: those of the service. */
  readonly ranges?: RangeTuning
  /** Options of the stage that inflates. Default: the defaults of each option. */
  readonly gunzip?: GunzipOptions
}

/** The options of reading the compressed bytes. */
export interface CompressedOptions extends Omit<ReadOptions, 'gunzip'> {
  /**
   * Continues an earlier reading: the output begins at `offset`. Fails with RANGE_FILE_REPLACED
   * where the file is another one now. Default: the start of the file.
   */
  readonly resume?: RangeResume
  /**
   * Called with the information of the service about the file, as `RangeFetcherOptions.onInfo` is:
   * before the first bytes, and at the end of an empty file. Default: none.
   */
  readonly onInfo?: NonNullable<RangeFetcherOptions['onInfo']>
}

export interface RowOptions<C extends Columns, N extends string = keyof C & string>
  extends ReadOptions {
  /**
   * Options of the parser. The download sets `schema` and `file`. Default: the defaults of each
   * option.
   */
  readonly parser?: Omit<TsvRowParserOptions<C, N>, 'schema' | 'file'>
  /** The time of the file's generation. Default: the Last-Modified of the response. */
  readonly lastModified?: Date
}

export interface DownloadInfo {
  /**
   * True where the file is empty, because no item meets the criteria of the feed (status 204).
   */
  readonly empty: boolean
  /** The number of compressed bytes; undefined where the service does not state it. */
  readonly totalBytes: number | undefined
  /**
   * The time of the file's generation; undefined where the service states no valid time, or one that
   * is more than 5 minutes after the Date of the answer or the service's clock.
   */
  readonly lastModified: Date | undefined
  /** The entity tag, where it is a strong one. */
  readonly etag: string | undefined
}

export interface FeedDownloadParts<C extends Columns> {
  readonly operation: string
  readonly schema: FeedSchema<C>
  /** The facts of the file that the request states. */
  readonly file: FeedFile
  /** The identifiers that distinguish the file from others of its feed. */
  readonly identifiers: readonly string[]
  readonly source: RangeFetcherOptions & { readonly secrets: Secrets }
}

const READ = {
  ...PIPELINE_OPTIONS,
  ranges: is.any,
  gunzip: is.any,
} satisfies OptionTable<ReadOptions>
const COMPRESSED = {
  ...PIPELINE_OPTIONS,
  ranges: is.any,
  resume: is.any,
  onInfo: is.any,
} satisfies OptionTable<CompressedOptions>
const ROWS = {
  ...READ,
  parser: is.any,
  lastModified: is.any,
} satisfies OptionTable<RowOptions<Columns>>
const INFO = { signal: is.any, ranges: is.any }

/** Enough bytes of a file for its signature. */
const FIRST_RANGE_BYTES = 64

/**
 * A file of the service. A request is sent when something is read, and each reading downloads the
 * file again. A reading fails with HTTP_STATUS where the service refuses it, with `operation`,
 * `status` and `errorId`, and with the codes of RangeFetcher and of the stages that it uses.
 */
export class FeedDownload<C extends Columns> {
  readonly #parts: FeedDownloadParts<C>

  /** @internal Clients of the service make these. */
  constructor(parts: FeedDownloadParts<C>) {
    this.#parts = parts
  }

  /** The operation that serves the file. */
  get operation(): string {
    return this.#parts.operation
  }

  /** The facts of the file. Its rows have them too, together with the Last-Modified. */
  get file(): FeedFile {
    return this.#parts.file
  }

  /** @internal The error without what the requests for the file had that is secret. */
  covered(error: FeedError): FeedError {
    return this.#parts.source.secrets.covered(error)
  }

  /** A name for storing the file in a folder. It never leads out of the folder. */
  get fileName(): string {
    return fileNameOf(this.#parts.operation, this.#parts.identifiers)
  }

  /**
   * Reads typed rows in batches. Each batch has the facts of its file. An empty file has no batch.
   * With `parser.columns` the rows have only these columns.
   */
  rows<const N extends string = keyof C & string>(
    options: RowOptions<C, N> = {},
  ): Pipeline<RowBatch<ChosenColumns<C, N>>> {
    readOptions(options, ROWS)
    return pipelineOfChain<RowBatch<ChosenColumns<C, N>>>(() => {
      const chain = this.#unzipped(options)
      const [fetcher] = chain
      const file = () => this.#fileWith(options.lastModified ?? lastModifiedOf(fetcher.known))
      return [
        ...chain,
        new FeedRowParser<C, N>(fetcher, { ...options.parser, schema: this.#parts.schema, file }),
      ]
    }, pipelineOptions(options))
  }

  /** Reads the batches of {@link rows} one by one. */
  batches<const N extends string = keyof C & string>(
    options: RowOptions<C, N> = {},
  ): AsyncIterableIterator<RowBatch<ChosenColumns<C, N>>> {
    return this.rows(options).batches()
  }

  /** Reads the bytes of the TSV text. Their checksum is verified at the end of the file. */
  bytes(options: ReadOptions = {}): Pipeline<Uint8Array> {
    readOptions(options, READ)
    return pipelineOfChain<Uint8Array>(() => this.#unzipped(options), pipelineOptions(options))
  }

  /** Reads the gzip bytes in the order of the file. */
  compressed(options: CompressedOptions = {}): Pipeline<Uint8Array> {
    const { resume, onInfo } = readOptions(options, COMPRESSED)
    return pipelineOfChain<Uint8Array>(
      () => this.#ordered(options, { ...(resume && { resume }), ...(onInfo && { onInfo }) }),
      pipelineOptions(options),
    )
  }

  /** Requests the information about the file by one small range. */
  async info(
    options: { readonly signal?: AbortSignal; readonly ranges?: RangeTuning } = {},
  ): Promise<DownloadInfo> {
    readOptions(options, INFO)
    const small = { chunkBytes: FIRST_RANGE_BYTES, windowBytes: FIRST_RANGE_BYTES, concurrency: 1 }
    const [fetcher] = this.#ordered({ ranges: { ...options.ranges, ...small } })
    const signal = listenable(options.signal)
    const abort = () => fetcher.destroy(aborted('info', 'the request was aborted', signal?.reason))
    signal?.addEventListener('abort', abort, { once: true })
    try {
      if (signal?.aborted) abort()
      for await (const _ of fetcher) break
      return infoOf(fetcher.known)
    } finally {
      signal?.removeEventListener('abort', abort)
    }
  }

  #ordered(
    { ranges }: ReadOptions,
    more: Pick<RangeFetcherOptions, 'resume' | 'onInfo'> = {},
  ): [FeedFetcher, ChunkReassembler] {
    const { operation, source } = this.#parts
    const fetching = {
      signature: GZIP_SIGNATURE,
      ...source,
      ...ranges,
      retry: { ...source.retry, ...ranges?.retry },
      ...more,
    }
    const { windowBytes, resume } = fetching
    const ordering = {
      ...(windowBytes === undefined ? {} : { windowBytes }),
      ...(resume && { startOffset: resume.offset }),
    }
    return [new FeedFetcher(operation, fetching), new ChunkReassembler(ordering)]
  }

  #unzipped(options: ReadOptions): [FeedFetcher, ChunkReassembler, FeedGunzip] {
    const chain = this.#ordered(options)
    return [...chain, new FeedGunzip(chain[0], options.gunzip)]
  }

  #fileWith(lastModified: Date | undefined): FeedFile {
    return lastModified === undefined ? this.#parts.file : { ...this.#parts.file, lastModified }
  }
}

/** Returns those options of a reading that belong to the pipeline. */
function pipelineOptions(options: PipelineOptions): PipelineOptions {
  return Object.fromEntries(
    Object.entries(options).filter(([name]) => Object.hasOwn(PIPELINE_OPTIONS, name)),
  )
}

function infoOf(known: RangeInfo | undefined): DownloadInfo {
  const { empty = false, totalBytes, etag } = known ?? {}
  return { empty, totalBytes: empty ? 0 : totalBytes, lastModified: lastModifiedOf(known), etag }
}

function lastModifiedOf(known: RangeInfo | undefined): Date | undefined {
  return readInstant(known?.lastModified ?? '')
}
