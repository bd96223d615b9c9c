// What inflates raw deflate data (RFC 1951) for the gzip framing: one engine per member.
// An engine knows nothing of headers, trailers, checksums and caps; those are the framing's.

import { FeedError } from '../../errors'

/**
 * Largest output block, in bytes. Smaller ones cost node:zlib speed (a hop between threads each); larger ones outlive two
 * minor collections behind slow stages, and then wait for a major one: the memory of a long run grows with them.
 */
export const OUTPUT_BLOCK_BYTES = 256 * 1024

export interface InflateEngine {
  /**
   * Inflates one block of any size. The outputs come lazily and belong to the caller: each is alone in its memory,
   * is never touched again, and is not much larger than OUTPUT_BLOCK_BYTES.
   *
   * The sequence must be used up before the next call; until then the engine may read from `block`, and afterwards
   * it does not. Bytes after the end of the deflate data are left alone.
   *
   * @throws GZIP_DATA_INVALID, from the sequence
   */
  inflate(block: Uint8Array): Iterable<Uint8Array> | AsyncIterable<Uint8Array>

  /** Bytes of deflate data used since the engine was made. Exact once `ended`; until then it counts what was taken in. */
  readonly usedBytes: number

  /**
   * True once the deflate data's last block is complete. An engine may notice it only when it is handed the
   * first byte after it, or by `finish`.
   */
  readonly ended: boolean

  /** No more input comes: settles whether the data was complete. */
  finish(): void | Promise<void>

  /** Frees what the engine holds, at any time. A sequence that is waiting then stops. */
  destroy(): void
}

/** Makes the engine for a member whose deflate data starts at `startOffset`, in compressed bytes from the start of the file. */
export type NewInflateEngine = (startOffset: number) => InflateEngine

/** @param cause what the engine's library threw, if it is one that throws */
export function dataInvalid(byteOffset: number, reason: string, cause?: unknown): FeedError {
  const message = `deflate data near byte ${byteOffset}: ${reason}`
  return new FeedError('GZIP_DATA_INVALID', message, { byteOffset, reason }, cause === undefined ? {} : { cause })
}
