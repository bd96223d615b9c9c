// Two stages in one: what the first gives goes into the second's machine within one step, without a copy and a queue between them.
// The builder puts it in place of two neighbours that offer it (`Stage.fuseWith`). Items, errors and counters are those of the two.

import { byteBlock } from '../codec/byte-block'
import { DONE, isPromise, PAUSE, PAUSED, type Pause, type Step, Steps } from '../codec/steps'
import type { LentMemory } from '../codec/wasm-module'
import { asFeedError } from '../errors'
import { byteLengthOf, rowCountOf, type StageCounters } from './counters'
import type { Inflation } from './inflation'
import { Stage } from './stage'

/** A synchronous machine over bytes. It has copied what it keeps of a block when its sequence is used up. */
export interface ByteMachine<Out> {
  /** @param lent where the bytes lie, if they are lent until the sequence is used up */
  push(bytes: Uint8Array, lent?: LentMemory): Iterable<Out | Pause>
  /** The end of the bytes. */
  end(): Iterable<Out | Pause>
  destroy(): void
}

/** What the first of the two does. */
export interface ByteSource {
  readonly counters: StageCounters
  readonly inflation: Inflation
  /** As in `CopyingStage`. */
  readonly copiesInputs: boolean
  /** What is left at the end of input. */
  finish(): Steps<Uint8Array | Pause> | undefined
}

/** What the second of the two does. */
export interface ByteSink<Out> {
  readonly counters: StageCounters
  readonly byteMachine: ByteMachine<Out>
}

export class FusedStage<Out> extends Stage<Uint8Array, Out> {
  readonly #first: ByteSource
  readonly #second: ByteSink<Out>
  readonly #outputs = new Steps<Out | Pause>(() => this.#next())
  /** What the first gives, and what the second makes of one block of that. */
  #blocks: Steps<Uint8Array | Pause> | undefined
  #rows: Iterator<Out | Pause> | undefined
  #ending = false

  constructor(name: string, first: ByteSource, second: ByteSink<Out>) {
    super(name)
    this.#first = first
    this.#second = second
    restsAs(this.counters, first.counters, second.counters)
  }

  /** @internal */
  get copiesInputs(): boolean {
    return this.#first.copiesInputs
  }

  protected override transform(block: Uint8Array): Steps<Out | Pause> | undefined {
    const { counters, inflation } = this.#first
    counters.itemsIn++
    try {
      counters.bytesIn += byteBlock(counters.stage, block).length
      this.#blocks = inflation.inflate(block)
    } catch (error) {
      throw asFeedError(error, counters.stage)
    }
    return this.#blocks && this.#outputs
  }

  protected override flush(): Steps<Out | Pause> {
    this.#blocks = this.#first.finish()
    this.#ending = true
    return this.#outputs
  }

  protected override release(): void {
    this.#blocks = undefined
    this.#rows = undefined
    this.#ending = false
    this.#first.inflation.destroy()
    this.#second.byteMachine.destroy()
  }

  #next(): Step<Out | Pause> | Promise<Step<Out | Pause>> {
    for (;;) {
      if (this.#rows) {
        const output = this.#nextOutput(this.#rows)
        if (!output.done) return output
        this.#rows = undefined
        // Blocks without rows would follow each other here and never give an output.
        return PAUSED
      }
      if (this.#blocks) {
        const startedAt = performance.now()
        const block = this.#nextBlock(this.#blocks)
        if (isPromise(block)) return this.#whenThere(block, startedAt)
        this.#take(block, startedAt)
        if (block.value === PAUSE) return PAUSED
      } else if (this.#ending) {
        this.#ending = false
        this.#begin(() => this.#second.byteMachine.end())
      } else return DONE
    }
  }

  #nextBlock(blocks: Steps<Uint8Array | Pause>): Step<Uint8Array | Pause> | Promise<Step<Uint8Array | Pause>> {
    try {
      return blocks.next()
    } catch (error) {
      throw asFeedError(error, this.#first.counters.stage)
    }
  }

  async #whenThere(block: Promise<Step<Uint8Array | Pause>>, startedAt: number): Promise<Step<Out | Pause>> {
    const step = await block.catch((error: unknown) => {
      throw asFeedError(error, this.#first.counters.stage)
    })
    if (this.#blocks) this.#take(step, startedAt)
    return this.#rows || !this.#blocks ? this.#next() : PAUSED
  }

  /** What the first has made goes into the second's machine. */
  #take(step: Step<Uint8Array | Pause>, startedAt: number): void {
    const { counters, inflation } = this.#first
    counters.busyMs += performance.now() - startedAt
    if (step.done) {
      this.#blocks = undefined
      return
    }
    const { value } = step
    if (value === PAUSE) return
    const after = this.#second.counters
    counters.itemsOut++
    after.itemsIn++
    counters.bytesOut += value.length
    after.bytesIn += value.length
    this.#begin(() => this.#second.byteMachine.push(value, inflation.lent))
  }

  #begin(rows: () => Iterable<Out | Pause>): void {
    try {
      this.#rows = rows()[Symbol.iterator]()
    } catch (error) {
      throw asFeedError(error, this.#second.counters.stage)
    }
  }

  #nextOutput(rows: Iterator<Out | Pause>): IteratorResult<Out | Pause> {
    const { counters } = this.#second
    const startedAt = performance.now()
    let step: IteratorResult<Out | Pause>
    try {
      step = rows.next()
    } catch (error) {
      throw asFeedError(error, counters.stage)
    }
    counters.busyMs += performance.now() - startedAt
    if (!step.done && step.value !== PAUSE) {
      counters.itemsOut++
      counters.bytesOut += byteLengthOf(step.value)
      counters.rowsOut += rowCountOf(step.value)
    }
    return step
  }
}

/** The stage that is both waits for the first one's input, and is held back by the second one's reader. */
function restsAs(own: StageCounters, first: StageCounters, second: StageCounters): void {
  for (const [time, counters] of [
    ['waitMs', first],
    ['blockedMs', second],
  ] as const) {
    Object.defineProperty(own, time, {
      get: () => counters[time],
      set: (ms: number) => {
        counters[time] = ms
      },
      enumerable: true,
    })
  }
}
