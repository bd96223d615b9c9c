// The engine over a stream of node:zlib, which works on a thread of libuv's pool: InflateRaw for
// deflate. While the reader uses one output, zlib inflates the next one, and no more than that one.

import { createInflateRaw, type InflateRaw } from 'node:zlib'
import { dataInvalid, type InflateEngine, OUTPUT_BLOCK_BYTES } from '../codec/gzip/inflate-engine'
import { FeedError } from '../errors'

/** zlib's error codes for bad data, as opposed to a failure of zlib itself. */
const DATA_FAULTS: ReadonlySet<unknown> = new Set(['Z_DATA_ERROR', 'Z_NEED_DICT'])
/** zlib's error code for input that ends before the data is complete. */
const INCOMPLETE = 'Z_BUF_ERROR'

/** An error of a stream of node:zlib. */
export type ZlibFailure = Error & { code?: unknown }

/**
 * An inflate engine over node:zlib. `byteOffset` of its errors is where the inflating of the last
 * output began; zlib's own message has no position.
 */
export class ZlibInflate implements InflateEngine {
  readonly #startOffset: number
  readonly #stream: InflateRaw
  readonly #faultOf: typeof deflateFault
  #givenBytes = 0
  ended = false
  #closed = false
  #failure: ZlibFailure | undefined
  #wake = () => {}

  /**
   * @param stream what decodes the data
   * @param faultOf returns the error of data that the stream refuses; undefined for other failures
   */
  constructor(
    startOffset: number,
    stream = createInflateRaw({ chunkSize: OUTPUT_BLOCK_BYTES }),
    faultOf = deflateFault,
  ) {
    this.#startOffset = startOffset
    this.#stream = stream
    this.#faultOf = faultOf
    this.#stream.on('readable', () => this.#wake())
    this.#stream.on('end', () => {
      this.ended = true
      this.#wake()
    })
    this.#stream.on('error', error => {
      this.#failure = error
      this.#wake()
    })
    this.#stream.on('close', () => {
      this.#closed = true
      this.#wake()
    })
  }

  get usedBytes(): number {
    return this.#stream.bytesWritten
  }

  async *inflate(block: Uint8Array): AsyncGenerator<Uint8Array, void, void> {
    let isTaken = false
    this.#givenBytes += block.length
    this.#stream.write(block, () => {
      isTaken = true
      this.#wake()
    })
    for (;;) {
      const output: Buffer | null = this.#stream.read()
      if (output !== null) yield aloneInItsMemory(output)
      else if (this.#failure) throw this.#asDataFault(this.#failure)
      else if (this.#closed)
        throw new FeedError('STAGE_DESTROYED', 'the inflate engine was destroyed while it worked', {
          stage: 'Gunzip',
        })
      // A destroyed stream also calls the callback of `write`, before it reports whether it failed.
      else if ((isTaken || this.ended) && !this.#stream.destroyed) break
      else await this.#somethingNew()
    }
    // zlib leaves bytes unused only after the end of the data. Where no byte is left, the end shows
    // at the next byte of input.
    this.ended ||= this.usedBytes < this.#givenBytes
  }

  // There are no outputs left: each sequence ends after all of its block was inflated.
  async *finish(): AsyncGenerator<never, void, void> {
    this.#stream.end()
    while (!this.ended && !this.#closed && !this.#failure) {
      this.#stream.read() // zlib emits 'end' only to a reader.
      await this.#somethingNew()
    }
    if (this.#failure && this.#failure.code !== INCOMPLETE) throw this.#asDataFault(this.#failure)
    yield* []
  }

  destroy(): void {
    this.#stream.destroy()
  }

  #somethingNew(): Promise<void> {
    return new Promise(resolve => {
      this.#wake = resolve
    })
  }

  #asDataFault(failure: ZlibFailure): Error {
    return this.#faultOf(this.#startOffset + this.usedBytes, failure) ?? failure
  }
}

function deflateFault(byteOffset: number, failure: ZlibFailure): FeedError | undefined {
  if (!DATA_FAULTS.has(failure.code)) return undefined
  return dataInvalid(byteOffset, failure.message, failure)
}

/**
 * Copies an output that shares its buffer: zlib puts several outputs into one buffer, unless one
 * output fills it.
 */
function aloneInItsMemory(output: Buffer): Uint8Array {
  return output.length === output.buffer.byteLength
    ? new Uint8Array(output.buffer)
    : new Uint8Array(output)
}
