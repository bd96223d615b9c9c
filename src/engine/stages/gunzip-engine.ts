// The inflate engines by name, the options that choose and limit them, and the choice of the default
// engine. The interface of an engine is codec/gzip/inflate-engine.ts.

import { fflateEngine } from '../codec/gzip/fflate-engine'
import type { NewInflateEngine } from '../codec/gzip/inflate-engine'
import { type GzipLimits, LIMITS } from '../codec/gzip/limits'
import { wasmEngine } from '../codec/gzip/wasm-inflate'
import { FeedError } from '../errors'
import { is, type OptionTable } from '../options'
import { mayHaveInflateWorkers } from './inflate-worker-limit'
import { type FileBytes, parallelEngine } from './parallel-inflate'
import { ZlibInflate } from './zlib-inflate'

export type GunzipEngine = 'zlib' | 'wasm' | 'fflate'

/**
 * The options of the stage Gunzip. The caps bound the cost of hostile files; a file that exceeds one
 * fails with GZIP_LIMIT, which names the cap.
 */
export interface GunzipOptions extends Partial<GzipLimits> {
  /**
   * `wasm` is this package's engine in WebAssembly. `zlib` is node:zlib on a thread of libuv's
   * pool. `fflate` is plain JavaScript on this thread. It is several times slower, and laxer than
   * RFC 1951: it accepts a wrong length check of a stored block and some incomplete code tables.
   * Its output for such data ends without an error only if the member's CRC32 and size agree with
   * it, which they do where an invalid stream stands for no output. Default: `wasm` where the
   * machine has 128-bit SIMD, `zlib` elsewhere.
   */
  readonly engine?: GunzipEngine
  /**
   * Whether a worker thread may inflate a large file (from 512 KiB of compressed data in a member
   * on, unless FileSource or RangeFetcher knows that less than 12 MiB of the file follow), beside
   * the thread that reads the rows. Only the engine `wasm` has a worker. All pipelines
   * of the process together have at most one worker less than there are processors. The worker ends
   * with the stage. Default: true.
   */
  readonly worker?: boolean
}

export const GUNZIP_OPTIONS = {
  engine: [is.choice('zlib', 'wasm', 'fflate')],
  worker: [is.flag, true],
  ...LIMITS,
} satisfies OptionTable<GunzipOptions>

/** An engine's name, and the function that makes one for a member. */
export interface ChosenEngine {
  readonly name: GunzipEngine
  readonly newEngine: NewInflateEngine
}

const ENGINES: Readonly<Record<GunzipEngine, (fileBytes?: FileBytes) => NewInflateEngine>> = {
  zlib: () => startOffset => new ZlibInflate(startOffset),
  wasm: fileBytes =>
    fileBytes && mayHaveInflateWorkers() ? parallelEngine(fileBytes) : wasmEngine(),
  fflate: fflateEngine,
}

/**
 * Returns the engine with that name, or without a name the fastest that this machine can run.
 *
 * @param fileBytes tells the size of the file, where a worker thread may inflate a large one
 * @throws FeedError OPTION_INVALID, DEPENDENCY_UNSUPPORTED
 */
export function inflateEngine(name?: GunzipEngine, fileBytes?: FileBytes): ChosenEngine {
  if (name !== undefined) return { name, newEngine: ENGINES[name](fileBytes) }
  try {
    return inflateEngine('wasm', fileBytes)
  } catch (error) {
    if (!FeedError.is(error) || error.code !== 'DEPENDENCY_UNSUPPORTED') throw error
    return inflateEngine('zlib')
  }
}
