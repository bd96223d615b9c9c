// Gzip to bytes as a stage: drives the framing (codec/gzip/members.ts) and an inflate engine over the input.
// It owns the choice of the engine and its life; what the bytes mean is the framing's.

import { fflateEngine } from '../codec/gzip/fflate-inflate'
import type { InflateEngine, NewInflateEngine } from '../codec/gzip/inflate-engine'
import { InputGatherer } from '../codec/gzip/input-gatherer'
import { type GzipLimits, gzipLimits } from '../codec/gzip/limits'
import { GzipMembers } from '../codec/gzip/members'
import { wasmEngine } from '../codec/gzip/wasm-inflate'
import { FeedError } from '../errors'
import { Stage } from './stage'
import { ZlibInflate } from './zlib-inflate'

export type GunzipEngine = 'zlib' | 'wasm' | 'fflate'

export interface GunzipOptions extends Partial<GzipLimits> {
  /**
   * `zlib`: node:zlib on a thread of its own, the default. `wasm`: WebAssembly on this thread. `fflate`: plain JavaScript
   * on this thread, several times slower.
   */
  readonly engine?: GunzipEngine
}

/**
 * Most bytes held behind a stopped reader, besides the input block being worked on: with `zlib` two outputs of
 * 256 KiB, one with the reader's side and one inflated ahead; with `wasm` one, and the engine's 700 KiB; with `fflate`
 * the 4 MiB that one slice of the worst bomb makes, and their copy; with each, 256 KiB of gathered input.
 */
export const GUNZIP_HELD_BYTES = 10 * 1024 * 1024

const ENGINES: Readonly<Record<GunzipEngine, () => NewInflateEngine>> = {
  zlib: () => startOffset => new ZlibInflate(startOffset),
  wasm: wasmEngine,
  fflate: fflateEngine,
}

/**
 * Compressed blocks of any size in, blocks of output in order out.
 *
 * Outputs belong to the reader: each is alone in its memory, about 256 KiB at most, and never touched again. Input
 * blocks must not change while the stage works on them. Small ones are gathered, up to 256 KiB, before they are inflated.
 *
 * Reads any number of members, with or without zeros after each. **A checksum stands behind what it covers: until
 * `end`, whatever was handed out is not confirmed**, and a failure means that none of it may be kept.
 * The input may end only after a whole member, or the zeros after it. An input that is cut exactly between two
 * members looks complete from here; only who knows the file's size can tell.
 *
 * Errors give `byteOffset` in compressed bytes from the start of the input. It is exact but for GZIP_DATA_INVALID
 * and GZIP_LIMIT, where it is where the engine stood: with `zlib` at the last output or input block, with `wasm` at the byte at fault,
 * with `fflate` within about 4 KiB.
 *
 * @throws OPTION_INVALID, DEPENDENCY_UNSUPPORTED at construction; GZIP_EMPTY, GZIP_HEADER_INVALID, GZIP_TRUNCATED,
 * GZIP_DATA_INVALID, GZIP_CRC_MISMATCH, GZIP_SIZE_MISMATCH, GZIP_TRAILING_GARBAGE, GZIP_NESTED, GZIP_LIMIT while it runs
 */
export class Gunzip extends Stage<Uint8Array, Uint8Array> {
  readonly #members: GzipMembers
  readonly #newEngine: NewInflateEngine
  readonly #gatherer = new InputGatherer()
  /** Of the current member, from its first byte of data on. */
  #engine: InflateEngine | undefined

  constructor(options: GunzipOptions = {}) {
    super('Gunzip')
    this.#members = new GzipMembers(gzipLimits(options))
    this.#newEngine = newEngine(options.engine ?? 'zlib')
  }

  protected override transform(block: Uint8Array): AsyncIterable<Uint8Array> | undefined {
    const framingBytes = this.#gatherer.isEmpty ? this.#members.read(block) : 0
    const ready = this.#gatherer.add(block.subarray(framingBytes))
    return ready.length > 0 ? this.#readAll(ready) : undefined
  }

  protected override async *flush(): AsyncGenerator<Uint8Array, void, void> {
    yield* this.#read(this.#gatherer.take())
    if (this.#engine) {
      await this.#engine.finish()
      this.#afterData(this.#engine)
    }
    this.#members.end()
  }

  protected override release(): void {
    this.#engine?.destroy()
  }

  async *#readAll(blocks: readonly Uint8Array[]): AsyncGenerator<Uint8Array, void, void> {
    for (const block of blocks) yield* this.#read(block)
  }

  async *#read(block: Uint8Array): AsyncGenerator<Uint8Array, void, void> {
    for (let rest = block; rest.length > 0; ) {
      const used = this.#members.inData ? yield* this.#inflate(rest) : this.#members.read(rest)
      rest = rest.subarray(used)
    }
  }

  /** Inflates up to the end of the block or of the member's data; returns how many bytes that took. */
  async *#inflate(block: Uint8Array): AsyncGenerator<Uint8Array, number, void> {
    const engine = (this.#engine ??= this.#newEngine(this.#members.byteOffset))
    const usedBefore = engine.usedBytes
    for await (const output of engine.inflate(block)) {
      this.#members.output(output, engine.usedBytes)
      yield output
    }
    const used = engine.usedBytes - usedBefore
    this.#afterData(engine)
    return used
  }

  #afterData(engine: InflateEngine): void {
    this.#members.data(engine.usedBytes, engine.ended)
    if (!engine.ended) return
    engine.destroy()
    this.#engine = undefined
  }
}

function newEngine(name: GunzipEngine): NewInflateEngine {
  if (!Object.hasOwn(ENGINES, name)) {
    const context = { option: 'engine', expected: Object.keys(ENGINES).join(' or '), received: String(name) }
    throw new FeedError('OPTION_INVALID', `engine must be ${context.expected}, not ${context.received}`, context)
  }
  return ENGINES[name]()
}
