// One run over one file: the first request learns what the server does, then the ranges are fetched
// concurrently and handed out, or, from a server that ignores ranges, the one body is streamed. One
// piece, because both ways share the resume rules and a streamed run goes over to ranges when a
// resumed request is answered with one.
//
// A range's bytes are held until all of them arrived and nothing followed them; then they are
// handed out as they were received. What is asked, held or handed out is counted by RangePlan; who
// may answer what is judged by RangeRequester.

import type { ByteRange } from '../../codec/range/byte-range'
import type { FileIdentity } from '../../codec/range/file-identity'
import type { Piece } from '../../codec/range/piece'
import { type PlannedRange, RangePlan } from '../../codec/range/range-plan'
import type { FeedError } from '../../errors'
import { BodyRules } from './body-rules'
import { RangeAttempts } from './range-attempts'
import { type RangeAnswer, RangeRequester } from './range-requester'
import type { RangeSettings } from './range-settings'
import type { RangeResponse } from './range-transport'
import { readBody, receiveBody } from './response-body'

type Settled = Exclude<RangeAnswer, { kind: 'retry' }>
type Part = Extract<RangeAnswer, { kind: 'part' }>
type Whole = Extract<RangeAnswer, { kind: 'whole' }>

/** A range on its way, with the bytes received of it. */
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
  #heldBytes = 0
  #inFlight = 0
  #streamedBytes: number
  readonly #complete: Chunk[] = []
  #failure: { readonly error: unknown } | undefined
  #wake = () => {}

  /**
   * `signal` ends the run at once. Its owner also fires it when the run is over, which frees what
   * still waits.
   */
  constructor(settings: RangeSettings, signal: AbortSignal) {
    this.#settings = settings
    this.#signal = signal
    this.#requester = new RangeRequester(settings, signal)
    this.#rules = new BodyRules(settings, signal)
    this.#plan = new RangePlan(settings)
    this.#streamedBytes = settings.startOffset
  }

  /** What is known of the file; pinned before the first piece. */
  get identity(): FileIdentity {
    return this.#requester.identity
  }

  /** Bytes received and not yet handed out. */
  get heldBytes(): number {
    return this.#heldBytes
  }

  /** All pieces, in no promised order, each byte once. Nothing for an empty file. */
  async *pieces(): AsyncGenerator<Piece, void, void> {
    const chunk = this.#nextChunk() as Chunk
    const answer = await this.#ask(chunk.range.missing, chunk.attempts)
    if (answer.kind === 'whole') yield* this.#streamed(answer)
    else yield* this.#ranged(chunk, answer)
  }

  // Ranges, concurrently.

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
      this.#heldBytes -= bytes.length
      this.#fillSlots()
    }
  }

  #takeLowest(): Chunk | undefined {
    this.#complete.sort((a, b) => a.range.start - b.range.start)
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

  /** Fetches until the range is complete, each time from the newest offset. */
  async #fetch(chunk: Chunk, opened?: Settled): Promise<void> {
    for (let answer = opened; !chunk.range.complete; answer = undefined) {
      answer ??= await this.#ask(chunk.range.missing, chunk.attempts)
      if (answer.kind === 'part' || answer.kind === 'whole') await this.#receive(chunk, answer)
      else this.#plan.learnTotal(answer.identity.totalBytes)
    }
  }

  /** The first answer that is not a passing failure. */
  async #ask(range: ByteRange, attempts: RangeAttempts): Promise<Settled> {
    for (;;) {
      const answer = await this.#requester.ask(range)
      if (answer.kind !== 'retry') return answer
      await attempts.failed(answer.error, range.start, answer.retryAfterMs)
    }
  }

  /**
   * Reads one body into the chunk. A body that ends early, however it ends, leaves what was
   * received of it.
   */
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
    // A clean end before the range's end needs no pause as long as it brought something.
    if (range.complete || (!failure && after > before)) return
    await attempts.failed(failure ?? this.#rules.shortBody(after), after)
  }

  /** Returns why the bytes received were dropped again; undefined when they were kept. */
  async #readInto(chunk: Chunk, answer: Part | Whole): Promise<FeedError | undefined> {
    const missing = chunk.range.missing
    let skipBytes = answer.kind === 'whole' ? missing.start : 0
    let takeBytes = answer.kind === 'whole' ? missing.end - missing.start : answer.takeBytes
    let failure: FeedError | undefined
    await receiveBody(answer.response, this.#rules.idleLimit(missing.start), part => {
      let bytes = part.subarray(Math.min(skipBytes, part.length))
      skipBytes -= part.length - bytes.length
      // What follows the range in a whole body is another range's.
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
    parts.push(bytes)
    range.receive(bytes.length)
    this.#heldBytes += bytes.length
    attempts.progressed()
    // Only now may other ranges start: the first bytes have been seen to be a file's.
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
    for (const part of chunk.parts) this.#heldBytes -= part.length
    chunk.parts = []
    chunk.range.drop()
    return failure
  }

  // The whole body, streamed: nothing is held but the part that was just received.

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
   * Yields what this body adds to what was streamed before. Returns why another is needed;
   * undefined at the end of the file.
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
    // Without a total a clean end is all the proof there is; the file's own trailer is checked
    // further on.
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
