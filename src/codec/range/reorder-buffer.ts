// Puts pieces of one file, which arrive in any order, back in order. Copies nothing: what comes out
// is what went in. Holds pieces that lie ahead as runs of adjoining pieces, sorted by offset, and
// never past `windowBytes` from the next byte due.

import { FeedError } from '../../errors'
import { wholeNumber } from '../../options'

/**
 * Default of `windowBytes`, for those who fill a window and for those who put it in order: four
 * ranges of the default size.
 */
export const WINDOW_BYTES = 32 * 1024 * 1024

export interface ReorderBufferOptions {
  /** How far ahead of the next byte due a piece may end. Bounds the bytes held. */
  readonly windowBytes: number
  /** The file's size, when it is known: a piece past it, or an end before it, is an error. */
  readonly totalBytes?: number
  /** The first byte due. Default 0. */
  readonly startOffset?: number
}

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
  #nextOffset: number
  #heldBytes = 0

  /** Throws OPTION_INVALID. */
  constructor(options: ReorderBufferOptions) {
    this.#windowBytes = wholeNumber('windowBytes', options.windowBytes)
    this.#totalBytes =
      options.totalBytes === undefined
        ? undefined
        : wholeNumber('totalBytes', options.totalBytes, 0)
    this.#nextOffset = wholeNumber('startOffset', options.startOffset ?? 0, 0)
  }

  /** The next byte due; everything before it has been given back. */
  get nextOffset(): number {
    return this.#nextOffset
  }

  /** Bytes held because something before them is missing. At most `windowBytes`. */
  get heldBytes(): number {
    return this.#heldBytes
  }

  /**
   * Takes the piece that stands at `offset` and gives back what is now in order, often nothing.
   * Empty pieces are ignored. The window keeps `bytes` until it returns them: the caller must not
   * change them. Throws CHUNK_OVERLAP, CHUNK_WINDOW_EXCEEDED, CHUNK_TOTAL_MISMATCH, OPTION_INVALID
   * for a bad offset.
   */
  add(offset: number, bytes: Uint8Array): readonly Uint8Array[] {
    const end = wholeNumber('offset', offset, 0) + bytes.length
    if (bytes.length === 0) return []
    this.#checkLimits(offset, end)
    const at = this.#firstRunPast(offset)
    this.#checkOverlap(offset, end, at)
    if (offset === this.#nextOffset) return this.#release(end, bytes)
    this.#hold(offset, end, bytes, at)
    return []
  }

  /** The input has ended. Throws CHUNK_GAP or CHUNK_TOTAL_MISMATCH. */
  finish(): void {
    const ahead = this.#runs[0]
    const byteOffset = this.#nextOffset
    if (ahead) {
      const missingBytes = ahead.start - byteOffset
      throw new FeedError('CHUNK_GAP', `${missingBytes} bytes are missing at ${byteOffset}`, {
        byteOffset,
        missingBytes,
      })
    }
    if (this.#totalBytes !== undefined && byteOffset !== this.#totalBytes)
      throw this.#totalMismatch(byteOffset)
  }

  #checkLimits(offset: number, end: number): void {
    if (this.#totalBytes !== undefined && end > this.#totalBytes) throw this.#totalMismatch(end)
    const nextOffset = this.#nextOffset
    if (offset <= nextOffset || end <= nextOffset + this.#windowBytes) return
    const context = { byteOffset: offset, nextOffset, windowBytes: this.#windowBytes }
    throw new FeedError(
      'CHUNK_WINDOW_EXCEEDED',
      `the piece at ${offset} is too far ahead of ${nextOffset}`,
      context,
    )
  }

  #checkOverlap(offset: number, end: number, at: number): void {
    const coveredUpTo = this.#runs[at - 1]?.end ?? this.#nextOffset
    const coveredFrom = this.#runs[at]?.start ?? Number.POSITIVE_INFINITY
    const overlapBytes =
      Math.max(0, Math.min(coveredUpTo, end) - offset) || Math.max(0, end - coveredFrom)
    if (overlapBytes === 0) return
    const byteOffset = offset < coveredUpTo ? offset : coveredFrom
    throw new FeedError('CHUNK_OVERLAP', `two pieces cover byte ${byteOffset}`, {
      byteOffset,
      overlapBytes,
    })
  }

  #release(end: number, bytes: Uint8Array): readonly Uint8Array[] {
    this.#nextOffset = end
    const run = this.#runs[0]
    if (run?.start !== end) return [bytes]
    const ordered = [bytes]
    while (this.#runs[0]?.start === this.#nextOffset) {
      const { pieces, start, end: runEnd } = this.#runs.shift() as Run
      for (const piece of pieces) ordered.push(piece)
      this.#heldBytes -= runEnd - start
      this.#nextOffset = runEnd
    }
    return ordered
  }

  #hold(offset: number, end: number, bytes: Uint8Array, at: number): void {
    this.#heldBytes += bytes.length
    const before = this.#runs[at - 1]
    if (before?.end === offset) {
      before.pieces.push(bytes)
      before.end = end
    } else this.#runs.splice(at, 0, { start: offset, end, pieces: [bytes] })
  }

  /** Index of the first run that starts past `offset`. */
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
    return new FeedError(
      'CHUNK_TOTAL_MISMATCH',
      `the file has ${totalBytes} bytes, the pieces end at ${byteOffset}`,
      {
        byteOffset,
        totalBytes,
      },
    )
  }
}
