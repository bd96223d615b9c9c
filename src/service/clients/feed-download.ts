// One file of the service as a thing to read: as typed rows, as bytes, or only what is known of it.
// The chain is RangeFetcher, ChunkReassembler, Gunzip, TsvRowParser; each run has its own, so that
// a replaced file can be read again.

import type { RowBatch } from '../../codec/row-batch'
import type { Secrets } from '../../codec/secrets'
import { FeedError } from '../../errors'
import { knownOptions, type OptionNames } from '../../options'
import { type Pipeline, pipelineOfChain } from '../../pipeline/pipeline'
import type { PipelineOptions } from '../../pipeline/run'
import type { ChosenColumns, Columns, FeedFile, FeedSchema } from '../../schema/feed-schema'
import { ChunkReassembler } from '../../stages/chunk-reassembler'
import type { GunzipOptions } from '../../stages/gunzip'
import type { RangeInfo } from '../../stages/range/range-fetcher'
import type { RangeFetcherOptions, RangeResume } from '../../stages/range/range-settings'
import type { TsvRowParserOptions } from '../../stages/tsv-stage'
import { listenable } from '../../stages/wait'
import { FeedFetcher, FeedGunzip, FeedRowParser } from './feed-stages'
import { fileNameOf } from './file-name'

/** How the ranges of a file are fetched: see RangeFetcher. */
export type RangeTuning = Pick<
  RangeFetcherOptions,
  | 'chunkBytes'
  | 'concurrency'
  | 'windowBytes'
  | 'patienceMs'
  | 'backoffBaseMs'
  | 'backoffCapMs'
  | 'retryAfterCapMs'
  | 'onRetry'
  | 'idleMs'
>

/** For one reading: the pipeline's own options, and those of its stages. */
export interface ReadOptions extends PipelineOptions {
  readonly ranges?: RangeTuning
  readonly gunzip?: GunzipOptions
}

/** For reading the compressed bytes. */
export interface CompressedOptions extends Omit<ReadOptions, 'gunzip'> {
  /**
   * Goes on behind bytes of an earlier reading: what comes out begins at `offset`.
   * RANGE_FILE_REPLACED where another file is there now.
   */
  readonly resume?: RangeResume
  /**
   * Told what the service says of the file, before its first bytes come, and of an empty one at the
   * end.
   */
  readonly onInfo?: (info: RangeInfo) => void
}

export interface RowOptions<C extends Columns, N extends string = keyof C & string>
  extends ReadOptions {
  readonly parser?: Omit<TsvRowParserOptions<C, N>, 'schema' | 'file'>
  /** Stands for the file's generation in place of the Last-Modified that the service sends. */
  readonly lastModified?: Date
}

export interface DownloadInfo {
  /**
   * True when the service has no content for this file: 204, nothing meets the criteria of the
   * feed.
   */
  readonly empty: boolean
  /** Compressed bytes; undefined when the service does not say. */
  readonly totalBytes: number | undefined
  /**
   * When the file was generated; undefined when the service does not say, or says it unreadably.
   */
  readonly lastModified: Date | undefined
  /** Strong entity tags only. */
  readonly etag: string | undefined
}

export interface FeedDownloadParts<C extends Columns> {
  readonly operation: string
  readonly schema: FeedSchema<C>
  /** What is known of the file from the request. */
  readonly file: FeedFile
  /** What tells this file from others of its kind. */
  readonly identifiers: readonly string[]
  readonly secrets: Secrets
  readonly source: RangeFetcherOptions
}

const PIPELINE_NAMES: OptionNames<PipelineOptions> = {
  signal: true,
  onProgress: true,
  progressMs: true,
  onSettled: true,
}
const READ_NAMES: OptionNames<ReadOptions> = { ...PIPELINE_NAMES, ranges: true, gunzip: true }
const COMPRESSED_NAMES: OptionNames<CompressedOptions> = {
  ...PIPELINE_NAMES,
  ranges: true,
  resume: true,
  onInfo: true,
}
const ROW_NAMES: OptionNames<RowOptions<Columns>> = {
  ...READ_NAMES,
  parser: true,
  lastModified: true,
}
const INFO_NAMES = { signal: true, ranges: true } as const

/** Enough of a file to see its signature. */
const FIRST_RANGE_BYTES = 64

