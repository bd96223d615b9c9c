// What inflates raw deflate data (RFC 1951) for the gzip framing: one engine for each member, or
// for several in turn. An engine knows nothing of headers, trailers, checksums and caps; those are
// the framing's.

import type { Step } from '../../core/steps'
import { FeedError } from '../../errors'

/**
 * Largest output block, in bytes. Smaller ones cost node:zlib speed (a hop between threads each);
 * larger ones outlive two minor collections behind slow stages, and then wait for a major one: the
 * memory of a long run grows with them.
 */
export const OUTPUT_BLOCK_BYTES = 256 * 1024

/**
 * Outputs in order, each not much larger than OUTPUT_BLOCK_BYTES. They come lazily, and without a
 * promise where they are at hand. An output with a loan (codec/loan.ts) lies in the engine's memory
 * until the next one is asked for or the engine is destroyed; any other belongs to the caller, is
 * alone in its memory, and is never touched again.
 */
export type InflateOutputs = (Iterable<Uint8Array> | AsyncIterable<Uint8Array>) & {
  next(): Step<Uint8Array> | Promise<Step<Uint8Array>>
}

export interface InflateEngine {
  /**
   * Inflates one block of any size. The sequence must be used up before the next call. Until
   * `ended`, or the end of the last sequence, the engine may read from `block`; outputs may come
   * with a later block's.
   *
   * @throws GZIP_DATA_INVALID, from the sequence
   */
  inflate(block: Uint8Array): InflateOutputs

  /**
   * Bytes of deflate data used since the engine was made, as far as the outputs handed over so far.
   * Exact once `ended`: what was handed in after them is not the engine's.
   */
  readonly usedBytes: number

  /**
   * True once the deflate data's last block is complete. An engine may notice it only when it is
   * handed what comes after it, or by `finish`.
   */
  readonly ended: boolean

  /**
   * CRC-32 of all outputs of the member handed over so far, where the engine reckons it: in
   * WebAssembly, or on a thread of its own.
   */
  readonly crc?: number | undefined

  /**
   * Of an engine that copies its input ahead: what it was handed behind the end of the data, once
   * it has `ended`. Asked once. With the others the caller has it still.
   */
  takeRest?(): Uint8Array[]

  /**
   * All that another engine of the kind needs to go on behind the last output; its input then goes on
   * at `usedBytes`. An engine without this method cannot be resumed.
   */
  saveState?(): Uint8Array

  /**
   * No more input comes: settles whether the data was complete. The sequence is what was not handed
   * over yet.
   */
  finish(): InflateOutputs

  /**
   * Makes an engine that has ended ready for the data of the next member, which starts at
   * `startOffset`. A file of many small members costs several times less this way. False: this
   * engine cannot be used again, and is to be destroyed.
   */
  restart?(startOffset: number): boolean

  /** Frees what the engine holds, at any time. A sequence that is waiting then stops. */
  destroy(): void
}

/**
 * Makes the engine for a member whose deflate data starts at `startOffset`, in compressed bytes
 * from the start of the file.
 */
export type NewInflateEngine = (startOffset: number) => InflateEngine

/** @param cause what the engine's library threw, if it is one that throws */
export function dataInvalid(byteOffset: number, reason: string, cause?: unknown): FeedError {
  const message = `deflate data near byte ${byteOffset}: ${reason}`
  return new FeedError(
    'GZIP_DATA_INVALID',
    message,
    { byteOffset, reason },
    cause === undefined ? {} : { cause },
  )
}
