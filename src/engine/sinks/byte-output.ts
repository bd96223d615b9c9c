// Writes the bytes of a sink to its destination: allows one run at a time, and types every failure.

import { resolve } from 'node:path'
import { FeedError } from '../errors'
import { filePath, optionInvalid } from '../options'
import { type Destination, openDestination, type SinkTarget } from './destination'
import { GzipDestination } from './gzip-destination'
import { sinkFailed } from './sink-failed'

export class ByteOutput {
  readonly #target: SinkTarget
  readonly #sink: string
  readonly #compresses: boolean
  #destination: Destination | undefined
  /** True from `open` to `commit` or `abort`. */
  #inUse = false
  /**
   * Number of runs that were refused and have not called `abort` yet. Their `abort` must not end
   * the run that writes.
   */
  #refused = 0

  /**
   * @param sink the name of the sink, for its errors
   * @param compresses true where the bytes are compressed with gzip
   * @throws FeedError OPTION_INVALID
   */
  constructor(target: SinkTarget, sink: string, compresses = false) {
    this.#compresses = compresses
    this.#target =
      typeof target === 'string' ? resolve(filePath('target', target)) : writable(target)
    this.#sink = sink
  }

  /**
   * Opens the destination. A second run at the same time is refused, because its text would mix
   * with that of the first.
   * @throws FeedError SINK_FAILED
   */
  async open(): Promise<void> {
    if (this.#inUse) {
      this.#refused++
      throw sinkFailed(this.#sink, this.#name, 'another run of the same sink is writing it')
    }
    this.#inUse = true
    return this.#guard(async () => {
      const destination = await openDestination(this.#target)
      this.#destination = this.#compresses ? new GzipDestination(destination) : destination
    })
  }

  /** Writes all of `bytes`, which the caller may use again when the promise resolves. */
  write(bytes: Uint8Array): Promise<void> {
    return this.#guard(async () => this.#destination?.write(bytes))
  }

  /** Syncs a file. */
  prepare(): Promise<void> {
    return this.#guard(async () => this.#destination?.prepare?.())
  }

  /** Makes a file visible, after `prepare`. */
  commit(): Promise<void> {
    return this.#guard(async () => {
      await this.#destination?.commit()
      this.#destination = undefined
      this.#inUse = false
    })
  }

  /**
   * A file at the target stays as it was before; an output that is no regular file keeps what it
   * got.
   */
  async abort(): Promise<void> {
    if (this.#refused > 0) {
      this.#refused--
      return
    }
    const destination = this.#destination
    this.#destination = undefined
    this.#inUse = false
    await this.#guard(async () => destination?.abort())
  }

  get #name(): string {
    if (typeof this.#target === 'string') return this.#target
    if (this.#target === process.stdout) return 'standard output'
    return this.#target === process.stderr ? 'standard error' : 'the stream'
  }

  async #guard(action: () => Promise<void>): Promise<void> {
    try {
      await action()
    } catch (cause) {
      throw FeedError.is(cause) ? cause : sinkFailed(this.#sink, this.#name, cause)
    }
  }
}

function writable(stream: NodeJS.WritableStream): NodeJS.WritableStream {
  const { write, on } = (stream ?? {}) as Partial<NodeJS.WritableStream>
  if (typeof write === 'function' && typeof on === 'function') return stream
  throw optionInvalid('target', 'the path of a file or a writable stream', stream)
}
