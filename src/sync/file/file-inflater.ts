// Gives the content of a gzip file on this machine, block by block. It reads the compressed bytes;
// stages/inflation.ts inflates them.

import { gzipLimits } from '../../codec/gzip/limits'
import { turnIfDue } from '../../core/event-loop'
import { PAUSE, type Pause, type Steps } from '../../core/steps'
import type { DurableFile } from '../../disk/durable-files'
import { inflateEngine } from '../../stages/gunzip-engine'
import { Inflation } from '../../stages/inflation'

const READ_BYTES = 256 * 1024

export class FileInflater {
  readonly #file: DurableFile
  readonly #readBytes: number
  #inflation: Inflation | undefined

  /**
   * @param file stays open; its caller closes it
   * @param readBytes compressed bytes read at a time
   */
  constructor(file: DurableFile, readBytes = READ_BYTES) {
    this.#file = file
    this.#readBytes = readBytes
  }

  /**
   * Returns blocks of the content, each lent until the next is asked for. The file is proven to be
   * whole when the sequence has ended by itself.
   * @throws FeedError STATE_IO, GZIP_* as Gunzip
   */
  async *blocks(): AsyncGenerator<Uint8Array, void, void> {
    // A worker takes some 25 MB of memory and brought no time: the other processor is in use by the
    // store or the database.
    const { name, newEngine } = inflateEngine(undefined, false)
    // Only this engine is done with its input when its outputs are used up, so that one buffer is
    // enough. A buffer for each read would take memory until V8 collects it.
    const memory = name === 'wasm' ? Buffer.allocUnsafeSlow(this.#readBytes) : undefined
    // The size of a read is chosen here, so nothing has to be gathered.
    this.#inflation = new Inflation({ limits: gzipLimits({}), newEngine, largeBytes: 1 })
    for (let at = 0; ; ) {
      const compressed = await this.#file.read(at, this.#readBytes, memory)
      if (compressed.length === 0) break
      at += compressed.length
      yield* blocksOf(this.#inflation.inflate(compressed))
    }
    yield* blocksOf(this.#inflation.finish())
  }

  close(): void {
    this.#inflation?.destroy()
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
