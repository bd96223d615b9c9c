// The engine with a worker, for streams of any size: the worker inflates everything but the first
// byte.

import { setMaxInflateWorkers } from '../../../src/engine/stages/inflate-worker-limit'
import { ParallelInflate } from '../../../src/engine/stages/parallel-inflate'

// The engine waits for its worker, however many engines there are.
setMaxInflateWorkers(1000)

export class OverlappedInflate extends ParallelInflate {
  #isFirst = true

  constructor(startOffset: number) {
    super(startOffset, 1)
  }

  override async *inflate(block: Uint8Array): AsyncGenerator<Uint8Array, void, void> {
    const firstBytes = this.#isFirst ? 1 : 0
    this.#isFirst &&= block.length === 0
    yield* super.inflate(block.subarray(0, firstBytes))
    while (!this.#isFirst && !this.control.isReady)
      await new Promise(resolve => setTimeout(resolve, 1))
    yield* super.inflate(block.subarray(firstBytes))
  }
}
