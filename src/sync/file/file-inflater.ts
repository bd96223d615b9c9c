// The content of a gzip file on this machine, block by block, from its start or from a saved state
// in the middle of it. It drives the framing (codec/gzip/members.ts) and the engine whose state can
// be saved; what proves the file is theirs.

import { gzipLimits } from '../../codec/gzip/limits'
import { GzipMembers, type GzipMembersState } from '../../codec/gzip/members'
import { WasmInflate } from '../../codec/gzip/wasm-inflate'
import type { DurableFile } from '../../disk/durable-files'

const READ_BYTES = 256 * 1024

export interface InflaterState {
  readonly members: GzipMembersState
  readonly engine: Uint8Array
}

export class FileInflater {
  readonly #file: DurableFile
  readonly #readBytes: number
  readonly #members: GzipMembers
  #engine: WasmInflate | undefined

  /**
   * @param file stays open, and its caller's
   * @param readBytes compressed bytes read at a time
   * @throws FeedError OPTION_INVALID for a state that was not saved by another
   */
  constructor(file: DurableFile, state?: InflaterState, readBytes = READ_BYTES) {
    this.#file = file
    this.#readBytes = readBytes
    this.#members = new GzipMembers(gzipLimits({}), state?.members)
    this.#engine =
      state && new WasmInflate(state.members.byteOffset, state.engine, state.members.memberCrc)
  }

  /**
   * Blocks of the content, each lent until the next is asked for. The file is proven to be whole
   * when the sequence has ended by itself.
   * @throws FeedError STATE_IO, GZIP_* as Gunzip
   */
  async *blocks(): AsyncGenerator<Uint8Array, void, void> {
    for (;;) {
      const compressed = await this.#file.read(this.#members.byteOffset, this.#readBytes)
      if (compressed.length === 0) break
      yield* this.#read(compressed)
    }
    this.#afterData()
    this.#members.end()
  }

  /**
   * Where the content stands behind the last block; undefined where no state is worth keeping. Call
   * it between two blocks.
   */
  saveState(): InflaterState | undefined {
    const members = this.#members.saveState()
    return members && this.#engine && { members, engine: this.#engine.saveState() }
  }

  close(): void {
    this.#engine?.destroy()
    this.#engine = undefined
  }

  *#read(compressed: Uint8Array): Generator<Uint8Array, void, void> {
    for (let rest = compressed; rest.length > 0; ) {
      const used = this.#members.inData ? yield* this.#inflate(rest) : this.#members.read(rest)
      rest = rest.subarray(used)
    }
  }

  *#inflate(bytes: Uint8Array): Generator<Uint8Array, number, void> {
    const engine = (this.#engine ??= new WasmInflate(this.#members.byteOffset))
    const usedBefore = engine.usedBytes
    for (const block of engine.inflate(bytes)) {
      this.#members.output(block, engine.usedBytes, engine.crc)
      yield block
    }
    const used = engine.usedBytes - usedBefore
    this.#afterData()
    return used
  }

  #afterData(): void {
    const engine = this.#engine
    if (engine === undefined) return
    this.#members.data(engine.usedBytes, engine.ended)
    if (engine.ended) this.close()
  }
}
