// RangeFetcher: one HTTP resource to the pieces of a file, several ranges in flight
// (feed-file-catalog.md, section 2.7; item-feeds.md, section 3.7).
// Owns the run and its one restart when the file was replaced before anything was handed out.
// The rules are elsewhere: RangeDownload runs, codec/range judges, the transport speaks HTTP.

import { setMaxListeners } from 'node:events'
import type { Piece } from '../../codec/range/piece'
import { FeedError } from '../../errors'
import { Source } from '../source'
import { RangeDownload } from './range-download'
import { type RangeFetcherOptions, type RangeSettings, rangeSettings } from './range-settings'

/** What the server said of the file. */
export interface RangeInfo {
  /** The file's size; unknown when the server never told it. */
  readonly totalBytes?: number
  /** The header as it was sent. */
  readonly lastModified?: string
  /** Strong entity tags only. */
  readonly etag?: string
  /**
   * True when the server proved that there is no file content: by a 204, or by a Content-range that
   * states a total of 0.
   */
  readonly empty: boolean
}

/**
 * Downloads one resource by byte ranges.
 *
 * Pieces come in no promised order, each byte of the file once, as the transport received them:
 * they belong to the reader. A range is handed out when all of it has arrived; until then, and
 * while the reader is paused, its bytes are held: never more than `windowBytes` held and in flight,
 * plus the one part of each range that the transport is just handing over. No piece ends past the
 * lowest byte not yet handed out plus `windowBytes`, which is what a ChunkReassembler with that
 * window needs. A server that ignores ranges is streamed in order.
 *
 * Ends after the last byte of the file, or at once for an empty one. Fails with HTTP_STATUS,
 * HTTP_CONTENT_TYPE, HTTP_CONTENT_LENGTH, RANGE_HEADER_MISSING, RANGE_HEADER_INVALID,
 * RANGE_START_MISMATCH, RANGE_FILE_REPLACED, RANGE_BODY_TOO_LONG, RANGE_UNSATISFIABLE,
 * RANGE_RETRIES_EXHAUSTED (its cause is the last failure), and what the transport refuses.
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
  /**
   * Settles when the first piece is handed out, or when the file turns out to be empty; a file
   * replaced before that is started over, so what is told here stays true. Rejects when the fetcher
   * fails or is destroyed first; need not be awaited.
   */
  readonly info: Promise<RangeInfo>
  readonly #settings: RangeSettings
  #settleInfo = { resolve: (_info: RangeInfo) => {}, reject: (_error: unknown) => {} }
  #download: RangeDownload | undefined
  #anyPiece = false

  /** Throws OPTION_INVALID, HTTP_HEADER_INVALID. */
  constructor(options: RangeFetcherOptions) {
    super('RangeFetcher')
    this.#settings = rangeSettings(options)
    this.info = new Promise((resolve, reject) => {
      this.#settleInfo = { resolve, reject }
    })
    this.info.catch(() => {})
  }

  /** Bytes received and not yet handed out. */
  get heldBytes(): number {
    return this.#download?.heldBytes ?? 0
  }

  protected override async *produce(): AsyncGenerator<Piece, void, void> {
    try {
      yield* this.#run()
    } catch (error) {
      // Whoever goes on behind bytes of the file that was there has to drop them first.
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
    // Every range on its way listens to this one signal.
    setMaxListeners(0, run.signal)
    const stop = () => run.abort(this.signal.reason)
    this.signal.addEventListener('abort', stop)
    try {
      this.#download = new RangeDownload(this.#settings, run.signal)
      for await (const piece of this.#download.pieces()) {
        if (!this.#anyPiece) this.#tellInfo(false)
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
