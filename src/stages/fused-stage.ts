// Two stages in one: what the first gives goes into the second's machine within one step, without a copy and a queue between them.
// The builder puts it in place of two neighbours that offer it (`Stage.fuseWith`). Items, errors and counters are those of the two.

import type { LentMemory } from '../codec/wasm-module'
import { asFeedError } from '../errors'
import { byteLengthOf, rowCountOf, type StageCounters } from './counters'
import type { Inflation } from './inflation'
import { Stage } from './stage'

/** A synchronous machine over bytes. It has copied what it keeps of a block when its sequence is used up. */
export interface ByteMachine<Out> {
  /** @param lent where the bytes lie, if they are lent until the sequence is used up */
  push(bytes: Uint8Array, lent?: LentMemory): Iterable<Out>
  /** The end of the bytes. */
  end(): Iterable<Out>
  destroy(): void
}

/** What the first of the two does. */
export interface ByteSource {
  readonly counters: StageCounters
  readonly inflation: Inflation
  /** What is left at the end of input. */
  finish(): AsyncIterator<Uint8Array, void> | undefined
}

/** What the second of the two does. */
export interface ByteSink<Out> {
  readonly counters: StageCounters
  readonly byteMachine: ByteMachine<Out>
}

export class FusedStage<Out> extends Stage<Uint8Array, Out> {
  readonly #first: ByteSource
  readonly #second: ByteSink<Out>

  constructor(name: string, first: ByteSource, second: ByteSink<Out>) {
    super(name)
    this.#first = first
    this.#second = second
    restsAs(this.counters, first.counters, second.counters)
  }

  protected override transform(block: Uint8Array): AsyncIterable<Out> | undefined {
    const { counters } = this.#first
    counters.itemsIn++
    counters.bytesIn += block.length
    const outputs = blamed(counters, () => this.#first.inflation.inflate(block))
    return outputs && this.#through(outputs)
  }

  protected override async *flush(): AsyncGenerator<Out, void, void> {
    const outputs = this.#first.finish()
    if (outputs) yield* this.#through(outputs)
    yield* this.#counted(this.#second.byteMachine.end())
  }

  protected override release(): void {
    this.#first.inflation.destroy()
    this.#second.byteMachine.destroy()
  }

  async *#through(outputs: AsyncIterator<Uint8Array, void>): AsyncGenerator<Out, void, void> {
    const { counters } = this.#first
    const after = this.#second.counters
    for (;;) {
      const startedAt = performance.now()
      const step = await outputs.next().catch((error: unknown) => {
        throw asFeedError(error, counters.stage)
      })
      counters.busyMs += performance.now() - startedAt
      if (step.done) return
      counters.itemsOut++
      after.itemsIn++
      counters.bytesOut += step.value.length
      after.bytesIn += step.value.length
      yield* this.#counted(this.#second.byteMachine.push(step.value, this.#first.inflation.lent))
    }
  }

  *#counted(outputs: Iterable<Out>): Generator<Out, void, void> {
    const { counters } = this.#second
    const cursor = outputs[Symbol.iterator]()
    for (;;) {
      const startedAt = performance.now()
      const step = blamed(counters, () => cursor.next())
      counters.busyMs += performance.now() - startedAt
      if (step.done) return
      counters.itemsOut++
      counters.bytesOut += byteLengthOf(step.value)
      counters.rowsOut += rowCountOf(step.value)
      yield step.value
    }
  }
}

/** What goes wrong is the failure of the one of the two that did it. */
function blamed<T>({ stage }: StageCounters, work: () => T): T {
  try {
    return work()
  } catch (error) {
    throw asFeedError(error, stage)
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
