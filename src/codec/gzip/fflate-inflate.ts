// The portable inflate engine: fflate, synchronous plain JavaScript. The only file that imports it.
//
// fflate's `Inflate` tells neither that the deflate data ended nor how much it used; its internal
// state does. That state is read here, and its meaning is tried out on a known stream before the
// first use. fflate is laxer than node:zlib: it ignores a stored block's NLEN and accepts
// some code tables that RFC 1951 forbids. What it makes of such data passes only if the trailer's
// CRC32 and size agree.

import type { Inflate } from 'fflate'
import { FeedError } from '../../errors'
import {
  dataInvalid,
  type InflateEngine,
  type NewInflateEngine,
  OUTPUT_BLOCK_BYTES,
} from './inflate-engine'

/**
 * Compressed bytes a push: one push inflates all that it can, and deflate's highest ratio of 1032
 * makes 4 MiB of this.
 */
const SLICE_BYTES = 4 * 1024
/**
 * Outputs of single pushes are joined until they come to this: about 20 KiB a push would be small
 * change for the stages after.
 */
const JOIN_BYTES = 256 * 1024
/**
 * Holds the last 32 KiB, a usual push's output, and the 128 KiB that fflate wants to see free
 * before each symbol.
 */
const WORKSPACE_BYTES = 256 * 1024

const NOTHING: readonly never[] = []

/** The private fields of fflate 0.8's `Inflate` that matter here. */
interface Internals {
  /**
   * `f`: the last block has begun · `l`: the code table, while inside a block · `p`: bits used of
   * the input that is kept.
   */
  readonly s: { readonly f?: number; readonly l?: unknown; readonly p?: number }
  /** Input that is kept for the next push. */
  readonly p: Uint8Array
  /**
   * The last 32 KiB of output, which the next output is appended to; grown by copying when too
   * small.
   */
  o: Uint8Array
}

type NewInflate = typeof Inflate

/** An engine that loads fflate with its first block, so that only its users load that package. */
export function fflateEngine(): NewInflateEngine {
  return startOffset => new LoadedOnUse(startOffset)
}

class LoadedOnUse implements InflateEngine {
  readonly #startOffset: number
  #engine: FflateInflate | undefined

  constructor(startOffset: number) {
    this.#startOffset = startOffset
  }

  get ended(): boolean {
    return this.#engine?.ended ?? false
  }

  get usedBytes(): number {
    return this.#engine?.usedBytes ?? 0
  }

  /** @throws DEPENDENCY_UNSUPPORTED from the sequence, where the installed fflate is another one */
  async *inflate(block: Uint8Array): AsyncGenerator<Uint8Array, void, void> {
    this.#engine ??= new FflateInflate(this.#startOffset, await supportedInflate())
    yield* this.#engine.inflate(block)
  }

  finish(): IterableIterator<never> {
    return NOTHING.values()
  }

  destroy(): void {}
}

/** The class whose state was found to be one that this file can read. */
let supported: NewInflate | undefined

async function supportedInflate(): Promise<NewInflate> {
  const { Inflate } = await import('fflate')
  if (supported === Inflate || readsItsState(Inflate)) return (supported = Inflate)
  const context = { package: 'fflate', expected: '0.8.x' }
  const message = 'the fflate engine cannot read the state of the installed fflate'
  throw new FeedError('DEPENDENCY_UNSUPPORTED', message, context)
}

/**
 * `byteOffset` of its errors: the block of deflate data at fault, or the 4 KiB slice if that begins
 * later.
 */
class FflateInflate {
  readonly #startOffset: number
  readonly #inflate: Inflate
  readonly #internals: Internals
  readonly #workspace = new Uint8Array(WORKSPACE_BYTES)
  #takenBytes = 0
  #pieces: Uint8Array[] = []
  #piecesBytes = 0

  constructor(startOffset: number, NewInflate: NewInflate) {
    this.#startOffset = startOffset
    this.#inflate = new NewInflate(piece => this.#gather(piece))
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
   * Left alone, fflate makes and clears a new buffer of 160 KiB for each push, which halves its
   * speed.
   */
  #lendWorkspace(): void {
    this.#workspace.set(this.#internals.o)
    this.#internals.o = this.#workspace
  }

  /** Whole bytes before the next bit. */
  #positionBytes(): number {
    const { s, p: kept } = this.#internals
    return this.#takenBytes - kept.length + ((s.p ?? 0) >> 3)
  }

  /** The byte that the data ends in belongs to the data, even if only a bit of it does. */
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
 * Raw deflate of ten times `a`, which refers back to its own output, and then a byte that is not
 * part of it.
 */
const KNOWN_STREAM = Uint8Array.of(0x4b, 0x4c, 0x84, 0x01, 0x00, 0xaa)
const KNOWN_STREAM_BYTES = 5
const KNOWN_OUTPUT = 'a'.repeat(10)

function readsItsState(NewInflate: NewInflate): boolean {
  const engine = new FflateInflate(0, NewInflate)
  let output = ''
  try {
    // Cut in the middle, so that the state which is kept from push to push takes part.
    for (const piece of [KNOWN_STREAM.subarray(0, 2), KNOWN_STREAM.subarray(2)]) {
      for (const block of engine.inflate(piece)) output += String.fromCharCode(...block)
    }
  } catch {
    return false
  }
  return engine.ended && engine.usedBytes === KNOWN_STREAM_BYTES && output === KNOWN_OUTPUT
}
