// Verifies gzip bytes while a sink stores them, so that a damaged file never appears. The bytes
// that are stored are those of the service.

import { Gunzip, type Sink } from '../../index'

/**
 * Returns a sink that gives every block to `target` and inflates a copy, whose content it drops.
 * Its `prepare` fails with the codes of Gunzip where the bytes are no whole gzip file. No bytes at all
 * are a file without content.
 */
export function verifiedGzip(target: Sink<Uint8Array>): Sink<Uint8Array> {
  let check: GzipCheck | undefined
  return {
    name: target.name,
    ...(target.writes && { writes: target.writes }),
    open: () => target.open?.(),
    async write(bytes) {
      await target.write(bytes)
      check ??= new GzipCheck()
      await check.write(bytes)
    },
    async prepare() {
      await check?.end()
      check = undefined
      await target.prepare?.()
    },
    commit: () => target.commit(),
    async abort(error) {
      check?.stop()
      check = undefined
      await target.abort(error)
    },
  }
}

class GzipCheck {
  readonly #gunzip = new Gunzip()
  readonly #verdict: Promise<void>

  constructor() {
    this.#gunzip.resume()
    this.#verdict = this.#gunzip.promise()
    // A failure is reported by the next write or by the end.
    this.#verdict.catch(() => {})
  }

  /** Resolves when the check has room for more. The caller may use `bytes` again at once. */
  async write(bytes: Uint8Array): Promise<void> {
    if (this.#gunzip.write(Uint8Array.from(bytes))) return
    const drained = new Promise<void>(resolve => this.#gunzip.once('drain', resolve))
    await Promise.race([drained, this.#verdict])
  }

  end(): Promise<void> {
    this.#gunzip.end()
    return this.#verdict
  }

  stop(): void {
    this.#gunzip.destroy()
  }
}
