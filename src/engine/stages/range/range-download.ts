// One download of one file. The first request shows whether the server supports ranges, and what
// proves that two answers are of one file (codec/range/file-identity.ts has the table). Where both
// are so, several ranges are fetched at a time; if not, one body is streamed, or ranges of a gzip file
// are joined one by one. A streamed download changes to ranges where the server answers a repeated
// request with a range. RANGE_FILE_REPLACED with `proof` means that ranges cannot go on: RangeFetcher
// then asks for the whole file. The file is one piece, because a download may change its way at any
// byte.
//
// The bytes of a range are held until the range is complete and its body has ended. Then they are
// handed out in the parts in which they arrived, or in the blocks of RangeBlocks where they are
// lent. RangePlan counts the offsets, and RangeRequester decides about responses.

import { type FileIdentity, GZIP_SIGNATURE, provesSame } from '../../codec/range/file-identity'
import { RangeBlocks } from '../../codec/range/range-blocks'
import type { ByteRange } from '../../codec/range/range-plan'
import { type PlannedRange, RangePlan } from '../../codec/range/range-plan'
import type { Piece } from '../../codec/range/reorder-buffer'
import { unproven } from '../../codec/range/response-verdict'
import type { FeedError } from '../../errors'
import { BodyRules, leastBytesOf, readBody, receiveBody } from './body-rules'
import { GzipJoins } from './gzip-joins'
import { HandedOut } from './handed-out'
import { RangeAttempts } from './range-attempts'
import { type RangeAnswer, RangeRequester } from './range-requester'
import type { RangeSettings } from './range-settings'
import type { RangeResponse } from './range-transport'

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
  readonly #handed: HandedOut
  readonly #isWhole: boolean
  /** True where each answer proves that it is of the same file. The first answer decides. */
  #isProven = false
  /** The joins of a gzip file, where nothing else proves it. */
  #joins: GzipJoins | undefined
  readonly #complete: Chunk[] = []
  #failure: { readonly error: unknown } | undefined
  #wake = () => {}

  /**
   * `signal` ends the download at once. Its owner also fires it after the download, which ends
   * every wait that is left.
   * @param handed what an earlier download has handed out, behind which this one goes on
   * @param lends true where a piece has to stay unchanged only until the next one is asked for: the
   * pieces of ranges are then in memory that is used again
   * @param told what was said of the file before; the download then makes no ranges
   */
  constructor(
    settings: RangeSettings,
    signal: AbortSignal,
    lends = false,
    handed = new HandedOut(settings.printableUrl, settings.startOffset),
    told?: FileIdentity,
  ) {
    this.#settings = settings
    this.#signal = signal
    this.#requester = new RangeRequester(settings, signal)
    this.#rules = new BodyRules(settings, signal)
    this.#plan = new RangePlan(settings)
    if (lends) this.#blocks = new RangeBlocks(this.#plan.rangeBytes)
    this.#handed = handed
    this.#isWhole = told !== undefined
    if (told && !handed.isEmpty) this.#requester.identity = told
  }

  /** The known identity of the file. It is complete before the first piece. */
  get identity(): FileIdentity {
    return this.#requester.identity
  }

  /** Yields all pieces in the order of the file, and none for an empty file. */
  async *pieces(): AsyncGenerator<Piece, void, void> {
    if (this.#isWhole) return yield* this.#streamed()
    const chunk = this.#nextChunk() as Chunk
    const answer = await this.#ask(chunk.range.missing, chunk.attempts)
    await this.#handed.ready
    this.#learnProof(answer)
    try {
      if (answer.kind === 'whole') yield* this.#streamed(answer)
      else yield* this.#ranged(chunk, answer)
    } finally {
      this.#joins?.destroy()
    }
  }

  /** Throws RANGE_FILE_REPLACED where nothing proves that other answers can be joined to this one. */
  #learnProof(answer: Settled): void {
    const { startOffset, identity: given, expected, signature, maxRangeBytes } = this.#settings
    const seen = answer.identity
    this.#isProven = expected !== undefined || provesSame(startOffset > 0 ? given : seen, seen)
    if (this.#isProven || answer.kind === 'empty') return
    if (answer.kind === 'total') {
      // The total tells the end of the bytes of an earlier download only where that one had it too.
      if (startOffset === 0 || given.totalBytes !== undefined) return
      throw unproven(this.#settings.printableUrl, startOffset)
    }
    const isAll =
      startOffset === 0 && (answer.kind === 'whole' || answer.takeBytes === seen.totalBytes)
    if (isAll) return
    if (startOffset === 0 && signature === GZIP_SIGNATURE && seen.totalBytes !== undefined)
      this.#joins = new GzipJoins(maxRangeBytes)
    else {
      answer.response.discard()
      throw unproven(this.#settings.printableUrl, startOffset)
    }
  }

  // Ranges, several at a time.

  async *#ranged(first: Chunk, answer: Settled): AsyncGenerator<Piece, void, void> {
    this.#start(first, answer)
    for (;;) {
      if (this.#failure) throw this.#failure.error
      const chunk = this.#takeLowest()
      if (chunk) yield* this.#handOut(chunk)
      else if (this.#plan.done) {
        if (this.#joins?.isProven === false) throw this.#unproven()
        return
      } else {
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
      this.#handed.add(bytes, this.#needsNoHash)
      yield { offset: range.handedOffset, bytes }
      range.handOut(bytes.length)
      this.heldBytes -= bytes.length
      this.#blocks?.giveBack(bytes)
      this.#fillSlots()
    }
  }

  #takeLowest(): Chunk | undefined {
    this.#complete.sort((a, b) => a.range.start - b.range.start)
    const isNext = this.#complete[0]?.range.start === this.#plan.lowestOffset
    return isNext ? this.#complete.shift() : undefined
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
    const most = this.#joins ? 1 : this.#settings.concurrency
    while (!this.#failure && this.#inFlight < most) {
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
      const overlap = answer ? NOTHING : this.#overlap(chunk.range.missing.start)
      answer ??= await this.#ask(this.#from(chunk.range.missing, overlap), chunk.attempts)
      if (answer.kind === 'part' || answer.kind === 'whole')
        await this.#receive(chunk, answer, overlap)
      else this.#plan.learnTotal(answer.identity.totalBytes)
    }
  }

  get #leastBytes(): number {
    return leastBytesOf(this.identity.totalBytes)
  }

  get #needsNoHash(): boolean {
    return this.#isProven && this.#settings.expected === undefined
  }

  /** Returns the bytes with which an answer that goes on at `offset` has to begin. */
  #overlap(offset: number): Uint8Array {
    if (this.#isProven || offset === 0) return NOTHING
    const overlap = this.#joins?.overlap()
    if (overlap === undefined) throw this.#unproven()
    return overlap
  }

  #from({ start, end }: ByteRange, overlap: Uint8Array): ByteRange {
    const from = start - overlap.length
    return { start: from, end: Math.min(end, from + this.#settings.maxRangeBytes) }
  }

  #unproven(): FeedError {
    return unproven(this.#settings.printableUrl, this.#handed.end)
  }

  /**
   * Repeats the request while its failures may pass; throws the others.
   * @param range undefined for the whole file
   */
  async #ask(range: ByteRange | undefined, attempts: RangeAttempts): Promise<Settled> {
    for (;;) {
      const answer = await this.#requester.ask(range, attempts.failures + 1)
      if (answer.kind !== 'retry') return answer
      await attempts.failed(answer.error, range?.start ?? 0, answer.retryAfterMs)
    }
  }

  /** Reads one body into the chunk. The bytes of a body that ends early or fails are kept. */
  async #receive(chunk: Chunk, answer: Part | Whole, overlap: Uint8Array): Promise<void> {
    const { range, attempts } = chunk
    const before = range.missing.start
    let failure: FeedError | undefined
    try {
      failure = await this.#readInto(chunk, answer, overlap)
    } catch (error) {
      failure = this.#rules.passing(error, range.missing.start)
    }
    const after = range.missing.start
    // A body that brought bytes and ended early is continued without a pause.
    if (range.complete || (!failure && after - before >= this.#leastBytes)) return
    await attempts.failed(failure ?? this.#rules.shortBody(after), after)
  }

  /** Returns the reason why the bytes were dropped; undefined where they were kept. */
  async #readInto(
    chunk: Chunk,
    answer: Part | Whole,
    overlap: Uint8Array,
  ): Promise<FeedError | undefined> {
    const missing = chunk.range.missing
    const isWhole = answer.kind === 'whole'
    if (isWhole && missing.start > 0 && !this.#isProven) {
      answer.response.discard()
      throw this.#unproven()
    }
    const skip = isWhole
      ? this.#handed.skipping(missing.start)
      : skippingEqual(overlap, () => this.#unproven())
    let takeBytes = isWhole ? missing.end - missing.start : answer.takeBytes - overlap.length
    let failure: FeedError | undefined
    const limits = this.#rules.idleLimit(missing.start, this.#leastBytes)
    await receiveBody(answer.response, limits, part => {
      let bytes = skip(part)
      // The bytes of a whole body that follow this range belong to other ranges.
      if (isWhole) bytes = bytes.subarray(0, takeBytes)
      takeBytes -= bytes.length
      if (takeBytes < 0) failure = this.#dropOverlong(chunk)
      else if (bytes.length > 0) this.#keep(chunk, bytes, answer.response)
      return takeBytes > 0 || (takeBytes === 0 && !isWhole)
    })
    return failure
  }

  #keep(chunk: Chunk, bytes: Uint8Array, response: RangeResponse): void {
    const { range, attempts, parts } = chunk
    this.#rules.checkSignature(range.missing.start, bytes, response)
    this.#joins?.take(bytes)
    if (this.#blocks) this.#blocks.append(parts, bytes)
    else parts.push(bytes)
    range.receive(bytes.length)
    this.heldBytes += bytes.length
    attempts.received(bytes.length, this.#leastBytes)
    // Other ranges start only after the first bytes have shown the signature of the file.
    const { totalBytes } = this.identity
    if (totalBytes === undefined || this.#plan.totalBytes !== undefined) return
    this.#plan.learnTotal(totalBytes)
    this.#fillSlots()
  }

  #dropOverlong(chunk: Chunk): FeedError {
    const { start, end } = chunk.range
    const failure = this.#rules.tooLong(start, end - start)
    if (this.#joins) throw this.#unproven()
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

  /** @param first the body that came as the answer to the first range */
  async *#streamed(first?: Whole): AsyncGenerator<Piece, void, void> {
    const attempts = new RangeAttempts(this.#settings, this.#signal)
    let body: Part | Whole | undefined = first
    for (;;) {
      body ??= await this.#askWhole(attempts)
      if (body === undefined) return
      const failure = yield* this.#streamBody(body, attempts)
      if (!failure) return
      await attempts.failed(failure, this.#handed.end)
      body = undefined
      const isBegun = !this.#handed.isEmpty
      if (this.#isWhole || (isBegun && !this.#isProven)) continue
      if (!isBegun) this.#requester.forget()
      const chunk = this.#resumedChunk()
      const answer = await this.#ask(chunk.range.missing, attempts)
      if (!isBegun) this.#learnProof(answer)
      if (answer.kind !== 'whole') return yield* this.#ranged(chunk, answer)
      body = answer
    }
  }

  /** Asks for the file without a range. Returns undefined for an empty file. */
  async #askWhole(attempts: RangeAttempts): Promise<Part | Whole | undefined> {
    if (this.#handed.isEmpty) this.#requester.forget()
    const answer = await this.#ask(undefined, attempts)
    if (answer.kind === 'part' || answer.kind === 'whole') return answer
    if (!this.#handed.isEmpty) throw this.#unproven()
    return undefined
  }

  /**
   * Yields the bytes of this body that were not handed out before. Returns the reason why another
   * body is needed; undefined at the end of the file.
   */
  async *#streamBody(
    answer: Part | Whole,
    attempts: RangeAttempts,
  ): AsyncGenerator<Piece, FeedError | undefined, void> {
    const handed = this.#handed
    const { response } = answer
    const skip = handed.skipping()
    let bodyBytes = 0
    try {
      handed.checkSize(this.identity.totalBytes)
      const limits = this.#rules.idleLimit(handed.end, this.#leastBytes)
      for await (const part of readBody(response, limits)) {
        bodyBytes += part.length
        const bytes = skip(part)
        if (bytes.length === 0) continue
        this.#checkStreamed(bytes, response)
        this.#rules.checkEnd(answer.kind === 'part' || answer.isEndKnown)
        attempts.received(bytes.length, this.#leastBytes)
        const offset = handed.end
        handed.add(bytes, this.#needsNoHash)
        yield { offset, bytes }
      }
    } catch (error) {
      const failure = this.#rules.passing(error, handed.end)
      return bodyBytes === this.identity.totalBytes ? undefined : failure
    }
    // Without a total, the framing of the body tells its end, or the caller accepts that nothing does.
    const end = this.identity.totalBytes ?? Math.max(1, handed.end)
    if (bodyBytes !== end) return this.#rules.shortBody(handed.end)
    this.#rules.checkEnd(answer.kind === 'part' || answer.isEndKnown)
    return undefined
  }

  #resumedChunk(): Chunk {
    this.#plan = new RangePlan({ ...this.#settings, startOffset: this.#handed.end })
    const chunk = this.#nextChunk() as Chunk
    chunk.range.cutAt(this.identity.totalBytes ?? chunk.range.end)
    return chunk
  }

  #checkStreamed(bytes: Uint8Array, response: RangeResponse): void {
    const offset = this.#handed.end
    const { totalBytes = Number.MAX_SAFE_INTEGER } = this.identity
    if (offset + bytes.length > totalBytes) throw this.#rules.tooLong(0, totalBytes)
    this.#rules.checkSignature(offset, bytes, response)
  }
}

const NOTHING = new Uint8Array()

/** Returns a function that takes parts, and returns what follows those bytes of them. */
function skippingEqual(
  before: Uint8Array,
  onOther: () => FeedError,
): (part: Uint8Array) => Uint8Array {
  let at = 0
  return part => {
    const compared = before.subarray(at, at + part.length)
    at += compared.length
    if (Buffer.compare(compared, part.subarray(0, compared.length)) !== 0) throw onOther()
    return part.subarray(compared.length)
  }
}
