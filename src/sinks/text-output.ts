// The text of a sink on its way to its destination: gathered in one buffer, encoded as UTF-8, every
// failure typed.

import { resolve } from 'node:path'
import { FeedError } from '../errors'
import { filePath, optionInvalid } from '../options'
import { type Destination, openDestination, type SinkTarget } from './destination'
import { sinkFailed } from './sink-failed'

/**
 * Bytes gathered before they are written. The one buffer is used again and again, so that text of
 * any length makes no garbage.
 */
const BUFFER_BYTES = 1 << 18
/** The most UTF-8 bytes that one UTF-16 unit takes. */
const MAX_UNIT_BYTES = 3

export class TextOutput {
  readonly #target: SinkTarget
  readonly #sink: string
  #destination: Destination | undefined
  readonly #buffer = new Uint8Array(BUFFER_BYTES)
  readonly #encoder = new TextEncoder()
  #filled = 0
  /** From `open` to `commit` or `abort`. */
  #inUse = false
  /**
   * Runs that were refused and have not aborted yet: their abort is not the abort of the run that
   * writes.
   */
  #refused = 0

  /** @param sink the name of the sink, for its errors. @throws FeedError OPTION_INVALID */
  constructor(target: SinkTarget, sink: string) {
    this.#target =
      typeof target === 'string' ? resolve(filePath('target', target)) : writable(target)
    this.#sink = sink
  }

  /**
   * Begins anew. A second run at the same time would mix its text in, so it is refused.
   * @throws FeedError SINK_FAILED
   */
  async open(): Promise<void> {
    if (this.#inUse) {
      this.#refused++
      throw sinkFailed(this.#sink, this.#name, 'another run of the same sink is writing it')
    }
    this.#inUse = true
    this.#filled = 0
    return this.#guard(async () => {
      this.#destination = await openDestination(this.#target)
    })
  }

  /** Adds text; a promise only when a write is due. */
  write(text: string): Promise<void> | undefined {
    if (text.length * MAX_UNIT_BYTES > BUFFER_BYTES - this.#filled)
      return this.#guard(() => this.#writeThrough(text))
    this.#filled += this.#encoder.encodeInto(text, this.#buffer.subarray(this.#filled)).written
    return undefined
  }

  /** Writes the rest, and makes a file visible. */
  commit(): Promise<void> {
    return this.#guard(async () => {
      await this.#flush()
      await this.#destination?.commit()
      this.#destination = undefined
      this.#inUse = false
    })
  }

  /**
   * Drops what was not written yet. A file at the target is as it was before; what is no regular
   * file keeps what it got.
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

  async #writeThrough(text: string): Promise<void> {
    for (let rest = text; rest.length > 0; ) {
      const { read, written } = this.#encoder.encodeInto(rest, this.#buffer.subarray(this.#filled))
      this.#filled += written
      rest = rest.slice(read)
      // What does not fit any more goes behind a write, also where only a part of a character is
      // left.
      if (rest.length > 0) await this.#flush()
    }
  }

  async #flush(): Promise<void> {
    const filled = this.#filled
    this.#filled = 0
    await this.#destination?.write(this.#buffer.subarray(0, filled))
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
