// A gzip file being inflated: drives the framing (codec/gzip/members.ts) and an inflate engine a member over blocks of input.
// It owns the engine's life and what lies between the two; what becomes of the outputs is its stage's.

import { HandedInput } from '../codec/gzip/handed-input'
import type { InflateEngine, InflateOutputs, NewInflateEngine } from '../codec/gzip/inflate-engine'
import { InputGatherer } from '../codec/gzip/input-gatherer'
import type { GzipLimits } from '../codec/gzip/limits'
import { GzipMembers } from '../codec/gzip/members'
import { DONE, isPromise, type Step, Steps } from '../codec/steps'
import type { LentMemory } from '../codec/wasm-module'

export class Inflation {
  readonly #members: GzipMembers
  readonly #newEngine: NewInflateEngine
  readonly #gatherer = new InputGatherer()
  readonly #outputs = new Steps(() => this.#next())
  /** Of the current member, from its first byte of data on. */
  #engine: InflateEngine | undefined
  /** Of the block that the engine has. */
  #ofBlock: InflateOutputs | undefined
  #handed = new HandedInput()
  /** Blocks that were not begun. What is done with is not in it: while outputs are waited for, nothing is held in vain. */
  #queue: Uint8Array[] = []
  #inputEnded = false
  /** The engine was told that no more input comes. */
  #engineFinishes = false
  #destroyed = false

  constructor(limits: GzipLimits, newEngine: NewInflateEngine) {
    this.#members = new GzipMembers(limits)
    this.#newEngine = newEngine
  }

  /** Where the output that was given last lies, if it is lent until the next one is asked for. */
  get lent(): LentMemory | undefined {
    return this.#engine?.lent
  }

  /** The outputs of a block, to be used up before the next call; undefined while input is gathered. */
  inflate(block: Uint8Array): Steps<Uint8Array> | undefined {
    const framingBytes = this.#gatherer.isEmpty ? this.#members.read(block) : 0
    const ready = this.#gatherer.add(block.subarray(framingBytes))
    if (ready.length === 0) return undefined
    this.#queue = ready
    return this.#outputs
  }

  /** The outputs of the end of input. @throws GZIP_EMPTY, GZIP_TRUNCATED */
  finish(): Steps<Uint8Array> {
    this.#queue = [this.#gatherer.take()]
    this.#inputEnded = true
    return this.#outputs
  }

  destroy(): void {
    this.#destroyed = true
    this.#engine?.destroy()
  }

  #next(): Step<Uint8Array> | Promise<Step<Uint8Array>> {
    while (this.#ofBlock || this.#begin()) {
      const step = this.#ofBlock?.next() ?? DONE
      if (isPromise(step)) return step.then(settled => this.#accept(settled) ?? this.#next())
      const output = this.#accept(step)
      if (output) return output
    }
    return DONE
  }

  /** The next block, or what is left to do. False: nothing. */
  #begin(): boolean {
    if (this.#destroyed) return false
    const block = this.#queue.shift()
    if (block) this.#beginBlock(block)
    return block !== undefined || (this.#inputEnded && this.#finish())
  }

  #beginBlock(block: Uint8Array): void {
    const engine = this.#members.inData && block.length > 0 ? this.#engineFor(block) : undefined
    if (engine) this.#ofBlock = engine.inflate(block)
    else {
      const rest = block.subarray(this.#members.read(block))
      if (rest.length > 0) this.#queue.unshift(rest)
    }
  }

  /** What an engine finds out only now may be that the next member began long ago: then there is a rest, and an engine for that. */
  #finish(): boolean {
    if (this.#engine && !this.#engineFinishes) {
      this.#engineFinishes = true
      this.#ofBlock = this.#engine.finish()
      return true
    }
    this.#members.end()
    return false
  }

  #engineFor(block: Uint8Array): InflateEngine {
    const engine = (this.#engine ??= this.#newEngine(this.#members.byteOffset))
    if (!engine.takeRest) this.#handed.add(block)
    return engine
  }

  /** The step if it is an output. Otherwise the block is used up. */
  #accept(step: Step<Uint8Array>): Step<Uint8Array> | undefined {
    const engine = this.#engine
    if (!engine) return undefined
    if (step.done) {
      this.#ofBlock = undefined
      this.#settle(engine)
      return undefined
    }
    this.#members.output(step.value, engine.usedBytes, engine.crc)
    return step
  }

  /** Tells the framing how far the data is; what lies behind its end comes next. */
  #settle(engine: InflateEngine): void {
    const { usedBytes, ended } = engine
    this.#members.data(usedBytes, ended)
    if (!ended) this.#handed.used(usedBytes)
    else {
      this.#queue.unshift(...(engine.takeRest?.() ?? this.#handed.takeRest(usedBytes)))
      engine.destroy()
      this.#engine = undefined
      this.#engineFinishes = false
    }
  }
}
