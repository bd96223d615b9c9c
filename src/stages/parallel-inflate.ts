// The WebAssembly engine with a worker: a file begins on the caller's thread, and once it proves
// large a worker goes on in the same memory, ahead of the reader. While the worker starts nothing
// waits for it. Where none can be had, the caller's thread does it all. It owns the worker's life;
// the decoding is the core's, the bookkeeping between the threads inflate-control.ts. It is one
// piece because one position goes from this thread to the other.

import { Worker } from 'node:worker_threads'
import { INPUT_OVER, InflateControl, type OutputRecord } from '../codec/gzip/inflate-control'
import { ENDED, type InflateCore } from '../codec/gzip/inflate-core'
import { dataInvalid, type InflateEngine, type InflateOutputs } from '../codec/gzip/inflate-engine'
import {
  giveBackInflateMemory,
  type InflateMemory,
  takeInflateMemory,
} from '../codec/gzip/inflate-memory'
import { faultOffsetOf, WasmInflate } from '../codec/gzip/wasm-inflate'
import { lend } from '../codec/loan'
import { DONE, type Step, Steps } from '../core/steps'
import { FeedError } from '../errors'
import type { InflateWorkerData } from '../worker/inflate-worker'
import { INFLATE_WORKER } from './inflate-worker-source'
import { beginInflateWorker, endInflateWorker } from './inflate-workers'

/**
 * Compressed bytes of a member after which a worker is started: about 5 MB of a feed, inflated in
 * the time that a worker needs to start.
 */
export const WORKER_FROM_BYTES = 512 * 1024

/** How often it is looked whether the worker can take over, in compressed bytes of a block. */
const LOOK_EVERY_BYTES = 256 * 1024

const NOTHING = new Uint8Array()

type Outcome = NonNullable<InflateControl['outcome']>

/** Of the worker's heap, in MB: what it works on lies outside. */
const RESOURCE_LIMITS = { maxOldGenerationSizeMb: 16, maxYoungGenerationSizeMb: 2, stackSizeMb: 1 }

export function parallelEngine(): (startOffset: number) => InflateEngine {
  giveBackInflateMemory(takeInflateMemory())
  return startOffset => new ParallelInflate(startOffset)
}

export class ParallelInflate implements InflateEngine {
  #startOffset: number
  readonly #workerFromBytes: number
  /** What the two threads tell each other. */
  readonly control = new InflateControl()
  /** On this thread, until the worker takes over. */
  #inline: WasmInflate | undefined
  #memory: InflateMemory | undefined
  #worker: Worker | undefined
  #destroyed = false
  #exited = false
  #failure: unknown
  #wake = () => {}
  readonly #outputs = new Steps(() => this.#next())
  /** Of the piece that is inflated on this thread. */
  #here: Iterator<Uint8Array, void> | undefined
  #inputEnded = false
  /** The worker knows that. */
  #isTold = false
  /** An output is lent, and not released. */
  #isLent = false
  readonly #isNews = () =>
    this.#canFill || this.control.output !== undefined || this.control.outcome !== undefined
  /**
   * Input used before the worker took over (until then, before the piece), and put into its slots
   * since then.
   */
  #usedBefore = 0
  #filledBytes = 0
  /**
   * Of the last block: what was not used or put into slots, or lies behind the end of the data.
   * Only this is held of it.
   */
  #restOfBlock: Uint8Array = NOTHING
  #usedBytes = 0
  #ended = false
  #crc = 0

  /** @param workerFromBytes compressed bytes after which a worker is started */
  constructor(startOffset: number, workerFromBytes = WORKER_FROM_BYTES) {
    this.#startOffset = startOffset
    this.#workerFromBytes = workerFromBytes
    this.#inline = new WasmInflate(startOffset)
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
    return this.#outputs
  }

  takeRest(): Uint8Array[] {
    const slots = this.#memory ? this.#restOfSlots(this.#memory.core) : []
    return [...slots, this.#restOfBlock]
  }

  finish(): InflateOutputs {
    this.#inputEnded = true
    return this.#outputs
  }

  /**
   * Where the worker has not taken over: it may have been started, and then takes over in a later
   * member.
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
    // A worker that has said what came of it does nothing more, and takes its time to end.
    if (this.#exited || this.control.outcome !== undefined) this.#giveBack()
    this.#wake()
  }

  #next(): Step<Uint8Array> | Promise<Step<Uint8Array>> {
    const step = this.#inline && this.#nextHere(this.#inline)
    return this.#inline && step ? step : this.#nextThere()
  }

  /**
   * The next output of this thread; none where the block is used up, or the worker has taken over.
   */
  #nextHere(inline: WasmInflate): Step<Uint8Array> {
    while (this.#here || this.#beginPiece(inline)) {
      const step = this.#here?.next() ?? DONE
      if (!step.done) return step
      this.#endPiece(inline)
    }
    return DONE
  }

