// One download of one file. The first request shows whether the server supports ranges. If it does,
// several ranges are fetched at a time; if not, the one body is streamed. Both ways share the rules
// of resuming, and a streamed download changes to ranges where the server answers a repeated
// request with a range. The file is one piece, because a download may change its way at any byte.
//
// The bytes of a range are held until the range is complete and its body has ended. Then they are
// handed out in the parts in which they arrived, or in the blocks of RangeBlocks where they are
// lent. RangePlan counts the offsets, and RangeRequester decides about responses.

import type { FileIdentity } from '../../codec/range/file-identity'
import { RangeBlocks } from '../../codec/range/range-blocks'
import type { ByteRange } from '../../codec/range/range-plan'
import { type PlannedRange, RangePlan } from '../../codec/range/range-plan'
import type { Piece } from '../../codec/range/reorder-buffer'
import type { FeedError } from '../../errors'
import { BodyRules, readBody, receiveBody } from './body-rules'
import { type RangeAnswer, RangeRequester } from './range-requester'
import type { RangeSettings } from './range-settings'
import type { RangeResponse } from './range-transport'
import { RangeAttempts } from './retries'

type Settled = Exclude<RangeAnswer, { kind: 'retry' }>
type Part = Extract<RangeAnswer, { kind: 'part' }>
type Whole = Extract<RangeAnswer, { kind: 'whole' }>

/** A range in flight, with the bytes that have arrived. */
interface Chunk {
  readonly range: PlannedRange
  readonly attempts: RangeAttempts
  parts: Uint8Array[]
  overlong: boolean
}

export class RangeDownload {
  readonly #settings: RangeSettings
  readonly #signal: AbortSignal
  readonly #requester: RangeRequester
  readonly #rules: BodyRules
  #plan: RangePlan
  /** The memory of the pieces, where they are lent. */
  readonly #blocks: RangeBlocks | undefined
  /** Bytes that have arrived and are not handed out. */
  heldBytes = 0
  #inFlight = 0
  #streamedBytes: number
  readonly #complete: Chunk[] = []
  #failure: { readonly error: unknown } | undefined
  #wake = () => {}

  /**
   * `signal` ends the download at once. Its owner also fires it after the download, which ends
   * every wait that is left.
   * @param lends true where a piece has to stay unchanged only until the next one is asked for: the
   * pieces of ranges then come in order, in memory that is used again
   */
  constructor(settings: RangeSettings, signal: AbortSignal, lends = false) {
    this.#settings = settings
    this.#signal = signal
    this.#requester = new RangeRequester(settings, signal)
    this.#rules = new BodyRules(settings, signal)
    this.#plan = new RangePlan(settings)
    if (lends) this.#blocks = new RangeBlocks(this.#plan.rangeBytes)
    this.#streamedBytes = settings.startOffset
  }

  /** The known identity of the file. It is complete before the first piece. */
  get identity(): FileIdentity {
    return this.#requester.identity
  }

  /** Yields all pieces in no particular order, each byte once, and none for an empty file. */
  async *pieces(): AsyncGenerator<Piece, void, void> {
    const chunk = this.#nextChunk() as Chunk
    const answer = await this.#ask(chunk.range.missing, chunk.attempts)
    if (answer.kind === 'whole') yield* this.#streamed(answer)
    else yield* this.#ranged(chunk, answer)
  }

  // Ranges, several at a time.

