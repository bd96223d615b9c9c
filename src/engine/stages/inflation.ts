// Unpacks one compressed file: drives its framing (of gzip codec/gzip/members.ts, of other formats
// codec/unpack/), and an engine for each member, over blocks of input. It owns the life of the
// engine and the input between the framing and the engine. Its caller owns the outputs.

import { START_BYTES } from '../codec/body-kind'
import { InputGatherer, PushBackBuffer } from '../codec/gzip/engine-input'
import { notGzip } from '../codec/gzip/framing'
import type { InflateEngine, InflateOutputs, NewInflateEngine } from '../codec/gzip/inflate-engine'
import type { GzipLimits } from '../codec/gzip/limits'
import { type GzipFacts, GzipMembers } from '../codec/gzip/members'
import { loanOf } from '../codec/loan'
import { copyBytes } from '../codec/memory'
import { contradictsSignature, GZIP_SIGNATURE } from '../codec/range/file-identity'
import type { PackedFile } from '../codec/unpack/packed-file'
import { DONE, isPromise, PAUSE, PAUSED, type Pause, type Step, Steps } from '../core/steps'

/** The most input that is processed between two pauses where it gives no output. */
const MAX_PIECE_BYTES = 1024 * 1024
/** The cost of one part of a member, such as a header, in bytes of input. */
const PART_BYTES = 4096

export interface InflationOptions {
  readonly newEngine: NewInflateEngine
  /** An input block of this size or more is inflated as it is; smaller ones are gathered. */
  readonly largeBytes?: number | undefined
}

export class Inflation {
  readonly #members: PackedFile
  readonly #newEngine: NewInflateEngine
  readonly #gatherer: InputGatherer
  readonly #outputs = new Steps<Uint8Array | Pause>(() => this.#next())
  /**
   * The engine of the member whose data was read last. After it has ended, it is kept for the next
   * member.
   */
  #engine: InflateEngine | undefined
  /** The outputs of the block that the engine is working on. */
  #blockOutputs: InflateOutputs | undefined
  readonly #pushBack = new PushBackBuffer()
  /**
   * Blocks that were not begun. A finished block is removed at once, so that it is not held while
   * outputs are waited for.
   */
  #queue: Uint8Array[] = []
  /**
   * Parts of members that were begun since the last output or pause; `#yieldedAt` is the position
   * of that output or pause.
   */
  #parts = 0
  #yieldedAt = 0
  #inputEnded = false
  /** True after the engine was told that no more input comes. */
  #engineFinishes = false
  #destroyed = false

  /** @param members the framing of the file */
  constructor(members: PackedFile, { newEngine, largeBytes }: InflationOptions) {
    this.#members = members
    this.#newEngine = newEngine
    this.#gatherer = new InputGatherer(largeBytes)
  }

  /**
   * Returns the outputs of a block, which the caller uses up before the next call. Returns
   * undefined while input is gathered.
   */
  inflate(block: Uint8Array): Steps<Uint8Array | Pause> | undefined {
    const framingBytes = this.#gatherer.isEmpty
      ? this.#members.read(block.subarray(0, MAX_PIECE_BYTES))
      : 0
    const ready = this.#gatherer.add(block.subarray(framingBytes))
    if (ready.length === 0) return undefined
    this.#queue = ready
    return this.#outputs
  }

  /**
   * Returns the outputs of the end of input.
   * @throws FeedError where the file may not end here
   */
  finish(): Steps<Uint8Array | Pause> {
    this.#queue = [this.#gatherer.take()]
    this.#inputEnded = true
    return this.#outputs
  }

  destroy(): void {
    this.#destroyed = true
    this.#engine?.destroy()
  }

  #next(): Step<Uint8Array | Pause> | Promise<Step<Uint8Array | Pause>> {
    while (this.#blockOutputs || this.#begin()) {
      if (this.#isPauseDue) return this.#yielded(PAUSED)
      const step = this.#blockOutputs?.next()
      if (step === undefined) continue
      if (isPromise(step)) return step.then(settled => this.#frameStep(settled) ?? this.#next())
      const output = this.#frameStep(step)
      if (output) return output
    }
    return DONE
  }

  get #isPauseDue(): boolean {
    return this.#parts * PART_BYTES + this.#members.byteOffset - this.#yieldedAt > MAX_PIECE_BYTES
  }

