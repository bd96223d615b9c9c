// Writes the text of a sink to its destination: gathers it in one buffer and encodes it as UTF-8.

import { choice } from '../options'
import { ByteOutput } from './byte-output'
import type { SinkTarget } from './destination'

/**
 * Bytes that are gathered before a write. The buffer is reused, so that long texts make no garbage.
 */
const BUFFER_BYTES = 1 << 18
/** The most UTF-8 bytes that one UTF-16 unit takes. */
const MAX_UNIT_BYTES = 3

export class TextOutput {
  readonly #output: ByteOutput
  readonly #buffer = new Uint8Array(BUFFER_BYTES)
  readonly #encoder = new TextEncoder()
  #filled = 0

  /**
   * @param sink the name of the sink, for its errors
   * @param compress the option of that name
   * @throws FeedError OPTION_INVALID
   */
  constructor(target: SinkTarget, sink: string, compress?: 'gzip') {
    if (compress !== undefined) choice('compress', compress, ['gzip'])
    this.#output = new ByteOutput(target, sink, compress !== undefined)
  }

  /**
   * Opens the destination. A second run at the same time is refused, because its text would mix
   * with that of the first.
   * @throws FeedError SINK_FAILED
   */
  async open(): Promise<void> {
    await this.#output.open()
    this.#filled = 0
  }

  /** Adds text. Returns a promise only when a write is due, and undefined otherwise. */
  write(text: string): Promise<void> | undefined {
    if (text.length * MAX_UNIT_BYTES > BUFFER_BYTES - this.#filled) return this.#writeThrough(text)
    this.#filled += this.#encoder.encodeInto(text, this.#buffer.subarray(this.#filled)).written
    return undefined
  }

  /** Writes the rest, and syncs a file. */
  async prepare(): Promise<void> {
    await this.#flush()
    await this.#output.prepare()
  }

  /** Makes a file visible, after `prepare`. */
  commit(): Promise<void> {
    return this.#output.commit()
  }

  /**
   * Drops the text that was not written yet. A file at the target stays as it was before; an output
   * that is no regular file keeps what it got.
   */
  abort(): Promise<void> {
    return this.#output.abort()
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

  async #flush(): Promise<void> {
    const filled = this.#filled
    this.#filled = 0
    await this.#output.write(this.#buffer.subarray(0, filled))
  }
}
