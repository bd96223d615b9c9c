// Writes the bytes or the text of one run of a sink to its destination, and types every failure. Text
// is gathered in one buffer and encoded as UTF-8.

import { resolve } from 'node:path'
import { FeedError } from '../errors'
import { is, optionInvalid } from '../options'
import {
  type ByteTarget,
  type Destination,
  GzipDestination,
  openDestination,
  type SinkTarget,
} from './destination'
import { sinkFailed } from './sink-errors'

export class ByteOutput {
  readonly #target: SinkTarget
  readonly #sink: string
  readonly #compresses: boolean
  #destination: Destination | undefined
  #isAborted = false

  /**
   * @param sink the name of the sink, for its errors
   * @param compresses true where the bytes are compressed with gzip
   * @throws FeedError OPTION_INVALID
   */
  constructor(target: SinkTarget, sink: string, compresses = false) {
    this.#compresses = compresses
    this.#target =
      typeof target === 'string' ? resolve(is.filePath('target', target)) : checkedTarget(target)
    this.#sink = sink
  }

  /** @throws FeedError SINK_FAILED */
  open(): Promise<void> {
    return this.#guard(async () => {
      const destination = await openDestination(this.#target, () => this.#isAborted)
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

  /**
   * Makes a file visible, after `prepare`.
   * @throws FeedError SINK_FAILED, or SINK_PARTLY_COMMITTED for a file that is visible
   */
  commit(): Promise<void> {
    return this.#guard(async () => {
      await this.#destination?.commit().catch(error => {
        const cause = sinkFailed(this.#sink, this.name, error)
        if (this.#destination?.mayBeInPlace) throw mayBeThere(cause)
        if (!this.#destination?.isInPlace) throw cause
        const message = `${this.name} has its new content, which a power loss may undo: ${cause.context.reason}`
        const context = { committed: [this.name], failed: 'the sync of its folder', aborted: [] }
        throw new FeedError('SINK_PARTLY_COMMITTED', message, context, { cause })
      })
      this.#destination = undefined
    })
  }

  /**
   * A file at the target stays as it was before; an output that is no regular file keeps what it
   * got.
   */
  async abort(): Promise<void> {
    const destination = this.#destination
    this.#destination = undefined
    this.#isAborted = true
    await this.#guard(async () => destination?.abort())
  }

  get writes(): readonly SinkTarget[] {
    return [this.#target]
  }

  /** What the bytes are written to, for errors. */
  get name(): string {
    if (typeof this.#target === 'string') return this.#target
    if ('openDestination' in this.#target) return this.#target.address
    if (this.#target === process.stdout) return 'standard output'
    return this.#target === process.stderr ? 'standard error' : 'the stream'
  }

  async #guard(action: () => Promise<void>): Promise<void> {
    try {
      await action()
    } catch (cause) {
      throw FeedError.is(cause) && !OF_A_STORE.test(cause.code)
        ? cause
        : sinkFailed(this.#sink, this.name, cause)
    }
  }
}

/** The errors of a target that is asked over HTTP. They are the causes of the sink's error. */
const OF_A_STORE = /^(?:HTTP|RESPONSE|TOKEN)_/

function mayBeThere({ message, context, cause }: FeedError<'SINK_FAILED'>): FeedError {
  const doubt = `${message}; look whether it is there, because the answer to its commit is lost`
  return new FeedError('SINK_FAILED', doubt, { ...context, mayBeCommitted: true }, { cause })
}

function checkedTarget(target: Exclude<SinkTarget, string>): Exclude<SinkTarget, string> {
  const { write, on, openDestination } = (target ?? {}) as Partial<
    NodeJS.WritableStream & ByteTarget
  >
  const isStream = typeof write === 'function' && typeof on === 'function'
  if (isStream || typeof openDestination === 'function') return target
  throw optionInvalid('target', 'the path of a file or a writable stream', target)
}

/**
 * Bytes that are gathered before a write. The buffer is reused, so that long texts make no garbage.
 */
const BUFFER_BYTES = 1 << 18
/** The most UTF-8 bytes that one UTF-16 unit takes. */
const MAX_UNIT_BYTES = 3

export class TextOutput extends ByteOutput {
  readonly #buffer = new Uint8Array(BUFFER_BYTES)
  readonly #encoder = new TextEncoder()
  #filled = 0

  /**
   * @param sink the name of the sink, for its errors
   * @param compress the option of that name
   * @throws FeedError OPTION_INVALID
   */
  constructor(target: SinkTarget, sink: string, compress?: 'gzip') {
    super(target, sink, compress !== undefined)
  }

  /** Adds text. Returns a promise only when a write is due, and undefined otherwise. */
  addText(text: string): Promise<void> | undefined {
    if (text.length * MAX_UNIT_BYTES > BUFFER_BYTES - this.#filled) return this.#writeThrough(text)
    this.#filled += this.#encoder.encodeInto(text, this.#buffer.subarray(this.#filled)).written
    return undefined
  }

  /**
   * Adds text that is encoded. Returns a promise only when a write is due: until it resolves, the
   * bytes have to stay as they are.
   */
  addBytes(bytes: Uint8Array): Promise<void> | undefined {
    if (bytes.length > BUFFER_BYTES - this.#filled) return this.#writeBytesThrough(bytes)
    this.#buffer.set(bytes, this.#filled)
    this.#filled += bytes.length
    return undefined
  }

  /** Writes the rest, and syncs a file. */
  override async prepare(): Promise<void> {
    await this.#flush()
    await super.prepare()
  }

  async #writeThrough(text: string): Promise<void> {
    for (let rest = text; rest.length > 0; ) {
      const { read, written } = this.#encoder.encodeInto(rest, this.#buffer.subarray(this.#filled))
      this.#filled += written
      rest = rest.slice(read)
      // The rest waits for a write, also where only a part of a character has no room.
      if (rest.length > 0) await this.#flush()
    }
  }

  async #writeBytesThrough(bytes: Uint8Array): Promise<void> {
    await this.#flush()
    await this.write(bytes)
  }

  async #flush(): Promise<void> {
    const filled = this.#filled
    this.#filled = 0
    await this.write(this.#buffer.subarray(0, filled))
  }
}
