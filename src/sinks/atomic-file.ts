// A file that appears whole or not at all: written beside its place, synced and renamed on commit.

import { type FileHandle, mkdir, open, rename, rm } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import { FeedError } from '../errors'

/** Bytes gathered before they are written. The one buffer is used again and again: text of any length makes no garbage here. */
const BUFFER_BYTES = 1 << 18
/** UTF-8 bytes of one UTF-16 unit at the most. */
const MAX_UNIT_BYTES = 3

export class AtomicFile {
  readonly #path: string
  readonly #sink: string
  #handle: FileHandle | undefined
  readonly #buffer = new Uint8Array(BUFFER_BYTES)
  readonly #encoder = new TextEncoder()
  #filled = 0
  /** From `open` to `commit` or `abort`. */
  #inUse = false
  /** Runs that were refused and have not aborted yet: their abort is not the abort of the run that writes. */
  #refused = 0

  /** @param sink the name of the sink, for its errors. @throws FeedError OPTION_INVALID */
  constructor(path: string, sink: string) {
    if (typeof path !== 'string' || path === '') {
      throw new FeedError('OPTION_INVALID', `${sink}: path must be text`, { option: 'path', expected: 'text', received: String(path) })
    }
    this.#path = resolve(path)
    this.#sink = sink
  }

  /** Begins anew: what an earlier run left half written is gone. A second run at the same time would mix its text in: it is refused. */
  async open(): Promise<void> {
    if (this.#inUse) {
      this.#refused++
      const context = { sink: this.#sink, target: this.#path }
      throw new FeedError('SINK_FAILED', `${this.#path} is being written by another run of the same sink`, context)
    }
    this.#inUse = true
    this.#filled = 0
    return this.#guard(async () => {
      await mkdir(dirname(this.#path), { recursive: true })
      this.#handle = await open(this.#partial, 'w')
    })
  }

  /** Adds text; a promise only when a write to the file is due. */
  write(text: string): Promise<void> | undefined {
    if (text.length * MAX_UNIT_BYTES > BUFFER_BYTES - this.#filled) return this.#guard(() => this.#writeThrough(text))
    this.#filled += this.#encoder.encodeInto(text, this.#buffer.subarray(this.#filled)).written
    return undefined
  }

  /** Makes the file visible. Nothing is retried: a failed sync says that data may be lost. */
  commit(): Promise<void> {
    return this.#guard(async () => {
      await this.#flush()
      await this.#handle?.sync()
      await this.#close()
      await rename(this.#partial, this.#path)
      this.#inUse = false
    })
  }

  /** Leaves nothing behind; an earlier whole file stays. */
  async abort(): Promise<void> {
    if (this.#refused > 0) {
      this.#refused--
      return
    }
    this.#inUse = false
    await this.#guard(async () => {
      await this.#close()
      await rm(this.#partial, { force: true })
    })
  }

  get #partial(): string {
    return `${this.#path}.partial`
  }

  async #writeThrough(text: string): Promise<void> {
    for (let rest = text; rest.length > 0; ) {
      const { read, written } = this.#encoder.encodeInto(rest, this.#buffer.subarray(this.#filled))
      this.#filled += written
      rest = rest.slice(read)
      // What does not fit any more goes behind a write, also where only a part of a character is left.
      if (rest.length > 0) await this.#flush()
    }
  }

  async #flush(): Promise<void> {
    for (let from = 0; from < this.#filled; ) {
      const { bytesWritten } = await this.#handle!.write(this.#buffer, from, this.#filled - from)
      from += bytesWritten
    }
    this.#filled = 0
  }

  async #close(): Promise<void> {
    const handle = this.#handle
    this.#handle = undefined
    await handle?.close()
  }

  async #guard(action: () => Promise<void>): Promise<void> {
    try {
      await action()
    } catch (cause) {
      throw new FeedError('SINK_FAILED', `writing ${this.#path} failed`, { sink: this.#sink, target: this.#path }, { cause })
    }
  }
}
