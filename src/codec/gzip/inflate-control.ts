// What an inflate worker and its host tell each other, in memory that both have: how far input and
// output are, and what came of it. Either side only counts up its own numbers, so neither has to
// lock. The bytes themselves lie in the core's memory.
//
//   host   fills slot n, counts it filled ─▶ worker takes it, counts it taken
//   worker makes output n, counts it made ─▶ host uses it, counts it released; OUTPUT_CREDITS may be made and not released
//
// The numbers wrap at 2^32: they are compared by their difference, and there are as many places as
// a power of two.

const WORDS = 88
const BELL = 0
const FILLED = 1
const TAKEN = 2
const MADE = 3
const RELEASED = 4
const COMMAND = 5
const OUTCOME = 6
const HOST_WAITS = 7
const IS_READY = 8
const CRC = 9
const UNUSED_BITS = 10
const WORKER_WAITS = 11
/** Bytes in each slot of input, of which there are at most eight. */
const SLOTS = 16
/** Four words an output: from, end, bytes of history, CRC-32 of all up to it. */
const OUTPUTS = 24
const OUTPUT_WORDS = 4

/**
 * Outputs that are made ahead of the reader. The core's blocks are many more: what one thread
 * writes again soon after the other has read it has to be taken back from the other's cache.
 */
export const OUTPUT_CREDITS = 8
/**
 * A worker that waits for credits is woken when so many are left to the reader: waking costs as
 * much as making a tenth of an output.
 */
const WAKE_AT_OUTPUTS = 4
/** Places for what is said of an output, more than can be in use. They end with WORDS. */
const RECORDS = 16

const GO_ON = 0
const FINISH = 1
const STOP = 2

/** No outcome yet: a core's result is never this, since NEEDS_INPUT is none. */
const NONE = -1
/** There is no more input, and the data is not complete. */
export const INPUT_OVER = 0

export interface OutputRecord {
  readonly from: number
  readonly end: number
  readonly historyBytes: number
  /** Of all outputs up to this one. */
  readonly crc: number
  /** Of input, since the worker took over. */
  readonly usedBytes: number
}

export class InflateControl {
  readonly shared: SharedArrayBuffer
  readonly #words: Int32Array
  readonly #usedBytes: Float64Array

