// A reorder buffer: it takes the pieces of one file in any order and gives them back in the order
// of the file. It copies no bytes. It holds early pieces as runs of adjoining pieces, sorted by
// offset, and none that ends more than `windowBytes` after the next byte due.

import { FeedError } from '../../errors'
import { is, type OptionTable, readOptions } from '../../options'

/**
 * The default of `windowBytes`, for RangeFetcher and for ChunkReassembler: four ranges of the
 * default size.
 */
export const WINDOW_BYTES = 16 * 1024 * 1024

export interface ReorderBufferOptions {
  /**
   * How far after the next byte due a piece may end. This bounds the bytes held. Default: 16 MiB.
   */
  readonly windowBytes: number
  /**
   * The size of the file, where it is known. Pieces have to end exactly there. Default: unknown.
   */
  readonly totalBytes?: number
  /** The first byte due. Default 0. */
  readonly startOffset?: number
}

const OFFSET = is.wholeNumber(0)
const OPTIONS = {
  windowBytes: [is.wholeNumber(), WINDOW_BYTES],
  totalBytes: [is.wholeNumber(0)],
  startOffset: [is.wholeNumber(0), 0],
} satisfies OptionTable<Partial<ReorderBufferOptions>>

/** Adjoining pieces from `start` up to, not including, `end`. */
interface Run {
  readonly start: number
  end: number
  readonly pieces: Uint8Array[]
}

export class ReorderBuffer {
  readonly #windowBytes: number
  readonly #totalBytes: number | undefined
  readonly #runs: Run[] = []
  /** The next byte due. Every byte before it has been returned. */
  nextOffset: number
  /** Bytes held because bytes before them are missing. At most `windowBytes`. */
  heldBytes = 0

  /** Throws OPTION_INVALID. */
  constructor(options: Partial<ReorderBufferOptions>) {
    const { windowBytes, totalBytes, startOffset } = readOptions(options, OPTIONS)
    this.#windowBytes = windowBytes
    this.#totalBytes = totalBytes
    this.nextOffset = startOffset
  }

  /**
   * Takes the piece at `offset` and returns the pieces that are now in order, often none. It
   * ignores empty pieces. The buffer owns `bytes` until it returns them. Throws CHUNK_OVERLAP,
   * CHUNK_WINDOW_EXCEEDED and CHUNK_TOTAL_MISMATCH, and OPTION_INVALID for an offset that is no
   * whole number.
   */
  add(offset: number, bytes: Uint8Array): readonly Uint8Array[] {
    const end = OFFSET('offset', offset) + bytes.length
    if (bytes.length === 0) return []
    this.#checkLimits(offset, end)
    const at = this.#firstRunPast(offset)
    this.#checkOverlap(offset, end, at)
    if (offset === this.nextOffset) return this.#release(end, bytes)
    this.#hold(offset, end, bytes, at)
    return []
  }

  /** Ends the input. Throws CHUNK_GAP or CHUNK_TOTAL_MISMATCH where bytes are missing. */
  finish(): void {
    const ahead = this.#runs[0]
    const byteOffset = this.nextOffset
    if (ahead) {
      const missingBytes = ahead.start - byteOffset
      const message = `${missingBytes} bytes are missing at byte ${byteOffset}: the pieces end too early`
      throw new FeedError('CHUNK_GAP', message, { byteOffset, missingBytes })
    }
    if (this.#totalBytes !== undefined && byteOffset !== this.#totalBytes)
      throw this.#totalMismatch(byteOffset)
  }

  #checkLimits(offset: number, end: number): void {
    if (this.#totalBytes !== undefined && end > this.#totalBytes) throw this.#totalMismatch(end)
    const nextOffset = this.nextOffset
    if (offset <= nextOffset || end <= nextOffset + this.#windowBytes) return
    const context = { byteOffset: offset, nextOffset, windowBytes: this.#windowBytes }
    const message = `the piece at byte ${offset} is too far ahead of byte ${nextOffset}: raise windowBytes`
    throw new FeedError('CHUNK_WINDOW_EXCEEDED', message, context)
  }

  #checkOverlap(offset: number, end: number, at: number): void {
    const coveredUpTo = this.#runs[at - 1]?.end ?? this.nextOffset
    const coveredFrom = this.#runs[at]?.start ?? Number.POSITIVE_INFINITY
    const overlapBytes =
      Math.max(0, Math.min(coveredUpTo, end) - offset) || Math.max(0, end - coveredFrom)
    if (overlapBytes === 0) return
    const byteOffset = offset < coveredUpTo ? offset : coveredFrom
    const message = `two pieces cover byte ${byteOffset}: write each byte once`
    throw new FeedError('CHUNK_OVERLAP', message, { byteOffset, overlapBytes })
  }

  #release(end: number, bytes: Uint8Array): readonly Uint8Array[] {
    this.nextOffset = end
    const run = this.#runs[0]
    if (run?.start !== end) return [bytes]
    const ordered = [bytes]
    while (this.#runs[0]?.start === this.nextOffset) {
      const { pieces, start, end: runEnd } = this.#runs.shift() as Run
      for (const piece of pieces) ordered.push(piece)
      this.heldBytes -= runEnd - start
      this.nextOffset = runEnd
    }
    return ordered
  }

  #hold(offset: number, end: number, bytes: Uint8Array, at: number): void {
    this.heldBytes += bytes.length
    const before = this.#runs[at - 1]
    if (before?.end === offset) {
      before.pieces.push(bytes)
      before.end = end
    } else this.#runs.splice(at, 0, { start: offset, end, pieces: [bytes] })
  }

  /** Returns the index of the first run that starts after `offset`. */
  #firstRunPast(offset: number): number {
    let [low, high] = [0, this.#runs.length]
    while (low < high) {
      const middle = (low + high) >>> 1
      if ((this.#runs[middle] as Run).start <= offset) low = middle + 1
      else high = middle
    }
    return low
  }

  #totalMismatch(byteOffset: number): FeedError {
    const totalBytes = this.#totalBytes as number
    const message = `the file has ${totalBytes} bytes, but the pieces end at byte ${byteOffset}: check totalBytes`
    return new FeedError('CHUNK_TOTAL_MISMATCH', message, { byteOffset, totalBytes })
  }
}

/**
 * A part of a file, as it travels from a ranged download to the reorder buffer: bytes and their
 * offset in the file. The receiver of a piece owns its bytes, unless they are lent.
 */
export interface Piece {
  readonly offset: number
  readonly bytes: Uint8Array
}
