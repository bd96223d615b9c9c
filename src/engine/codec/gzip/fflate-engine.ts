// The inflate engine over fflate for callers: it loads the package with the first block.

import { type FflateInflate, newFflateInflate } from './fflate-inflate'
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
    this.#engine ??= newFflateInflate(this.#startOffset, await import('./fflate-api'))
    yield* this.#engine.inflate(block)
  }

  finish(): IterableIterator<never> {
    return NOTHING.values()
  }

  destroy(): void {}
}
