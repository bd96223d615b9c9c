// The engine of one Zstandard frame, over node:zlib, which has it from Node 22.15 and 23.8 on. The
// stream of Node ends quietly where its input is cut off, and at the end of the first frame in a
// block; so it gets exactly one frame, whose end codec/unpack/zstd-file.ts finds, and has to end there.

import * as zlib from 'node:zlib'
import { type InflateEngine, OUTPUT_BLOCK_BYTES } from '../codec/gzip/inflate-engine'
import { unpackInvalid, ZSTD_SIGNATURE } from '../codec/unpack/packed-file'
import type { ZstdFile } from '../codec/unpack/zstd-file'
import { FeedError } from '../errors'
import { type ZlibFailure, ZlibInflate } from './zlib-inflate'

/** The types of Node 20 do not have this function. */
const { createZstdDecompress } = zlib as {
  readonly createZstdDecompress?: (options: object) => zlib.InflateRaw
}

const NO_MEMORY = 'ZSTD_error_memory_allocation'

export class ZstdInflate implements InflateEngine {
  /** Its content has a checksum of its own, so that of the framing is not computed. */
  readonly crc = 0
  readonly #frame: ReturnType<ZstdFile['newFrame']>
  readonly #engine: ZlibInflate
  readonly #startOffset: number
  #isBegun = false
  #ended = false

  /**
   * @param startOffset where the magic of the frame ends
   * @throws FeedError DEPENDENCY_UNSUPPORTED
   */
  constructor(startOffset: number, file: ZstdFile) {
    if (createZstdDecompress === undefined)
      throw nodeWithoutZstd('decompress the file first, by zstd -dc')
    this.#startOffset = startOffset
    this.#frame = file.newFrame(startOffset)
    const stream = createZstdDecompress({ chunkSize: OUTPUT_BLOCK_BYTES })
    this.#engine = new ZlibInflate(startOffset - ZSTD_SIGNATURE.length, stream, zstdFault)
  }

  get ended(): boolean {
    return this.#ended
  }

  get usedBytes(): number {
    return this.#frame.byteOffset
  }

  async *inflate(block: Uint8Array): AsyncGenerator<Uint8Array, void, void> {
    const used = this.#frame.read(block)
    if (!this.#isBegun) yield* this.#engine.inflate(ZSTD_SIGNATURE)
    this.#isBegun = true
    yield* this.#engine.inflate(block.subarray(0, used))
    const isWhole = this.#frame.wanted === undefined
    if (isWhole) yield* this.#engine.finish()
    if (this.#engine.ended !== isWhole) {
      const reason = 'the decoder finds another end of the frame, so fetch the file again'
      throw unpackInvalid('zstd', this.#startOffset + this.usedBytes, reason)
    }
    this.#ended = isWhole
  }

  /** There are no outputs left, and the framing tells that the frame is cut off. */
  finish(): IterableIterator<Uint8Array, void> {
    return [].values()
  }

  destroy(): void {
    this.#engine.destroy()
  }
}

function zstdFault(byteOffset: number, cause: ZlibFailure): FeedError | undefined {
  if (!String(cause.code).startsWith('ZSTD_error') || cause.code === NO_MEMORY) return undefined
  const reason = `the data is damaged, so fetch the file again: ${cause.message}`
  return unpackInvalid('zstd', byteOffset, reason, { cause, retryable: true })
}

/** @param advice what helps beside another version of Node */
export function nodeWithoutZstd(advice: string): FeedError<'DEPENDENCY_UNSUPPORTED'> {
  const expected = 'Node 22.15 or later of version 22, 23.8 or later'
  const message = `Zstandard needs ${expected}, and this is Node ${process.versions.node}: update it, or ${advice}`
  return new FeedError('DEPENDENCY_UNSUPPORTED', message, { package: 'node', expected })
}
