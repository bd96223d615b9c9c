// A gzip file being inflated: drives the framing (codec/gzip/members.ts) and an inflate engine a
// member over blocks of input. It owns the engine's life and what lies between the two; what
// becomes of the outputs is its stage's.

import { HandedInput } from '../codec/gzip/handed-input'
import type { InflateEngine, InflateOutputs, NewInflateEngine } from '../codec/gzip/inflate-engine'
import { InputGatherer } from '../codec/gzip/input-gatherer'
import type { GzipLimits } from '../codec/gzip/limits'
import { GzipMembers, type GzipMembersState } from '../codec/gzip/members'
import { DONE, isPromise, PAUSE, PAUSED, type Pause, type Step, Steps } from '../core/steps'

/** The most input that is worked on between two pauses, where it gives no output. */
const MAX_PIECE_BYTES = 1024 * 1024
/** A part of a member, such as a header, costs as much as so many bytes of input. */
const PART_BYTES = 4096

/** Where an inflation stands inside a member's data. */
export interface InflationState {
  readonly members: GzipMembersState
  /** The state of the engine. */
  readonly engine: Uint8Array
}

export interface InflationOptions {
  readonly limits: GzipLimits
  readonly newEngine: NewInflateEngine
  /** From this size on an input block is inflated as it is; smaller ones are gathered. */
  readonly largeBytes?: number | undefined
  /** Goes on from a saved state, which the engine was made with. */
  readonly resumed?:
    | { readonly members: GzipMembersState; readonly engine: InflateEngine }
    | undefined
}

export class Inflation {
  readonly #members: GzipMembers
  readonly #newEngine: NewInflateEngine
  readonly #gatherer: InputGatherer
  readonly #outputs = new Steps<Uint8Array | Pause>(() => this.#next())
  /**
   * The engine of the member whose data was read last. Once it has ended it waits for the next
   * member.
   */
  #engine: InflateEngine | undefined
  /** Of the block that the engine has. */
  #ofBlock: InflateOutputs | undefined
  readonly #handed: HandedInput
  /**
   * Blocks that were not begun. What is done with is not in it: while outputs are waited for,
   * nothing is held in vain.
   */
  #queue: Uint8Array[] = []
  /**
   * Since the last output or pause: parts of members that were begun, and where the input stood.
   */
  #parts = 0
  #restedAt = 0
  #inputEnded = false
  /** The engine was told that no more input comes. */
  #engineFinishes = false
  #destroyed = false

  constructor({ limits, newEngine, largeBytes, resumed }: InflationOptions) {
    this.#members = new GzipMembers(limits, resumed?.members)
    this.#newEngine = newEngine
    this.#gatherer = new InputGatherer(largeBytes)
    this.#engine = resumed?.engine
    this.#handed = new HandedInput(resumed?.engine.usedBytes)
    // The state may have been saved behind the last output of a member.
    if (resumed?.engine.ended) this.#settle(resumed.engine)
  }

  /**
   * The position behind the last output, from which another inflation can go on: its input begins at
   * `byteOffset + dataBytes` of the framing's state. Undefined where no state is worth keeping, and
   * with an engine whose state cannot be saved.
   */
  saveState(): InflationState | undefined {
    const members = this.#members.saveState()
    const engine = members && this.#engine?.saveState?.()
    return members && engine && { members, engine }
  }

  /**
   * The outputs of a block, to be used up before the next call; undefined while input is gathered.
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

  /** The outputs of the end of input. @throws GZIP_EMPTY, GZIP_TRUNCATED */
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
    while (this.#ofBlock || this.#begin()) {
      if (this.#isPauseDue) return this.#rested(PAUSED)
      const step = this.#ofBlock?.next()
      if (step === undefined) continue
      if (isPromise(step)) return step.then(settled => this.#accept(settled) ?? this.#next())
      const output = this.#accept(step)
      if (output) return output
    }
    return DONE
  }

  get #isPauseDue(): boolean {
    return this.#parts * PART_BYTES + this.#members.byteOffset - this.#restedAt > MAX_PIECE_BYTES
  }

  #rested<S>(step: S): S {
    this.#parts = 0
    this.#restedAt = this.#members.byteOffset
    return step
  }

  /** The next block, or what is left to do. False: nothing. */
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
    if (engine) this.#ofBlock = engine.inflate(piece)
  }

  /**
   * What an engine finds out only now may be that the next member began long ago: then there is a
   * rest, and an engine for that.
   */
  #finish(): boolean {
    if (this.#engine && !this.#engine.ended && !this.#engineFinishes) {
      this.#engineFinishes = true
      this.#ofBlock = this.#engine.finish()
      return true
    }
    this.#members.end()
    return false
  }

  #engineFor(block: Uint8Array): InflateEngine {
    if (!this.#engine || this.#engine.ended)
      this.#engine = this.#nextEngine(this.#members.byteOffset)
    if (!this.#engine.takeRest) this.#handed.add(block)
    return this.#engine
  }

  #nextEngine(startOffset: number): InflateEngine {
    this.#engineFinishes = false
    if (this.#engine?.restart?.(startOffset)) return this.#engine
    this.#engine?.destroy()
    return this.#newEngine(startOffset)
  }

  /** The step if it is an output. Otherwise the block is used up. */
  #accept(step: Step<Uint8Array | Pause>): Step<Uint8Array | Pause> | undefined {
    const engine = this.#engine
    if (!engine) return undefined
    if (step.done) {
      this.#ofBlock = undefined
      this.#settle(engine)
      return undefined
    }
    if (step.value !== PAUSE) this.#members.output(step.value, engine.usedBytes, engine.crc)
    return this.#rested(step)
  }

  /** Tells the framing how far the data is; what lies behind its end comes next. */
  #settle(engine: InflateEngine): void {
    const { usedBytes, ended } = engine
    this.#members.data(usedBytes, ended)
    if (!ended) this.#handed.used(usedBytes)
    else this.#queue.unshift(...(engine.takeRest?.() ?? this.#handed.takeRest(usedBytes)))
  }
}
