// Gives the content of a gzip file on this machine, block by block, from its start or from a saved
// state in the middle of it. It reads the compressed bytes; stages/inflation.ts inflates them.

import { gzipLimits } from '../../codec/gzip/limits'
import { WasmInflate } from '../../codec/gzip/wasm-inflate'
import { turnIfDue } from '../../core/event-loop'
import { PAUSE, type Pause, type Steps } from '../../core/steps'
import type { DurableFile } from '../../disk/durable-files'
import { inflateEngine } from '../../stages/gunzip-engine'
import { Inflation, type InflationState } from '../../stages/inflation'

const READ_BYTES = 256 * 1024

/** Whether a file can be resumed from a saved state: only the WebAssembly engine has one. */
export function canResume(): boolean {
  return inflateEngine(undefined, false).name === 'wasm'
}

export class FileInflater {
  readonly #file: DurableFile
  readonly #readBytes: number
  readonly #inflation: Inflation
  /** Where the next read begins. */
  #readAt: number

  /**
   * @param file stays open; its caller closes it
   * @param state of another inflater, where `canResume`
   * @param readBytes compressed bytes read at a time
   * @throws FeedError OPTION_INVALID for a state that no other inflater has saved
   */
  constructor(file: DurableFile, state?: InflationState, readBytes = READ_BYTES) {
    const { newEngine } = inflateEngine(undefined, false)
    this.#file = file
    this.#readBytes = readBytes
    // The size of a read is chosen here, so nothing has to be gathered.
    this.#inflation = new Inflation({
      limits: gzipLimits({}),
      newEngine,
      largeBytes: 1,
      resumed: state && resumed(state),
    })
    this.#readAt = state ? state.members.byteOffset + state.members.dataBytes : 0
  }

  /**
   * Returns blocks of the content, each lent until the next is asked for. The file is proven to be
   * whole when the sequence has ended by itself.
   * @throws FeedError STATE_IO, GZIP_* as Gunzip
   */
  async *blocks(): AsyncGenerator<Uint8Array, void, void> {
    for (;;) {
      const compressed = await this.#file.read(this.#readAt, this.#readBytes)
      if (compressed.length === 0) break
      this.#readAt += compressed.length
      yield* blocksOf(this.#inflation.inflate(compressed))
    }
    yield* blocksOf(this.#inflation.finish())
  }

  /**
   * The position behind the last block. Undefined where no state is worth keeping, or none can be
   * saved. Call it between two blocks.
   */
  saveState(): InflationState | undefined {
    return this.#inflation.saveState()
  }

  close(): void {
    this.#inflation.destroy()
  }
}

function resumed({ members, engine }: InflationState) {
  return { members, engine: new WasmInflate(members.byteOffset, engine, members.memberCrc) }
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
