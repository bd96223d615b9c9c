// The WebAssembly engine with a worker. A file begins on the caller's thread. Once a member proves
// large, a worker continues in the same memory from the next block on, ahead of the reader. Nothing
// waits while the worker starts, and where no worker can be had, the caller's thread does all the
// work. This file owns the life of the worker. InflateCore decodes, and inflate-control.ts does the
// bookkeeping between the two threads. The file is one piece because one position moves from this
// thread to the other.

import { Worker } from 'node:worker_threads'
import { INPUT_OVER, InflateControl, type OutputRecord } from '../codec/gzip/inflate-control'
import {
  ENDED,
  giveBackInflateMemory,
  type InflateCore,
  type InflateMemory,
  takeInflateMemory,
} from '../codec/gzip/inflate-core'
import {
  dataInvalid,
  type InflateEngine,
  type InflateOutputs,
  type NewInflateEngine,
} from '../codec/gzip/inflate-engine'
import { faultOffsetOf, WasmInflate } from '../codec/gzip/wasm-inflate'
import { lend } from '../codec/loan'
import { DONE, type Step, Steps } from '../core/steps'
import { FeedError } from '../errors'
import type { InflateWorkerData } from '../worker/inflate-worker'
import { beginInflateWorker, endInflateWorker, tellOfInflateWorker } from './inflate-worker-limit'
import { INFLATE_WORKER } from './inflate-worker-source'

/**
 * Compressed bytes of a member after which a worker is started. They are about 5 MB of a feed,
 * which this thread inflates in the time that a worker needs to start.
 */
export const WORKER_FROM_BYTES = 512 * 1024

/**
 * Compressed bytes that must follow in a file whose size is known, so that a worker saves more time
 * than starting it takes from the reader.
 */
export const WORKER_FOR_BYTES = 12 * 1024 * 1024

/** The size of the compressed file, or undefined as long as it is not known. */
export type FileBytes = () => number | undefined

const NOTHING = new Uint8Array()

type Outcome = NonNullable<InflateControl['outcome']>

/** Limits of the worker's heap, in MB. The data that it works on lies outside the heap. */
const RESOURCE_LIMITS = { maxOldGenerationSizeMb: 16, maxYoungGenerationSizeMb: 2, stackSizeMb: 1 }

export function parallelEngine(fileBytes: FileBytes): NewInflateEngine {
  giveBackInflateMemory(takeInflateMemory(true))
  return startOffset => new ParallelInflate(startOffset, WORKER_FROM_BYTES, fileBytes)
}

export class ParallelInflate implements InflateEngine {
  #startOffset: number
  readonly #workerFromBytes: number
  readonly #fileBytes: FileBytes
  /** The bookkeeping that both threads share. */
  readonly control = new InflateControl()
  /** The engine on this thread, until the worker takes over. */
  #inline: WasmInflate | undefined
  #memory: InflateMemory | undefined
  #worker: Worker | undefined
  #destroyed = false
  #exited = false
  #workerFailure: unknown
  #wake = () => {}
  readonly #outputs = new Steps(() => this.#next())
  #inputEnded = false
  /** True after the worker was told that the input ended. */
  #workerKnowsEnd = false
  /** True while an output is lent and not released. */
  #isLent = false
  readonly #hasChanged = () =>
    this.#canFill || this.control.output !== undefined || this.control.outcome !== undefined
  /**
   * Bytes of input that were used before the worker took over; before that, those used before the
   * current block. `#filledBytes` counts the bytes that were put into the worker's slots since
   * then.
   */
  #usedBefore = 0
  #filledBytes = 0
  /**
   * The part of the last block that was not put into slots; before the worker has taken over, all
   * of it.
   */
  #restOfBlock: Uint8Array = NOTHING
  #usedBytes = 0
  #ended = false
  #crc = 0

  /** @param workerFromBytes compressed bytes after which a worker is started */
  constructor(
    startOffset: number,
    workerFromBytes = WORKER_FROM_BYTES,
    fileBytes: FileBytes = () => undefined,
  ) {
    this.#startOffset = startOffset
    this.#workerFromBytes = workerFromBytes
    this.#fileBytes = fileBytes
    this.#inline = new WasmInflate(startOffset, true)
  }

  get usedBytes(): number {
    return this.#inline?.usedBytes ?? this.#usedBytes
  }

  get ended(): boolean {
    return this.#inline?.ended ?? this.#ended
  }

  get crc(): number {
    return this.#inline?.crc ?? this.#crc
  }