  #yielded<S>(step: S): S {
    this.#parts = 0
    this.#yieldedAt = this.#members.byteOffset
    return step
  }

  /** Begins the next block, or the end of input. Returns false where nothing is left. */
  #begin(): boolean {
    if (this.#destroyed) return false
    const block = this.#queue.shift()
    if (block) this.#beginBlock(block)
    return block !== undefined || (this.#inputEnded && this.#finish())
  }

  #beginBlock(block: Uint8Array): void {
    const piece = block.subarray(0, MAX_PIECE_BYTES)
    this.#parts++
    const engine = this.#members.inData && piece.length > 0 ? this.#engineFor(piece) : undefined
    const rest = block.subarray(engine ? piece.length : this.#members.read(piece))
    if (rest.length > 0) this.#queue.unshift(rest)
    if (engine) this.#blockOutputs = engine.inflate(piece)
  }

  /**
   * Ends the engine, then the framing. An engine may find out only now that its data ended long
   * ago: then the rest of its input goes to the framing, and the next member may need another
   * engine.
   */
  #finish(): boolean {
    if (this.#engine && !this.#engine.ended && !this.#engineFinishes) {
      this.#engineFinishes = true
      this.#blockOutputs = this.#engine.finish()
      return true
    }
    this.#members.end()
    return false
  }

  #engineFor(block: Uint8Array): InflateEngine {
    if (!this.#engine || this.#engine.ended)
      this.#engine = this.#nextEngine(this.#members.byteOffset)
    if (!this.#engine.takeRest) this.#pushBack.add(block)
    return this.#engine
  }

  #nextEngine(startOffset: number): InflateEngine {
    this.#engineFinishes = false
    if (this.#members.mayReuseEngine && this.#engine?.restart?.(startOffset)) return this.#engine
    this.#engine?.destroy()
    return this.#newEngine(startOffset)
  }

  /** Returns the step if it is an output. Otherwise the block is used up. */
  #frameStep(step: Step<Uint8Array | Pause>): Step<Uint8Array | Pause> | undefined {
    const engine = this.#engine
    if (!engine) return undefined
    if (step.done) {
      this.#blockOutputs = undefined
      this.#reportUsed(engine)
      return undefined
    }
    if (step.value !== PAUSE) this.#members.countOutput(step.value, engine.usedBytes, engine.crc)
    return this.#yielded(step)
  }

  /**
   * Tells the framing how much data the engine has used. Input after the end of the data goes back
   * to the queue.
   */
  #reportUsed(engine: InflateEngine): void {
    const { usedBytes, ended } = engine
    this.#members.dataUsed(usedBytes, ended)
    if (!ended) this.#pushBack.used(usedBytes)
    else this.#queue.unshift(...(engine.takeRest?.() ?? this.#pushBack.takeRest(usedBytes)))
  }
}

export interface GzipInflationOptions extends InflationOptions {
  readonly limits: GzipLimits
  /** Returns the name of the file, where it has one. */
  readonly label?: () => string | undefined
}

/** The inflation of a gzip file, which says what another file is. */
export class GzipInflation extends Inflation {
  readonly #members: GzipMembers
  readonly #label: GzipInflationOptions['label']
  /** The first bytes of a file that is no gzip file, which say what it is. */
  #other: Uint8Array | undefined

  constructor({ limits, label, ...options }: GzipInflationOptions) {
    const members = new GzipMembers(limits)
    super(members, options)
    this.#members = members
    this.#label = label
  }

  /** What the framing says, as far as it was read. */
  get facts(): GzipFacts {
    return this.#members.facts
  }

  override inflate(block: Uint8Array): Steps<Uint8Array | Pause> | undefined {
    const before = this.#other ?? GZIP_SIGNATURE.subarray(0, this.#members.byteOffset)
    if (this.#other || contradictsSignature(before.length, block, GZIP_SIGNATURE)) {
      this.#other = Buffer.concat([before, block.subarray(0, START_BYTES)])
      return this.#refuseOther(false)
    }
    return super.inflate(block)
  }

  /** @throws FeedError GZIP_EMPTY, GZIP_TRUNCATED, GZIP_HEADER_INVALID */
  override finish(): Steps<Uint8Array | Pause> {
    this.#refuseOther(true)
    return super.finish()
  }

  #refuseOther(isWhole: boolean): undefined {
    const error = this.#other && notGzip(this.#other, this.#label?.(), isWhole)
    if (error !== undefined) throw error
  }
}

/** Replaces lent outputs by copies that the reader may keep. */
export function ownedOutputs(
  outputs: Steps<Uint8Array | Pause> | undefined,
): Steps<Uint8Array | Pause> | undefined {
  if (outputs === undefined) return undefined
  return new Steps(() => {
    const step = outputs.next()
    return isPromise(step) ? step.then(owned) : owned(step)
  })
}

function owned(step: Step<Uint8Array | Pause>): Step<Uint8Array | Pause> {
  if (step.done || step.value === PAUSE || !loanOf(step.value)) return step
  return { done: false, value: copyBytes(step.value) }
}
