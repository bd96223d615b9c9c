// The bookkeeping between an inflate worker and its host, in memory that both share: how far input
// and output are, and the outcome. Each side increments only its own counters, so no side needs a
// lock. The bytes themselves lie in the memory of the core.
//
//   host   fills slot n, counts it filled ─▶ worker takes it, counts it taken
//   worker makes output n, counts it made ─▶ host uses it, counts it released
//
// At most OUTPUT_CREDITS outputs are made and not released.
//
// The counters wrap at 2^32. Therefore they are compared by their difference, and the number of
// places is a power of two.

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
/**
 * The first word of the input slots: one word a slot, the number of bytes in it. There are at most
 * eight slots.
 */
const SLOTS = 16
/**
 * The first word of the outputs: four words each, with the start, the end, the bytes of history
 * before it, and the CRC-32 of all outputs up to it.
 */
const OUTPUTS = 24
const OUTPUT_WORDS = 4

/**
 * The most outputs that are made ahead of the reader. The core has more blocks, so that none is
 * written again soon after the other thread has read it.
 */
export const OUTPUT_CREDITS = 4
/**
 * A worker that waits for credits is woken when the reader has only so many outputs left, so that
 * it is woken seldom.
 */
const WAKE_AT_OUTPUTS = 2
/**
 * The number of places for records of outputs, which is more than can be in use. The words of the
 * last place end at WORDS.
 */
const RECORDS = 16

const GO_ON = 0
const FINISH = 1
const STOP = 2

/** There is no outcome yet. A final result of the core never has this value. */
const NONE = -1
/** The outcome where the input ended before the data was complete. */
export const INPUT_OVER = 0

// What the worker waits for. Nothing else wakes it.
const NOTHING = 0
const INPUT = 1
const CREDIT = 2

export interface OutputRecord {
  readonly from: number
  readonly end: number
  readonly historyBytes: number
  /** CRC-32 of all outputs up to this one. */
  readonly crc: number
  /** Bytes of input that were used since the worker took over. */
  readonly usedBytes: number
}

export class InflateControl {
  readonly shared: SharedArrayBuffer
  readonly #words: Int32Array
  readonly #usedBytes: Float64Array

  /** @param shared the memory of the other side; without it a new memory is made */
  constructor(shared?: SharedArrayBuffer) {
    this.shared = shared ?? new SharedArrayBuffer(WORDS * 4 + (RECORDS + 1) * 8)
    this.#words = new Int32Array(this.shared, 0, WORDS)
    this.#usedBytes = new Float64Array(this.shared, WORDS * 4)
    if (shared === undefined) Atomics.store(this.#words, OUTCOME, NONE)
  }

  // The following methods are for the host.

  get isReady(): boolean {
    return Atomics.load(this.#words, IS_READY) === 1
  }

  /** @param crc CRC-32 of all outputs so far */
  takeOver(crc: number): void {
    Atomics.store(this.#words, CRC, crc)
  }

  /** Returns the slot to fill next, out of `slots`, or undefined while all are full. */
  freeSlot(slots: number): number | undefined {
    return this.freeSlots(slots) > 0 ? placeOf(Atomics.load(this.#words, FILLED), slots) : undefined
  }

  freeSlots(slots: number): number {
    return slots - this.#ahead(FILLED, TAKEN)
  }

  /** Returns the slots that are filled and not taken, in order. */
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
    this.#ring(INPUT)
  }

  /** The next output that was made and not released; undefined while there is none. */
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
    if (this.#ahead(MADE, RELEASED) <= WAKE_AT_OUTPUTS) this.#ring(CREDIT)
  }

  /**
   * The outcome once all outputs are made: a result of the core, or INPUT_OVER. It is undefined
   * before.
   */
  get outcome():
    | { readonly result: number; readonly usedBytes: number; readonly unusedBits: number }
    | undefined {
    const result = Atomics.load(this.#words, OUTCOME)
    if (result === NONE) return undefined
    return { result, usedBytes: this.#usedBytes[RECORDS]!, unusedBits: this.#words[UNUSED_BITS]! }
  }

  /** Tells the worker that no more input comes. */
  finish(): void {
    Atomics.store(this.#words, COMMAND, FINISH)
    this.#ring(INPUT)
  }

  stop(): void {
    Atomics.store(this.#words, COMMAND, STOP)
    this.#ring(INPUT | CREDIT)
  }

  /**
   * Asks the worker to report the next change. Returns false where `hasChanged` is true already, so
   * that the host need not wait.
   */
  hostWaits(hasChanged: () => boolean): boolean {
    Atomics.store(this.#words, HOST_WAITS, 1)
    if (!hasChanged()) return true
    Atomics.store(this.#words, HOST_WAITS, 0)
    return false
  }

  /** Wakes the worker where it waits for one of these changes. */
  #ring(changes: number): void {
    Atomics.add(this.#words, BELL, 1)
    if ((Atomics.load(this.#words, WORKER_WAITS) & changes) !== 0) Atomics.notify(this.#words, BELL)
  }

  // The following methods are for the worker.

  ready(): void {
    Atomics.store(this.#words, IS_READY, 1)
  }

  /** CRC-32 of all outputs before the worker took over. It is valid from the first input on. */
  get crc(): number {
    return Atomics.load(this.#words, CRC) >>> 0
  }

  /**
   * Returns true where the worker must notify the host of a change: once for each time that the
   * host waits.
   */
  takeHostWaits(): boolean {
    return Atomics.exchange(this.#words, HOST_WAITS, 0) === 1
  }

  /**
   * Waits for input.
   * @returns the slot and its number of bytes, or undefined where no more input comes
   */
  nextInput(slots: number): { readonly slot: number; readonly bytes: number } | undefined {
    const taken = Atomics.load(this.#words, TAKEN)
    this.#waitUntil(
      INPUT,
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

  /**
   * Waits until the next output may be made.
   * @returns false when the worker must stop
   */
  waitForCredit(): boolean {
    this.#waitUntil(CREDIT, () => this.#ahead(MADE, RELEASED) < OUTPUT_CREDITS || this.isStopped)
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

  /** Returns how far one counter is ahead of another. */
  #ahead(number: number, of: number): number {
    return (Atomics.load(this.#words, number) - Atomics.load(this.#words, of)) | 0
  }

  #waitUntil(change: number, condition: () => boolean): void {
    while (!condition()) {
      const heard = Atomics.load(this.#words, BELL)
      // The flag is set before the condition is tested again, so that a host which changes the
      // condition later sees that the worker waits.
      Atomics.store(this.#words, WORKER_WAITS, change)
      if (!condition()) Atomics.wait(this.#words, BELL, heard)
      Atomics.store(this.#words, WORKER_WAITS, NOTHING)
    }
  }
}

function placeOf(n: number, places: number): number {
  return (n >>> 0) % places
}
