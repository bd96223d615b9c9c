// Inflates the compressed bytes of a file as they are given, block by block. stages/inflation.ts
// does the work.

import {
  gzipLimits,
  Inflation,
  inflateEngine,
  PAUSE,
  type Pause,
  type Steps,
  turnIfDue,
} from '../../engine/index'

export class BlockInflater {
  readonly #inflation: Inflation
  /**
   * True where the caller may overwrite its compressed bytes once their content is used up.
   */
  readonly isDoneWithInput: boolean

  constructor() {
    // A worker takes some 25 MB of memory and brought no time: the other processor is in use by the
    // store or the database.
    const { name, newEngine } = inflateEngine(undefined, false)
    this.isDoneWithInput = name === 'wasm'
    // The callers give large blocks, so nothing has to be gathered.
    this.#inflation = new Inflation({ limits: gzipLimits({}), newEngine, largeBytes: 1 })
  }

  /**
   * Returns the content of the next compressed bytes in blocks, each lent until the next is asked
   * for.
   * @throws FeedError GZIP_* as Gunzip
   */
  blocks(compressed: Uint8Array): AsyncGenerator<Uint8Array, void, void> {
    return blocksOf(this.#inflation.inflate(compressed))
  }

  /** Returns the last blocks. The file is whole where the sequence ends by itself. */
  lastBlocks(): AsyncGenerator<Uint8Array, void, void> {
    return blocksOf(this.#inflation.finish())
  }

  close(): void {
    this.#inflation.destroy()
  }
}

async function* blocksOf(
  outputs: Steps<Uint8Array | Pause> | undefined,
): AsyncGenerator<Uint8Array, void, void> {
  if (outputs === undefined) return
  for (let step = await outputs.next(); !step.done; step = await outputs.next()) {
    if (step.value !== PAUSE) yield step.value
    else await turnIfDue()
  }
}