  inflate(block: Uint8Array): InflateOutputs {
    this.#restOfBlock = block
    const inline = this.#inline
    if (!inline || this.#takesOver(inline)) return this.#outputs
    this.#usedBefore = inline.usedBytes
    const outputs = inline.inflate(block)
    return new Steps(() => {
      const step = outputs.next()
      if (step.done) this.#beginWorker(inline)
      return step
    })
  }

  takeRest(): Uint8Array[] {
    if (this.#inline) return [this.#restOfBlock.subarray(this.#inline.usedBytes - this.#usedBefore)]
    const slots = this.#memory ? this.#restOfSlots(this.#memory.core) : []
    return [...slots, this.#restOfBlock]
  }

  finish(): InflateOutputs {
    this.#inputEnded = true
    return this.#inline?.finish() ?? this.#outputs
  }

  /**
   * Restarts the engine only before the worker has taken over. A worker that was started already
   * may take over in a later member.
   */
  restart(startOffset: number): boolean {
    if (!this.#inline?.restart(startOffset)) return false
    this.#startOffset = startOffset
    this.#inputEnded = false
    return true
  }

  destroy(): void {
    if (this.#destroyed) return
    this.#destroyed = true
    this.#inline?.destroy()
    this.control.stop()
    this.#worker?.terminate()
    // A worker that has reported its outcome does not touch the memory any more, but needs time to
    // end.
    if (this.#exited || this.control.outcome !== undefined) this.#giveBack()
    this.#wake()
  }

  /**
   * Keeps the worker's input full first, and gives outputs in between. It waits only where it can
   * do neither. Where the worker has room for another block, the sequence ends although outputs
   * remain; they come with the next block, so that the worker has work while the block is fetched.
   */
  #next(): Step<Uint8Array> | Promise<Step<Uint8Array>> {
    this.#releaseLent()
    while (!this.#destroyed && this.#feed() && !this.#takeOutcome() && this.#wantsOutput) {
      const { output } = this.control
      if (output) return { done: false, value: this.#lend(output) }
      const change = this.#change()
      if (change) return change.then(() => this.#next())
    }
    return DONE
  }

  /**
   * Gives the worker its input. Returns false where the data has ended and no output can follow.
   */
  #feed(): boolean {
    if (this.#inputEnded) return this.#tellEnd()
    if (this.#restOfBlock.length > 0) this.#fill()
    return true
  }

  #tellEnd(): boolean {
    if (!this.#workerKnowsEnd && !this.#ended) this.control.finish()
    this.#workerKnowsEnd = true
    return !this.#ended
  }

  get #wantsOutput(): boolean {
    return this.#inputEnded || this.#restOfBlock.length > 0 || !this.#hasRoom
  }

  /**
   * True while the worker has at most a quarter of its input slots left to read, which is enough
   * for the time that fetching a block takes.
   */
  get #hasRoom(): boolean {
    const { inputSlots } = this.#memory!.core
    return this.control.freeSlots(inputSlots) * 4 >= inputSlots * 3
  }

  get #canFill(): boolean {
    if (this.#inputEnded) return false
    return this.#restOfBlock.length > 0 ? this.#freeSlot !== undefined : this.#hasRoom
  }

  get #freeSlot(): number | undefined {
    return this.control.freeSlot(this.#memory!.core.inputSlots)
  }

  /** Puts as much of the block into slots as they hold. */
  #fill(): void {
    const { core } = this.#memory!
    for (
      let slot = this.#freeSlot;
      slot !== undefined && this.#restOfBlock.length > 0;
      slot = this.#freeSlot
    ) {
      if (this.control.outcome !== undefined) return
      const piece = this.#restOfBlock.subarray(0, core.inputBytes)
      core.fillInput(slot, piece)
      this.control.slotFilled(slot, piece.length)
      this.#filledBytes += piece.length
      this.#restOfBlock =
        piece.length === this.#restOfBlock.length
          ? NOTHING
          : this.#restOfBlock.subarray(piece.length)
    }
  }

  /**
   * Returns copies of the slots that the worker did not read, and of the unread end of the slot
   * that it was in. They are copies because another engine may get the memory soon.
   */
  #restOfSlots(core: InflateCore): Uint8Array[] {
    let left = this.#usedBefore + this.#filledBytes - this.#usedBytes
    const rest: Uint8Array[] = []
    for (const { slot, bytes } of this.control.untaken(core.inputSlots).reverse()) {
      rest.unshift(core.inputTail(slot, bytes, Math.min(bytes, left)))
      left -= Math.min(bytes, left)
    }
    return rest
  }

  #lend({ from, end, historyBytes, crc, usedBytes }: OutputRecord): Uint8Array {
    this.#usedBytes = this.#usedBefore + usedBytes
    this.#crc = crc
    this.#isLent = true
    const { core, memory } = this.#memory!
    return lend(core.output(from, end), { memory, freeFrom: core.freeFrom, historyBytes })
  }

  #releaseLent(): void {
    if (this.#isLent) this.control.releaseOutput()
    this.#isLent = false
  }

  /**
   * Returns true once all outputs were given and the outcome is known.
   * @throws FeedError GZIP_DATA_INVALID
   */
  #takeOutcome(): boolean {
    const { outcome } = this.control
    if (outcome === undefined || this.control.output) return false
    this.#conclude(outcome)
    return true
  }

  #conclude(outcome: Outcome): void {
    this.#usedBytes = this.#usedBefore + outcome.usedBytes
    if (outcome.result === ENDED) {
      this.#usedBytes -= outcome.unusedBits >> 3
      this.#ended = true
    } else if (outcome.result !== INPUT_OVER) {
      const reason = this.#memory!.core.faultOf(outcome.result) ?? 'invalid'
      throw dataInvalid(
        faultOffsetOf(this.#startOffset + this.#usedBytes, outcome.unusedBits),
        reason,
      )
    }
  }

  /**
   * Returns a promise of a change by the worker, or undefined where there is one already.
   * @throws the failure of the worker itself
   */
  #change(): Promise<void> | undefined {
    if (this.#workerFailure !== undefined) throw this.#workerFailed(this.#workerFailure)
    return this.control.hostWaits(this.#hasChanged) ? this.#untilWoken() : undefined
  }

  async #untilWoken(): Promise<void> {
    // The worker keeps the process alive only now, while a reader waits for it.
    this.#worker?.ref()
    await new Promise<void>(resolve => {
      this.#wake = resolve
    })
    this.#worker?.unref()
    if (this.#workerFailure !== undefined) throw this.#workerFailed(this.#workerFailure)
  }

  /** Starts a worker where the member has proved large, and one can be had. */
  #beginWorker(inline: WasmInflate): void {
    const { ended, usedBytes } = inline
    const restBytes = (this.#fileBytes() ?? Infinity) - this.#startOffset - usedBytes
    const isDue = !ended && usedBytes >= this.#workerFromBytes && restBytes >= WORKER_FOR_BYTES
    const mayStart = !this.#worker && this.#workerFailure === undefined && !this.#destroyed
    if (isDue && mayStart && beginInflateWorker()) this.#startWorker(inline)
  }

  #startWorker(inline: WasmInflate): void {
    const { module, memory } = inline.memory!
    const workerData: InflateWorkerData = { module, memory, control: this.control.shared }
    try {
      // The worker gets no flags of the process: they may load modules that it does not need.
      const worker = new Worker(INFLATE_WORKER, {
        eval: true,
        workerData,
        execArgv: [],
        env: {},
        resourceLimits: RESOURCE_LIMITS,
      })
      this.#worker = worker
      tellOfInflateWorker('started')
      worker.on('message', () => this.#wake())
      worker.on('error', error => this.#workerFails(error))
      worker.on('exit', code => {
        this.#exited = true
        endInflateWorker()
        const failed = this.control.outcome === undefined
        tellOfInflateWorker('ended', failed && !this.#destroyed)
        if (failed) this.#workerFails(`exit code ${code}`)
        if (this.#destroyed) this.#giveBack()
      })
      // This comes after the listeners, because a listener for messages keeps the process alive
      // again.
      worker.unref()
    } catch (error) {
      // The system has no thread left: this thread does all the work.
      endInflateWorker()
      this.#workerFailure = error
    }
  }

  #workerFails(failure: unknown): void {
    this.#workerFailure ??= failure
    this.#wake()
  }

  /** Gives the memory back once no other thread and no reader uses it. */
  #giveBack(): void {
    if (this.#memory) giveBackInflateMemory(this.#memory)
    this.#memory = undefined
  }

  /**
   * Lets the worker take over between two blocks. Returns false where no worker is ready.
   */
  #takesOver(inline: WasmInflate): boolean {
    if (!this.#worker || !this.control.isReady || this.#workerFailure !== undefined || inline.ended)
      return false
    this.#usedBefore = inline.usedBytes
    this.#usedBytes = inline.usedBytes
    this.#crc = inline.crc
    this.control.takeOver(inline.crc)
    this.#memory = inline.handOver()
    this.#inline = undefined
    return true
  }

  #workerFailed(cause: unknown): FeedError {
    return new FeedError(
      'STAGE_FAILED',
      'the inflate worker failed: read the file again, or set the option worker to false',
      { stage: 'Gunzip' },
      { cause },
    )
  }
}