  async *#ranged(first: Chunk, answer: Settled): AsyncGenerator<Piece, void, void> {
    this.#start(first, answer)
    for (;;) {
      if (this.#failure) throw this.#failure.error
      const chunk = this.#takeLowest()
      if (chunk) yield* this.#handOut(chunk)
      else if (this.#plan.done) return
      else {
        this.#fillSlots()
        await new Promise<void>(resolve => {
          this.#wake = resolve
        })
      }
    }
  }

  async *#handOut(chunk: Chunk): AsyncGenerator<Piece, void, void> {
    const { parts, range } = chunk
    for (let bytes = parts.shift(); bytes; bytes = parts.shift()) {
      if (this.#failure) throw this.#failure.error
      yield { offset: range.handedOffset, bytes }
      range.handOut(bytes.length)
      this.heldBytes -= bytes.length
      this.#blocks?.giveBack(bytes)
      this.#fillSlots()
    }
  }

  #takeLowest(): Chunk | undefined {
    this.#complete.sort((a, b) => a.range.start - b.range.start)
    if (this.#blocks && this.#complete[0]?.range.start !== this.#plan.lowestOffset) return undefined
    return this.#complete.shift()
  }

  #nextChunk(): Chunk | undefined {
    const range = this.#plan.next()
    return (
      range && {
        range,
        attempts: new RangeAttempts(this.#settings, this.#signal),
        parts: [],
        overlong: false,
      }
    )
  }

  #fillSlots(): void {
    while (!this.#failure && this.#inFlight < this.#settings.concurrency) {
      const chunk = this.#nextChunk()
      if (!chunk) return
      this.#start(chunk)
    }
  }

