// The options of the stages that inflate: the choice of an engine, and the caps of hostile files.

import { type GzipLimits, LIMITS } from '../codec/gzip/limits'
import { is, type OptionTable } from '../options'
import type { GunzipEngine } from './gunzip-engine'

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
