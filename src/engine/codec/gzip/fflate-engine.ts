// The inflate engine over fflate for callers: it loads fflate-inflate.ts, and with it the package,
// with the first block. The loader and the engine are two files, so that a bundler takes only the
// parts of fflate that the engine uses.

import type { FflateInflate } from './fflate-inflate'
import type { InflateEngine, NewInflateEngine } from './inflate-engine'

const NOTHING: readonly never[] = []

/** Returns engines that load fflate with their first block: only users of this engine load it. */
export function fflateEngine(): NewInflateEngine {
  return startOffset => new LoadedOnUse(startOffset)
}

class LoadedOnUse implements InflateEngine {
  readonly #startOffset: number
  #engine: FflateInflate | undefined

  constructor(startOffset: number) {
    this.#startOffset = startOffset
  }

  get ended(): boolean {
    return this.#engine?.ended ?? false
  }

  get usedBytes(): number {
    return this.#engine?.usedBytes ?? 0
  }

  /**
   * @throws FeedError DEPENDENCY_UNSUPPORTED, from the sequence, where the installed fflate is not
   * 0.8
   */
  async *inflate(block: Uint8Array): AsyncGenerator<Uint8Array, void, void> {
    this.#engine ??= (await import('./fflate-inflate')).newFflateInflate(this.#startOffset)
    yield* this.#engine.inflate(block)
  }

  finish(): IterableIterator<never> {
    return NOTHING.values()
  }

  destroy(): void {}
}
