// RangeFetcher downloads one HTTP resource as the pieces of a file, with several ranges in flight
// (feed-file-catalog.md, section 2.7; item-feeds.md, section 3.7). It asks once more where an answer
// may be of another file: by ranges where nothing was handed out, and then for the whole file, which
// is compared with what was handed out. RangeDownload is one download, codec/range decides about
// responses, and the transport is the interface to HTTP.

import { setMaxListeners } from 'node:events'
import { type FileIdentity, possibleDate } from '../../codec/range/file-identity'
import type { Piece } from '../../codec/range/reorder-buffer'
import { asFeedError, FeedError } from '../../errors'
import { Source } from '../source'
import { HandedOut } from './handed-out'
import { RangeDownload } from './range-download'
import {
  type RangeFetcherOptions,
  type RangeInfo,
  type RangeSettings,
  rangeSettings,
} from './range-settings'

/**
 * Downloads one resource by byte ranges.
 *
 * The pieces come in the order of the file, and each byte comes once. The reader owns the memory of
 * a piece. Only in a pipeline whose next stage borrows its inputs (ChunkReassembler before Gunzip or a
 * parser), the fetcher reuses the memory of a piece when the next one is asked for: see FileSource
 * for the reason.
 *
 * What comes out is one version of the file. Several answers are put together only where a strong
 * ETag, a Last-Modified at least 60 s before the Date of its answer, or `expected` proves that they
 * are of one file. A gzip file without that is fetched one range at a time, with overlaps that are
 * compared; any other by one request without Range, which is compared with what was handed out where
 * it has to be repeated.
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
   * A file that is replaced before is started over. What goes on later under other validators is told
   * to the option `onInfo` only. Rejects where the fetcher fails or is destroyed first. It need not be
   * awaited.
   */
  readonly info: Promise<RangeInfo>
  #settings: RangeSettings
  #settleInfo = { resolve: (_info: RangeInfo) => {}, reject: (_error: unknown) => {} }
  #download: RangeDownload | undefined
  #lends = false

  /** @throws FeedError OPTION_INVALID, HTTP_HEADER_INVALID */
  constructor(options: RangeFetcherOptions) {
    super('RangeFetcher')
    this.#settings = rangeSettings(options)
    this.origin = this.#settings.printableUrl
    this.secrets = this.#settings.secrets
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
      yield* this.#wholeFile()
    } catch (error) {
      throw this.#settings.secrets.covered(asFeedError(error, this.name))
    }
  }

  async *#wholeFile(): AsyncGenerator<Piece, void, void> {
    const { printableUrl, startOffset, expected } = this.#settings
    const handed = new HandedOut(printableUrl, startOffset)
    let change: FeedError<'RANGE_FILE_REPLACED'> | undefined
    let told: FileIdentity | undefined
    for (let isOver = false; !isOver; ) {
      try {
        yield* this.#run(handed, told)
        isOver = true
      } catch (error) {
        if (change && told && isRefusal(error)) throw change
        if (!isReplaced(error)) throw error
        // What the second answer showed says more than that its bytes are others.
        if (told && change?.context.what !== 'proof') throw change
        if (told || !handed.isComparable) throw error
        const isRanged = !change && handed.isEmpty && error.context.what !== 'proof'
        told = isRanged ? undefined : { ...this.#download?.identity }
        change = error
      }
    }
    handed.checkHash(expected?.sha256)
    if (handed.isEmpty) this.#tellInfo(true, true)
  }

  protected override release(): void {
    this.#settleInfo.reject(this.signal.reason)
  }

  async *#run(handed: HandedOut, told?: FileIdentity): AsyncGenerator<Piece, void, void> {
    const run = new AbortController()
    // Every range in flight listens to this signal.
    setMaxListeners(0, run.signal)
    const stop = () => run.abort(this.signal.reason)
    this.signal.addEventListener('abort', stop)
    try {
      this.#download = new RangeDownload(this.#settings, run.signal, this.#lends, handed, told)
      let isTold = false
      for await (const piece of this.#download.pieces()) {
        if (!isTold) this.#tellInfo(false, told === undefined)
        isTold = true
        this.fileBytes = this.#download.identity.totalBytes
        yield piece
      }
    } finally {
      this.signal.removeEventListener('abort', stop)
      run.abort(new FeedError('STAGE_DESTROYED', 'the run is over', { stage: this.name }))
    }
  }

  /** @param isProven false where the answers state other validators for bytes that are equal */
  #tellInfo(empty: boolean, isProven: boolean): void {
    const identity: FileIdentity = { ...this.#download?.identity }
    const lastModified = possibleDate(identity, this.#settings.now())
    const { totalBytes, isDateStrong, etag, weakEtag } = identity
    const info: RangeInfo = {
      ...(totalBytes !== undefined && { totalBytes }),
      ...(lastModified && { lastModified }),
      ...(isProven && isDateStrong && { isDateStrong }),
      ...(isProven && etag && { etag }),
      ...(weakEtag && { weakEtag }),
      empty,
    }
    this.#settings.onInfo?.(info)
    this.#settleInfo.resolve(info)
  }
}

function isReplaced(error: unknown): error is FeedError<'RANGE_FILE_REPLACED'> {
  return FeedError.is(error) && error.code === 'RANGE_FILE_REPLACED'
}

/** True where a server does not give the file without a range. */
function isRefusal(error: unknown): boolean {
  if (!FeedError.is(error)) return false
  return (
    error.code === 'RANGE_UNSATISFIABLE' ||
    (error.code === 'HTTP_STATUS' && error.context.status === 400)
  )
}
