// The interface of inflate engines, which inflate raw deflate data (RFC 1951) for the gzip framing.
// There is one engine for each member, or one for several members in turn. Headers, trailers
// and caps belong to the framing, which also checks the checksum; an engine may compute it.

import type { Step } from '../../core/steps'
import { FeedError } from '../../errors'

/**
 * The largest output block, in bytes. Each block costs a step of every stage, and with node:zlib a
 * hop between threads. Larger blocks survive minor collections behind slow stages, so that the
 * memory of a long run grows.
 */
export const OUTPUT_BLOCK_BYTES = 512 * 1024

/**
 * Outputs in order, each not much larger than OUTPUT_BLOCK_BYTES. They are lazy, and come without a
 * promise where they are ready. An output with a loan (codec/loan.ts) lies in the engine's memory
 * until the next one is asked for or the engine is destroyed. Any other output belongs to the
 * caller, is alone in its memory, and is never written again.
 */
export type InflateOutputs = (Iterable<Uint8Array> | AsyncIterable<Uint8Array>) & {
  next(): Step<Uint8Array> | Promise<Step<Uint8Array>>
}

export interface InflateEngine {
  /**
   * Inflates one block of any size. The caller must use up the sequence before the next call. The
   * engine may read from `block` until it has `ended` or the last sequence has ended; outputs of a
   * block may come with a later block.
   *
   * @throws FeedError GZIP_DATA_INVALID, from the sequence
   */
  inflate(block: Uint8Array): InflateOutputs

  /**
   * Bytes of deflate data used since the engine was made, up to the outputs given so far. The
   * number is exact once the engine has `ended`: input after the end of the data does not count.
   */
  readonly usedBytes: number

  /**
   * True once the last block of the deflate data is complete. An engine may notice that only with
   * the next input, or in `finish`.
   */
  readonly ended: boolean

  /**
   * CRC-32 of all outputs of the member given so far, where the engine computes it: in WebAssembly,
   * or on its own thread.
   */
  readonly crc?: number | undefined

  /**
   * Returns the input after the end of the data, once the engine has `ended`. The caller calls it
   * once. Only engines that copy their input ahead have this method; with the others the caller
   * still has the input.
   */
  takeRest?(): Uint8Array[]

  /**
   * Ends the input, which decides whether the data was complete. The sequence gives the outputs
   * that were not given yet.
   */
  finish(): InflateOutputs

  /**
   * Prepares an engine that has ended for the data of the next member, which starts at
   * `startOffset`. Returns false where this engine cannot be used again and must be destroyed.
   */
  restart?(startOffset: number): boolean

  /** Frees the resources of the engine, at any time. A sequence that is waiting then stops. */
  destroy(): void
}

/**
 * Makes the engine for a member whose deflate data starts at `startOffset`, in compressed bytes
 * from the start of the file.
 */
export type NewInflateEngine = (startOffset: number) => InflateEngine

/**
 * Makes the GZIP_DATA_INVALID error.
 * @param cause the error of the engine's library, if it throws one
 */
export function dataInvalid(byteOffset: number, reason: string, cause?: unknown): FeedError {
  const message = `the deflate data is damaged near byte ${byteOffset}, so fetch the file again: ${reason}`
  return new FeedError(
    'GZIP_DATA_INVALID',
    message,
    { byteOffset, reason },
    cause === undefined ? {} : { cause },
  )
}