  /** @param shared of the other side; none makes a new one */
  constructor(shared?: SharedArrayBuffer) {
    this.shared = shared ?? new SharedArrayBuffer(WORDS * 4 + (RECORDS + 1) * 8)
    this.#words = new Int32Array(this.shared, 0, WORDS)
    this.#usedBytes = new Float64Array(this.shared, WORDS * 4)
    if (shared === undefined) Atomics.store(this.#words, OUTCOME, NONE)
  }

  // Of the host.

  get isReady(): boolean {
    return Atomics.load(this.#words, IS_READY) === 1
  }

  /** @param crc of all outputs so far */
  takeOver(crc: number): void {
    Atomics.store(this.#words, CRC, crc)
  }

  /** The slot to fill next, of `slots`; undefined while all are full. */
  freeSlot(slots: number): number | undefined {
    return this.freeSlots(slots) > 0 ? placeOf(Atomics.load(this.#words, FILLED), slots) : undefined
  }

  freeSlots(slots: number): number {
    return slots - this.#ahead(FILLED, TAKEN)
  }

  /** The slots that are filled and not taken, in order. */
  untaken(slots: number): { readonly slot: number; readonly bytes: number }[] {
    const taken = Atomics.load(this.#words, TAKEN)
    return Array.from({ length: this.#ahead(FILLED, TAKEN) }, (_, n) => {
      const slot = placeOf(taken + n, slots)
      return { slot, bytes: Atomics.load(this.#words, SLOTS + slot) }
    })
  }

  slotFilled(slot: number, bytes: number): void {
    Atomics.store(this.#words, SLOTS + slot, bytes)
    Atomics.add(this.#words, FILLED, 1)
    this.#ring()
  }

  /** The next output that is made and not released. */
  get output(): OutputRecord | undefined {
    const n = Atomics.load(this.#words, RELEASED)
    if (n === Atomics.load(this.#words, MADE)) return undefined
    const at = OUTPUTS + placeOf(n, RECORDS) * OUTPUT_WORDS
    return {
      from: this.#words[at]!,
      end: this.#words[at + 1]!,
      historyBytes: this.#words[at + 2]!,
      crc: this.#words[at + 3]! >>> 0,
      usedBytes: this.#usedBytes[placeOf(n, RECORDS)]!,
    }
  }

  releaseOutput(): void {
    Atomics.add(this.#words, RELEASED, 1)
    if (this.#ahead(MADE, RELEASED) <= WAKE_AT_OUTPUTS) this.#ring()
  }

  /** What came of it, once all outputs are made: a result of the core, or INPUT_OVER. */
  get outcome():
    | { readonly result: number; readonly usedBytes: number; readonly unusedBits: number }
    | undefined {
    const result = Atomics.load(this.#words, OUTCOME)
    if (result === NONE) return undefined
    return { result, usedBytes: this.#usedBytes[RECORDS]!, unusedBits: this.#words[UNUSED_BITS]! }
  }

  /** No more input comes. */
  finish(): void {
    Atomics.store(this.#words, COMMAND, FINISH)
    this.#ring()
  }

  stop(): void {
    Atomics.store(this.#words, COMMAND, STOP)
    this.#ring()
  }

  /**
   * The worker is to say when something has changed. False when something has: there is nothing to
   * wait for.
   */
  hostWaits(isNews: () => boolean): boolean {
    Atomics.store(this.#words, HOST_WAITS, 1)
    if (!isNews()) return true
    Atomics.store(this.#words, HOST_WAITS, 0)
    return false
  }

  #ring(): void {
    Atomics.add(this.#words, BELL, 1)
    if (Atomics.load(this.#words, WORKER_WAITS) === 1) Atomics.notify(this.#words, BELL)
  }

  // Of the worker.

  ready(): void {
    Atomics.store(this.#words, IS_READY, 1)
  }

  /** At the first input. */
  get crc(): number {
    return Atomics.load(this.#words, CRC) >>> 0
  }

  /** Whether the host has to be told of a change: once for each time that it waits. */
  takeHostWaits(): boolean {
    return Atomics.exchange(this.#words, HOST_WAITS, 0) === 1
  }

  /** Waits for input. @returns the slot and its bytes, or undefined where no more comes */
  nextInput(slots: number): { readonly slot: number; readonly bytes: number } | undefined {
    const taken = Atomics.load(this.#words, TAKEN)
    this.#waitUntil(
      () =>
        Atomics.load(this.#words, FILLED) !== taken || Atomics.load(this.#words, COMMAND) !== GO_ON,
    )
    if (Atomics.load(this.#words, FILLED) === taken || this.isStopped) return undefined
    const slot = placeOf(taken, slots)
    return { slot, bytes: Atomics.load(this.#words, SLOTS + slot) }
  }

  inputTaken(): void {
    Atomics.add(this.#words, TAKEN, 1)
  }

  outputMade({ from, end, historyBytes, crc, usedBytes }: OutputRecord): void {
    const n = Atomics.load(this.#words, MADE)
    const at = OUTPUTS + placeOf(n, RECORDS) * OUTPUT_WORDS
    this.#words[at] = from
    this.#words[at + 1] = end
    this.#words[at + 2] = historyBytes
    this.#words[at + 3] = crc
    this.#usedBytes[placeOf(n, RECORDS)] = usedBytes
    Atomics.add(this.#words, MADE, 1)
  }

  /** Waits until the next output may be made. @returns false when the worker is to stop */
  waitForCredit(): boolean {
    this.#waitUntil(() => this.#ahead(MADE, RELEASED) < OUTPUT_CREDITS || this.isStopped)
    return !this.isStopped
  }

  get isStopped(): boolean {
    return Atomics.load(this.#words, COMMAND) === STOP
  }

  ended(result: number, usedBytes: number, unusedBits: number): void {
    this.#usedBytes[RECORDS] = usedBytes
    this.#words[UNUSED_BITS] = unusedBits
    Atomics.store(this.#words, OUTCOME, result)
  }

  /** How far one number is ahead of another. */
  #ahead(number: number, of: number): number {
    return (Atomics.load(this.#words, number) - Atomics.load(this.#words, of)) | 0
  }

  #waitUntil(condition: () => boolean): void {
    while (!condition()) {
      const heard = Atomics.load(this.#words, BELL)
      // Said before it is looked at again: whoever changes it later sees that somebody waits.
      Atomics.store(this.#words, WORKER_WAITS, 1)
      if (!condition()) Atomics.wait(this.#words, BELL, heard)
      Atomics.store(this.#words, WORKER_WAITS, 0)
    }
  }
}

function placeOf(n: number, places: number): number {
  return (n >>> 0) % places
}