/**
 * Nothing is requested before something is read, and each reading is a download of its own.
 * Whatever is read: HTTP_STATUS for what the service refuses, with `operation`, `status` and
 * `errorId`, and the codes of RangeFetcher and of the stages in use.
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

  /** Which file this is; its rows carry this, and its Last-Modified beside it. */
  get file(): FeedFile {
    return this.#parts.file
  }

  /** A name under which the file can be kept in any folder; it never leads out of one. */
  get fileName(): string {
    return fileNameOf(this.#parts.operation, this.#parts.identifiers)
  }

  /**
   * Typed rows in batches, each batch with the file it comes from. None for an empty file. With
   * `parser.columns` the rows have only these.
   */
  rows<const N extends string = keyof C & string>(
    options: RowOptions<C, N> = {},
  ): Pipeline<RowBatch<ChosenColumns<C, N>>> {
    knownOptions(options, ROW_NAMES as OptionNames<RowOptions<C, N>>)
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

  /** The batches of {@link rows}, one by one. */
  batches<const N extends string = keyof C & string>(
    options: RowOptions<C, N> = {},
  ): AsyncIterableIterator<RowBatch<ChosenColumns<C, N>>> {
    return this.rows(options).batches()
  }

  /** The TSV text as bytes, checked against the gzip trailer at the end. None for an empty file. */
  bytes(options: ReadOptions = {}): Pipeline<Uint8Array> {
    knownOptions(options, READ_NAMES)
    return pipelineOfChain<Uint8Array>(() => this.#unzipped(options), pipelineOptions(options))
  }

  /** The gzip bytes as the service has them, in order. None for an empty file. */
  compressed(options: CompressedOptions = {}): Pipeline<Uint8Array> {
    knownOptions(options, COMPRESSED_NAMES)
    return pipelineOfChain<Uint8Array>(() => {
      const chain = this.#ordered(options, options.resume)
      const { onInfo } = options
      // Where there is no information there is a failure, and the pipeline has it.
      if (onInfo) chain[0].info.then(onInfo, () => {})
      return chain
    }, pipelineOptions(options))
  }

  /** What the service says of the file, by one small range. */
  async info(
    options: { readonly signal?: AbortSignal; readonly ranges?: RangeTuning } = {},
  ): Promise<DownloadInfo> {
    knownOptions(options, INFO_NAMES as OptionNames<typeof options>)
    const small = { chunkBytes: FIRST_RANGE_BYTES, windowBytes: FIRST_RANGE_BYTES, concurrency: 1 }
    const [fetcher] = this.#ordered({ ranges: { ...options.ranges, ...small } })
    const signal = listenable(options.signal)
    const abort = () =>
      fetcher.destroy(
        new FeedError(
          'ABORTED',
          'the request was aborted',
          { stage: 'info' },
          { cause: signal?.reason },
        ),
      )
    signal?.addEventListener('abort', abort, { once: true })
    try {
      if (signal?.aborted) abort()
      for await (const _ of fetcher) break
      return infoOf(fetcher.known)
    } finally {
      signal?.removeEventListener('abort', abort)
    }
  }

  #ordered({ ranges }: ReadOptions, resume?: RangeResume): [FeedFetcher, ChunkReassembler] {
    const { operation, secrets, source } = this.#parts
    const fetching = { ...source, ...ranges, ...(resume && { resume }) }
    const { windowBytes } = fetching
    const ordering = {
      ...(windowBytes === undefined ? {} : { windowBytes }),
      ...(resume && { startOffset: resume.offset }),
    }
    return [new FeedFetcher(operation, secrets, fetching), new ChunkReassembler(ordering)]
  }

  #unzipped(options: ReadOptions): [FeedFetcher, ChunkReassembler, FeedGunzip] {
    const chain = this.#ordered(options)
    return [...chain, new FeedGunzip(chain[0], options.gunzip)]
  }

  #fileWith(lastModified: Date | undefined): FeedFile {
    return lastModified === undefined ? this.#parts.file : { ...this.#parts.file, lastModified }
  }
}

/** What of the options of a reading is the pipeline's. */
function pipelineOptions(options: PipelineOptions): PipelineOptions {
  return Object.fromEntries(
    Object.entries(options).filter(([name]) => Object.hasOwn(PIPELINE_NAMES, name)),
  )
}

function infoOf(known: RangeInfo | undefined): DownloadInfo {
  const { empty = false, totalBytes, etag } = known ?? {}
  return { empty, totalBytes: empty ? 0 : totalBytes, lastModified: lastModifiedOf(known), etag }
}

function lastModifiedOf(known: RangeInfo | undefined): Date | undefined {
  const date = new Date(known?.lastModified ?? Number.NaN)
  return Number.isNaN(date.getTime()) ? undefined : date
}
