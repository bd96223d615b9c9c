// Reads the gzip file of a feed on this machine: inflated blocks of its content, and batches of its
// rows. stages/inflation.ts does the work.

import {
  type Columns,
  type DurableFile,
  gzipLimits,
  Inflation,
  inflateEngine,
  PAUSE,
  type Pause,
  type RowBatch,
  type RowQuarantine,
  type Steps,
  type TsvParser,
  turnIfDue,
} from '../../engine/index'

const READ_BYTES = 256 * 1024

/**
 * Yields blocks of the content of a file, each lent until the next is asked for. The file is proven
 * to be whole when the sequence has ended by itself. It stays open; its caller closes it.
 * @param readBytes compressed bytes read at a time
 * @throws FeedError STATE_IO, GZIP_* as Gunzip
 */
export async function* inflatedBlocks(
  file: DurableFile,
  readBytes = READ_BYTES,
): AsyncGenerator<Uint8Array, void, void> {
  const inflater = new BlockInflater()
  // A buffer for each read would take memory until V8 collects it.
  const memory = inflater.isDoneWithInput ? Buffer.allocUnsafeSlow(readBytes) : undefined
  try {
    for (let at = 0; ; ) {
      const compressed = await file.read(at, readBytes, memory)
      if (compressed.length === 0) break
      at += compressed.length
      yield* inflater.blocks(compressed)
    }
    yield* inflater.lastBlocks()
  } finally {
    inflater.close()
  }
}

export class BlockInflater {
  readonly #inflation: Inflation
  /**
   * True where the caller may overwrite its compressed bytes once their content is used up.
   */
  readonly isDoneWithInput: boolean

  constructor() {
    // A worker would only take memory: the other processor is in use by the store or the database.
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

/**
 * Reads the batches of a compressed file. The caller closes the file and the parser.
 * @param quarantine the quarantine of the parser, which is written between two batches
 * @throws FeedError GZIP_*, TSV_*, STATE_IO; the reason of `signal`
 */
export async function* batchesOf<C extends Columns>(
  data: DurableFile,
  parser: TsvParser<C>,
  signal: AbortSignal,
  quarantine?: RowQuarantine,
): AsyncGenerator<RowBatch<C>, void, void> {
  for await (const block of inflatedBlocks(data)) {
    signal.throwIfAborted()
    yield* batchesAmong(parser.steps(block), quarantine)
  }
  yield* batchesAmong(parser.lastSteps(), quarantine)
}

async function* batchesAmong<B>(
  steps: Iterable<B | Pause>,
  quarantine: RowQuarantine | undefined,
): AsyncGenerator<B, void, void> {
  for (const step of steps) {
    if (step !== PAUSE) yield step
    else await turnIfDue()
    await quarantine?.settle()
  }
}