  #beginPiece(inline: WasmInflate): boolean {
    if (this.#restOfBlock.length === 0 || inline.ended || this.#takesOver(inline)) return false
    this.#usedBefore = inline.usedBytes
    this.#here = inline.inflate(this.#restOfBlock.subarray(0, LOOK_EVERY_BYTES))
    return true
  }

  #endPiece(inline: WasmInflate): void {
    this.#here = undefined
    this.#restOfBlock = this.#restOfBlock.subarray(inline.usedBytes - this.#usedBefore)
    const isDue = !inline.ended && inline.usedBytes >= this.#workerFromBytes
    if (
      isDue &&
      !this.#worker &&
      this.#failure === undefined &&
      !this.#destroyed &&
      beginInflateWorker()
    )
      this.#startWorker(inline)
  }

  /**
   * Keeps the worker's input full first, and hands over outputs in between; waits only where it can
   * do neither. Outputs that are left once a next block would find room come with that one: while
   * it is fetched, the worker has work.
   */
  #nextThere(): Step<Uint8Array> | Promise<Step<Uint8Array>> {
    this.#releaseLent()
    while (!this.#destroyed && this.#feed() && !this.#settle() && this.#wantsOutput) {
      const { output } = this.control
      if (output) return { done: false, value: this.#lend(output) }
      const news = this.#news()
      if (news) return news.then(() => this.#next())
    }
    return DONE
  }

  /** Gives the worker what there is for it. False where nothing can come of it. */
  #feed(): boolean {
    if (this.#inputEnded) return this.#tellEnd()
    if (this.#restOfBlock.length > 0) this.#fill()
    return true
  }

  #tellEnd(): boolean {
    if (!this.#isTold && !this.#ended) this.control.finish()
    this.#isTold = true
    return !this.#ended
  }

  get #wantsOutput(): boolean {
    return this.#inputEnded || this.#restOfBlock.length > 0 || !this.#hasRoom
  }

  /**
   * Of the input that the worker has, a quarter is left: enough for the time that fetching a block
   * takes.
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

  /** Puts as much of the block into slots as they take. */
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
   * Copies, since the memory is another's soon: of the slots that the worker did not come to, and
   * of the end of the one that it was in.
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
   * True once all outputs were handed over and it is known what came of the data.
   * @throws GZIP_DATA_INVALID
   */
  #settle(): boolean {
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
   * A promise of something new of the worker; undefined where there is something already.
   * @throws the worker's own failure
   */
  #news(): Promise<void> | undefined {
    if (this.#failure !== undefined) throw this.#workerFailed(this.#failure)
    return this.control.hostWaits(this.#isNews) ? this.#untilWoken() : undefined
  }

  async #untilWoken(): Promise<void> {
    // Only now does the worker keep the process alive: somebody waits for it.
    this.#worker?.ref()
    await new Promise<void>(resolve => {
      this.#wake = resolve
    })
    this.#worker?.unref()
    if (this.#failure !== undefined) throw this.#workerFailed(this.#failure)
  }

  #startWorker(inline: WasmInflate): void {
    const { module, memory } = inline.memory!
    const workerData: InflateWorkerData = { module, memory, control: this.control.shared }
    try {
      // No flags of the process: they may load what the worker has no use for.
      const worker = new Worker(INFLATE_WORKER, {
        eval: true,
        workerData,
        execArgv: [],
        env: {},
        resourceLimits: RESOURCE_LIMITS,
      })
      this.#worker = worker
      worker.on('message', () => this.#wake())
      worker.on('error', error => this.#workerFails(error))
      worker.on('exit', code => {
        this.#exited = true
        endInflateWorker()
        if (this.control.outcome === undefined) this.#workerFails(`exit code ${code}`)
        if (this.#destroyed) this.#giveBack()
      })
      // Only now: a listener for messages would hold the process again.
      worker.unref()
    } catch (error) {
      // Threads are scarce: this one goes on alone.
      endInflateWorker()
      this.#failure = error
    }
  }

  #workerFails(failure: unknown): void {
    this.#failure ??= failure
    this.#wake()
  }

  /** Once no other thread is in it, and no reader. */
  #giveBack(): void {
    if (this.#memory) giveBackInflateMemory(this.#memory)
    this.#memory = undefined
  }

  /** Between two blocks of input: from here on the worker inflates, if it is there. */
  #takesOver(inline: WasmInflate): boolean {
    if (!this.#worker || !this.control.isReady || this.#failure !== undefined || inline.ended)
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
      'the inflate worker failed',
      { stage: 'Gunzip' },
      { cause },
    )
  }
}