  #start(chunk: Chunk, answer?: Settled): void {
    this.#inFlight++
    const settle = () => {
      this.#inFlight--
      this.#wake()
    }
    this.#fetch(chunk, answer).then(
      () => {
        this.#complete.push(chunk)
        settle()
      },
      error => {
        this.#failure ??= { error }
        settle()
      },
    )
  }

  /** Sends requests for the missing bytes until the range is complete. */
  async #fetch(chunk: Chunk, opened?: Settled): Promise<void> {
    for (let answer = opened; !chunk.range.complete; answer = undefined) {
      answer ??= await this.#ask(chunk.range.missing, chunk.attempts)
      if (answer.kind === 'part' || answer.kind === 'whole') await this.#receive(chunk, answer)
      else this.#plan.learnTotal(answer.identity.totalBytes)
    }
  }

  /** Repeats the request while its failures may pass; throws the others. */
  async #ask(range: ByteRange, attempts: RangeAttempts): Promise<Settled> {
    for (;;) {
      const answer = await this.#requester.ask(range, attempts.failures + 1)
      if (answer.kind !== 'retry') return answer
      await attempts.failed(answer.error, range.start, answer.retryAfterMs)
    }
  }

  /** Reads one body into the chunk. The bytes of a body that ends early or fails are kept. */
  async #receive(chunk: Chunk, answer: Part | Whole): Promise<void> {
    const { range, attempts } = chunk
    const before = range.missing.start
    let failure: FeedError | undefined
    try {
      failure = await this.#readInto(chunk, answer)
    } catch (error) {
      failure = this.#rules.passing(error, range.missing.start)
    }
    const after = range.missing.start
    // A body that brought bytes and ended early is continued without a pause.
    if (range.complete || (!failure && after > before)) return
    await attempts.failed(failure ?? this.#rules.shortBody(after), after)
  }

  /** Returns the reason why the bytes were dropped; undefined where they were kept. */
  async #readInto(chunk: Chunk, answer: Part | Whole): Promise<FeedError | undefined> {
    const missing = chunk.range.missing
    let skipBytes = answer.kind === 'whole' ? missing.start : 0
    let takeBytes = answer.kind === 'whole' ? missing.end - missing.start : answer.takeBytes
    let failure: FeedError | undefined
    await receiveBody(answer.response, this.#rules.idleLimit(missing.start), part => {
      let bytes = part.subarray(Math.min(skipBytes, part.length))
      skipBytes -= part.length - bytes.length
      // The bytes of a whole body that follow this range belong to other ranges.
      if (answer.kind === 'whole') bytes = bytes.subarray(0, takeBytes)
      takeBytes -= bytes.length
      if (takeBytes < 0) failure = this.#dropOverlong(chunk)
      else if (bytes.length > 0) this.#keep(chunk, bytes, answer.response)
      return takeBytes > 0 || (takeBytes === 0 && answer.kind === 'part')
    })
    return failure
  }

  #keep(chunk: Chunk, bytes: Uint8Array, response: RangeResponse): void {
    const { range, attempts, parts } = chunk
    this.#rules.checkSignature(range.missing.start, bytes, response)
    if (this.#blocks) this.#blocks.append(parts, bytes)
    else parts.push(bytes)
    range.receive(bytes.length)
    this.heldBytes += bytes.length
    attempts.progressed()
    // Other ranges start only after the first bytes have shown the signature of the file.
    const { totalBytes } = this.identity
    if (totalBytes === undefined || this.#plan.totalBytes !== undefined) return
    this.#plan.learnTotal(totalBytes)
    this.#fillSlots()
  }

  #dropOverlong(chunk: Chunk): FeedError {
    const { start, end } = chunk.range
    const failure = this.#rules.tooLong(start, end - start)
    if (chunk.overlong) throw failure
    chunk.overlong = true
    for (const part of chunk.parts) {
      this.heldBytes -= part.length
      this.#blocks?.giveBack(part)
    }
    chunk.parts = []
    chunk.range.drop()
    return failure
  }

  // The whole body, streamed: only the part that arrived last is held.

  async *#streamed(first: Whole): AsyncGenerator<Piece, void, void> {
    const attempts = new RangeAttempts(this.#settings, this.#signal)
    for (let whole = first; ; ) {
      const failure = yield* this.#streamBody(whole, attempts)
      if (!failure) return
      await attempts.failed(failure, this.#streamedBytes)
      const chunk = this.#resumedChunk()
      const answer = await this.#ask(chunk.range.missing, attempts)
      if (answer.kind !== 'whole') return yield* this.#ranged(chunk, answer)
      whole = answer
    }
  }

  /**
   * Yields the bytes of this body that were not streamed before. Returns the reason why another
   * body is needed; undefined at the end of the file.
   */
  async *#streamBody(
    whole: Whole,
    attempts: RangeAttempts,
  ): AsyncGenerator<Piece, FeedError | undefined, void> {
    let skipBytes = this.#streamedBytes
    try {
      for await (const part of readBody(
        whole.response,
        this.#rules.idleLimit(this.#streamedBytes),
      )) {
        const bytes = part.subarray(Math.min(skipBytes, part.length))
        skipBytes -= part.length - bytes.length
        if (bytes.length === 0) continue
        this.#checkStreamed(bytes, whole.response)
        attempts.progressed()
        yield { offset: this.#streamedBytes, bytes }
        this.#streamedBytes += bytes.length
      }
    } catch (error) {
      const failure = this.#rules.passing(error, this.#streamedBytes)
      return this.#streamedBytes === this.identity.totalBytes ? undefined : failure
    }
    // Without a total, the regular end of a body counts as the end of the file. The gzip trailer is
    // checked by a later stage.
    const end = this.identity.totalBytes ?? Math.max(1, this.#streamedBytes)
    return skipBytes === 0 && this.#streamedBytes === end
      ? undefined
      : this.#rules.shortBody(this.#streamedBytes)
  }

  #resumedChunk(): Chunk {
    this.#plan = new RangePlan({ ...this.#settings, startOffset: this.#streamedBytes })
    const chunk = this.#nextChunk() as Chunk
    chunk.range.cutAt(this.identity.totalBytes ?? chunk.range.end)
    return chunk
  }

  #checkStreamed(bytes: Uint8Array, response: RangeResponse): void {
    const offset = this.#streamedBytes
    const { totalBytes = Number.MAX_SAFE_INTEGER } = this.identity
    if (offset + bytes.length > totalBytes) throw this.#rules.tooLong(0, totalBytes)
    this.#rules.checkSignature(offset, bytes, response)
  }
}
