// A destination that compresses what it gets with gzip before another destination writes it.

import { createGzip, type Gzip } from 'node:zlib'
import type { Destination } from './destination'

export class GzipDestination implements Destination {
  readonly #inner: Destination
  readonly #gzip: Gzip = createGzip()
  /** Compressed blocks that `inner` has not got yet. */
  #blocks: Uint8Array[] = []
  readonly #failed: Promise<never>

  constructor(inner: Destination) {
    this.#inner = inner
    this.#gzip.on('data', (block: Uint8Array) => this.#blocks.push(block))
    this.#failed = new Promise((_, reject) => this.#gzip.once('error', reject))
    // The call that waits for it fails, and nobody else has to.
    this.#failed.catch(() => {})
  }

  async write(bytes: Uint8Array): Promise<void> {
    await this.#settled(done => this.#gzip.write(bytes, done))
    await this.#pass()
  }

  async prepare(): Promise<void> {
    await this.#settled(done => {
      this.#gzip.once('end', done)
      this.#gzip.end()
    })
    await this.#pass()
    await this.#inner.prepare?.()
  }

  commit(): Promise<void> {
    return this.#inner.commit()
  }

  abort(): Promise<void> {
    this.#gzip.destroy()
    return this.#inner.abort()
  }

  #settled(start: (done: () => void) => void): Promise<void> {
    return Promise.race([new Promise<void>(start), this.#failed])
  }

  async #pass(): Promise<void> {
    const blocks = this.#blocks
    this.#blocks = []
    for (const block of blocks) await this.#inner.write(block)
  }
}
