// RangeFetcher downloads one HTTP resource as the pieces of a file, with several ranges in flight
// (feed-file-catalog.md, section 2.7; item-feeds.md, section 3.7). It starts over once where the
// file was replaced before the first piece was handed out. RangeDownload is one download,
// codec/range decides about responses, and the transport is the interface to HTTP.

import { setMaxListeners } from 'node:events'
import type { Piece } from '../../codec/range/reorder-buffer'
import { FeedError } from '../../errors'
import { Source } from '../source'
import { RangeDownload } from './range-download'
import { type RangeFetcherOptions, type RangeSettings, rangeSettings } from './range-settings'

/** What the server states about the file. */
export interface RangeInfo {
  /** The size of the file; undefined where the server does not state it. */
  readonly totalBytes?: number
  /** The header as it was sent. */
  readonly lastModified?: string
  /** The entity tag, where it is a strong one. */
  readonly etag?: string
  /**
   * True where the server proved that the file is empty: by a 204, or by a Content-range with a
   * total of 0.
   */
  readonly empty: boolean
}

/**
 * Downloads one resource by byte ranges.
 *
 * The pieces come in no particular order, and each byte of the file comes once. The reader owns the
 * memory of a piece. Only in a pipeline whose next stage borrows its inputs (ChunkReassembler before
 * Gunzip or a parser), ranges come in the order of the file, and the fetcher reuses the memory of a
 * piece when the next one is asked for: see FileSource for the reason.
 *
 * A range is handed out when it is complete. The bytes held and in flight are at most `windowBytes`,
 * plus one part of a body for each range. No piece ends more than `windowBytes` after the lowest byte
 * that is not handed out, so a ChunkReassembler with the same window accepts every piece. The body of
 * a server that ignores ranges is streamed in order.
 *
 * The output ends after the last byte of the file, and at once for an empty file. It fails with
 * HTTP_STATUS, HTTP_CONTENT_TYPE, HTTP_CONTENT_LENGTH, RANGE_HEADER_MISSING, RANGE_HEADER_INVALID,
 * RANGE_START_MISMATCH, RANGE_FILE_REPLACED, RANGE_BODY_TOO_LONG, RANGE_UNSATISFIABLE,
 * RANGE_RETRIES_EXHAUSTED (its cause is the last failure), and with failures of the transport that
 * a repeat cannot help.
 *
 * @example
 * ```ts
 * import { ChunkReassembler, Gunzip, pipeline, RangeFetcher } from 'feedmill'
 * // given: url, transport, headers
 *
 * const fetcher = new RangeFetcher({ url, transport, headers, chunkBytes: 10_000 })
 * const file = pipeline(fetcher).to(new ChunkReassembler()).to(new Gunzip())
 * const blocks = await file.toArray()
 * console.log(Buffer.concat(blocks).toString('utf8', 0, 6))
 * // => ItemId
 * ```
 */
export class RangeFetcher extends Source<Piece> {
  override ownsOutputs = true
  /**
   * Resolves when the first piece is handed out, or when the server proves that the file is empty.
   * A file that is replaced before is started over, so the information stays true. Rejects where
   * the fetcher fails or is destroyed first. It need not be awaited.
   */
  readonly info: Promise<RangeInfo>
  #settings: RangeSettings
  #settleInfo = { resolve: (_info: RangeInfo) => {}, reject: (_error: unknown) => {} }
  #download: RangeDownload | undefined
  #anyPiece = false
  #lends = false

  /** @throws FeedError OPTION_INVALID, HTTP_HEADER_INVALID */
  constructor(options: RangeFetcherOptions) {
    super('RangeFetcher')
    this.#settings = rangeSettings(options)
    this.origin = this.#settings.printableUrl
    this.info = new Promise((resolve, reject) => {
      this.#settleInfo = { resolve, reject }
    })
    this.info.catch(() => {})
  }

  /** Bytes that have arrived and are not handed out. */
  get heldBytes(): number {
    return this.#download?.heldBytes ?? 0
  }

  override lendOutputs(): boolean {
    this.#lends = true
    return true
  }

  /** Pieces of another start are refused, unless the option `signature` says what to check. */
  override requireStart(ofOutput: Uint8Array | undefined): undefined {
    if (ofOutput !== undefined) this.#settings = { signature: ofOutput, ...this.#settings }
  }

  protected override async *produce(): AsyncGenerator<Piece, void, void> {
    try {
      yield* this.#run()
    } catch (error) {
      // The reader that has bytes of the earlier file has to drop them before it starts over.
      if (
        this.#anyPiece ||
        this.#settings.startOffset > 0 ||
        !FeedError.is(error) ||
        error.code !== 'RANGE_FILE_REPLACED'
      )
        throw error
      yield* this.#run()
    }
    if (!this.#anyPiece) this.#tellInfo(true)
  }

  protected override release(): void {
    this.#settleInfo.reject(this.signal.reason)
  }

  async *#run(): AsyncGenerator<Piece, void, void> {
    const run = new AbortController()
    // Every range in flight listens to this signal.
    setMaxListeners(0, run.signal)
    const stop = () => run.abort(this.signal.reason)
    this.signal.addEventListener('abort', stop)
    try {
      this.#download = new RangeDownload(this.#settings, run.signal, this.#lends)
      for await (const piece of this.#download.pieces()) {
        if (!this.#anyPiece) this.#tellInfo(false)
        this.fileBytes = this.#download.identity?.totalBytes
        this.#anyPiece = true
        yield piece
      }
    } finally {
      this.signal.removeEventListener('abort', stop)
      run.abort(new FeedError('STAGE_DESTROYED', 'the run is over', { stage: this.name }))
    }
  }

  #tellInfo(empty: boolean): void {
    this.#settleInfo.resolve({ ...this.#download?.identity, empty })
  }
}
