// A file that appears whole or not at all: written beside its place, synced and renamed on commit.

import { type FileHandle, mkdir, open, rename, rm } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import { FeedError } from '../errors'

/** Text gathered before a write, in characters; one write a batch would cost more than the rows. */
const FLUSH_CHARACTERS = 1 << 18

export class AtomicFile {
  readonly #path: string
  readonly #sink: string
  #handle: FileHandle | undefined
  #pending: string[] = []
  #pendingCharacters = 0

  /** @param sink the name of the sink, for its errors */
  constructor(path: string, sink: string) {
    this.#path = resolve(path)
    this.#sink = sink
  }

  /** Begins anew: what an earlier run left half written is gone. */
  open(): Promise<void> {
    return this.#guard(async () => {
      await mkdir(dirname(this.#path), { recursive: true })
      this.#handle = await open(this.#partial, 'w')
    })
  }

  /** Adds text; a promise only when a write to the file is due. */
  write(text: string): Promise<void> | undefined {
    this.#pending.push(text)
    this.#pendingCharacters += text.length
    return this.#pendingCharacters >= FLUSH_CHARACTERS ? this.#guard(() => this.#flush()) : undefined
  }

  /** Makes the file visible. Nothing is retried: a failed sync says that data may be lost. */
  commit(): Promise<void> {
    return this.#guard(async () => {
      await this.#flush()
      await this.#handle?.sync()
      await this.#close()
      await rename(this.#partial, this.#path)
    })
  }

  /** Leaves nothing behind; an earlier whole file stays. */
  async abort(): Promise<void> {
    this.#pending = []
    await this.#guard(async () => {
      await this.#close()
      await rm(this.#partial, { force: true })
    })
  }

  get #partial(): string {
    return `${this.#path}.partial`
  }

  async #flush(): Promise<void> {
    const text = this.#pending.join('')
    this.#pending = []
    this.#pendingCharacters = 0
    await this.#handle?.writeFile(text)
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
