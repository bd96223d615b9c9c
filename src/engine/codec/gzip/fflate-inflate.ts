// The portable inflate engine over fflate, which is synchronous plain JavaScript.
//
// fflate's `Inflate` reports neither the end of the deflate data nor the number of bytes it used;
// its internal state has both. This file reads that state, and tests its meaning on a known stream
// before the first use. fflate is laxer than node:zlib: it ignores the NLEN of a stored block and
// accepts some code tables that RFC 1951 forbids. Its output for such data passes only if the
// trailer's CRC32 and size agree.

import { FeedError } from '../../errors'
import { dataInvalid, OUTPUT_BLOCK_BYTES } from './inflate-engine'

/**
 * Compressed bytes of one push. One push inflates all its input, and deflate's highest ratio of
 * 1032 makes 4 MiB of this size.
 */
const SLICE_BYTES = 4 * 1024
/** Outputs of single pushes are joined up to this size, because one push has only about 20 KiB. */
const JOIN_BYTES = 256 * 1024
/**
 * Size of the workspace: it holds the last 32 KiB, the output of a usual push, and the 128 KiB that
 * fflate wants free before each symbol.
 */
const WORKSPACE_BYTES = 256 * 1024

/** The private fields of `Inflate` in fflate 0.8 that this file reads. */
interface Internals {
  /**
   * `f` is 1 once the last block has begun. `l` is the code table while inside a block. `p` is the
   * number of bits used of the input that is kept.
   */
  readonly s: { readonly f?: number; readonly l?: unknown; readonly p?: number }
  /** Input that is kept for the next push. */
  readonly p: Uint8Array
  /**
   * The last 32 KiB of output, to which the next output is appended. fflate replaces it by a larger
   * copy where it is too small.
   */
  o: Uint8Array
}

/** What this file uses of fflate. */
export type Fflate = typeof import('./fflate-api')

/** True once the internal state of the installed fflate was tested and found readable. */
let isSupported = false

/**
 * Returns an engine for the data of a member that starts at `startOffset`.
 * @throws FeedError DEPENDENCY_UNSUPPORTED where the installed fflate is not 0.8
 */
export function newFflateInflate(startOffset: number, fflate: Fflate): FflateInflate {
  isSupported ||= readsItsState(fflate)
  if (isSupported) return new FflateInflate(startOffset, fflate)
  const context = { package: 'fflate', expected: '0.8.x' }
  const message =
    'the fflate engine cannot read the state of the installed fflate: install version 0.8'
  throw new FeedError('DEPENDENCY_UNSUPPORTED', message, context)
}

/**
 * An inflate engine over fflate. `byteOffset` of its errors is the block of deflate data at fault,
 * or the 4 KiB slice where that begins later.
 */
export class FflateInflate {
  readonly #startOffset: number
  readonly #inflate: InstanceType<Fflate['Inflate']>
  readonly #internals: Internals
  readonly #workspace = new Uint8Array(WORKSPACE_BYTES)
  #takenBytes = 0
  #pieces: Uint8Array[] = []
  #piecesBytes = 0

  constructor(startOffset: number, { Inflate }: Fflate) {
    this.#startOffset = startOffset
    this.#inflate = new Inflate(piece => this.#gather(piece))
    this.#internals = this.#inflate as unknown as Internals
  }

  get ended(): boolean {
    const { f: isLast, l: codeTable } = this.#internals.s
    return isLast === 1 && !codeTable
  }

  get usedBytes(): number {
    return this.ended ? this.#takenBytes - this.#unusedBytes() : this.#takenBytes
  }

  *inflate(block: Uint8Array): Generator<Uint8Array, void, void> {
    for (let at = 0; at < block.length && !this.ended; at += SLICE_BYTES) {
      this.#push(block.subarray(at, at + SLICE_BYTES))
      if (this.#piecesBytes >= JOIN_BYTES) yield* this.#takeOutputs()
    }
    yield* this.#takeOutputs()
  }

  #push(slice: Uint8Array): void {
    this.#takenBytes += slice.length
    this.#lendWorkspace()
    try {
      this.#inflate.push(slice)
    } catch (error) {
      const byteOffset = this.#startOffset + this.#positionBytes()
      throw dataInvalid(byteOffset, error instanceof Error ? error.message : String(error), error)
    }
  }

  /**
   * Gives fflate a workspace that is reused. Otherwise fflate makes and clears a new buffer of 160
   * KiB for each push, which halves its speed.
   */
  #lendWorkspace(): void {
    this.#workspace.set(this.#internals.o)
    this.#internals.o = this.#workspace
  }

  /** Returns the number of whole bytes before the next bit. */
  #positionBytes(): number {
    const { s, p: kept } = this.#internals
    return this.#takenBytes - kept.length + ((s.p ?? 0) >> 3)
  }

  /**
   * Returns the number of unused bytes. The byte in which the data ends counts as used, even if the
   * data has only one bit of it.
   */
  #unusedBytes(): number {
    const { s, p: kept } = this.#internals
    return kept.length - ((s.p ?? 0) > 0 ? 1 : 0)
  }

  #gather(piece: Uint8Array): void {
    if (piece.length === 0) return
    this.#pieces.push(piece)
    this.#piecesBytes += piece.length
  }

  *#takeOutputs(): Generator<Uint8Array, void, void> {
    if (this.#piecesBytes === 0) return
    const whole = this.#joinPieces()
    if (whole.length <= OUTPUT_BLOCK_BYTES) yield whole
    else
      for (let at = 0; at < whole.length; at += OUTPUT_BLOCK_BYTES)
        yield whole.slice(at, at + OUTPUT_BLOCK_BYTES)
  }

  #joinPieces(): Uint8Array {
    const whole = new Uint8Array(this.#piecesBytes)
    let at = 0
    for (const piece of this.#pieces) {
      whole.set(piece, at)
      at += piece.length
    }
    this.#pieces = []
    this.#piecesBytes = 0
    return whole
  }
}

/**
 * Raw deflate data for ten times `a`, which refers back to its own output, and one byte after it
 * that is not part of the data.
 */
const KNOWN_STREAM = Uint8Array.of(0x4b, 0x4c, 0x84, 0x01, 0x00, 0xaa)
const KNOWN_STREAM_BYTES = 5
const KNOWN_OUTPUT = 'a'.repeat(10)

function readsItsState(fflate: Fflate): boolean {
  const engine = new FflateInflate(0, fflate)
  let output = ''
  try {
    // The stream is cut in the middle, so that the test covers the state between two pushes.
    for (const piece of [KNOWN_STREAM.subarray(0, 2), KNOWN_STREAM.subarray(2)]) {
      for (const block of engine.inflate(piece)) output += String.fromCharCode(...block)
    }
  } catch {
    return false
  }
  return engine.ended && engine.usedBytes === KNOWN_STREAM_BYTES && output === KNOWN_OUTPUT
}
