// A gzip file being inflated: drives the framing (codec/gzip/members.ts) and an inflate engine a member over blocks of input.
// It owns the engine's life and what lies between the two; what becomes of the outputs is its stage's.

import { HandedInput } from '../codec/gzip/handed-input'
import type { InflateEngine, NewInflateEngine } from '../codec/gzip/inflate-engine'
import { InputGatherer } from '../codec/gzip/input-gatherer'
import type { GzipLimits } from '../codec/gzip/limits'
import { GzipMembers } from '../codec/gzip/members'
import type { LentMemory } from '../codec/wasm-module'

export class Inflation {
  readonly #members: GzipMembers
  readonly #newEngine: NewInflateEngine
  readonly #gatherer = new InputGatherer()
  /** Of the current member, from its first byte of data on. */
  #engine: InflateEngine | undefined
  #handed = new HandedInput()

  constructor(limits: GzipLimits, newEngine: NewInflateEngine) {
    this.#members = new GzipMembers(limits)
    this.#newEngine = newEngine
  }

  /** Where the output that was given last lies, if it is lent until the next one is asked for. */
  get lent(): LentMemory | undefined {
    return this.#engine?.lent
  }

  /** The outputs of a block; undefined while input is gathered. */
  inflate(block: Uint8Array): AsyncGenerator<Uint8Array, void, void> | undefined {
    const framingBytes = this.#gatherer.isEmpty ? this.#members.read(block) : 0
    const ready = this.#gatherer.add(block.subarray(framingBytes))
    return ready.length > 0 ? this.#read(ready) : undefined
  }

  /** The outputs of the end of input. @throws GZIP_EMPTY, GZIP_TRUNCATED */
  async *finish(): AsyncGenerator<Uint8Array, void, void> {
    yield* this.#read([this.#gatherer.take()])
    // What an engine finds out only now may be that the next member began long ago.
    while (this.#engine) {
      const engine = this.#engine
      yield* this.#outputsOf(engine.finish(), engine)
      const rest = this.#settle(engine)
      if (this.#engine) break
      yield* this.#read(rest)
    }
    this.#members.end()
  }

  destroy(): void {
    this.#engine?.destroy()
  }

  /** Reads the blocks of the queue, and takes them out: while outputs are waited for, none is held that is done with. */
  async *#read(queue: Uint8Array[]): AsyncGenerator<Uint8Array, void, void> {
    while (queue.length > 0) {
      const engine = this.#members.inData && queue[0]!.length > 0 ? this.#engineFor(queue[0]!) : undefined
      if (engine) {
        yield* this.#outputsOf(engine.inflate(queue.shift()!), engine)
        queue.unshift(...this.#settle(engine))
      } else {
        const block = queue.shift()!
        const rest = block.subarray(this.#members.read(block))
        if (rest.length > 0) queue.unshift(rest)
      }
    }
  }

  #engineFor(block: Uint8Array): InflateEngine {
    const engine = (this.#engine ??= this.#newEngine(this.#members.byteOffset))
    if (!engine.takeRest) this.#handed.add(block)
    return engine
  }

  async *#outputsOf(
    outputs: Iterable<Uint8Array> | AsyncIterable<Uint8Array>,
    engine: InflateEngine,
  ): AsyncGenerator<Uint8Array, void, void> {
    for await (const output of outputs) {
      this.#members.output(output, engine.usedBytes, engine.crc)
      yield output
    }
  }

  /** Tells the framing how far the data is. @returns what lies behind its end */
  #settle(engine: InflateEngine): Uint8Array[] {
    const { usedBytes, ended } = engine
    this.#members.data(usedBytes, ended)
    if (!ended) {
      this.#handed.used(usedBytes)
      return []
    }
    const rest = engine.takeRest?.() ?? this.#handed.takeRest(usedBytes)
    engine.destroy()
    this.#engine = undefined
    return rest
  }
}
