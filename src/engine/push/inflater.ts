// An inflater of gzip without a stream: the machine of Gunzip, with the engine in WebAssembly.

import { type GzipLimits, LIMITS } from '../codec/gzip/limits'
import type { GzipFacts } from '../codec/gzip/members'
import { wasmEngine } from '../codec/gzip/wasm-inflate'
import { byteBlock } from '../codec/stage-input'
import { newCounters } from '../core/counters'
import { type OptionTable, readOptions } from '../options'
import { GzipInflation, ownedOutputs } from '../stages/inflation'
import { type Engine, engineOf } from './engine'

/** The options of {@link createInflater}, which are caps against hostile files. */
export type InflaterOptions = Partial<GzipLimits>

const STAGE = 'Inflater'
const OPTIONS = LIMITS satisfies OptionTable<InflaterOptions>

/**
 * Makes a synchronous inflater of gzip: blocks of compressed bytes in, blocks of output out.
 *
 * - `push` gives all that the input so far inflates to, in blocks of at most about 512 KiB. It
 *   gathers nothing, so a few bytes have their output at once; blocks of 64 KiB cost the least.
 * - The rules of `Gunzip` hold for members, headers, padding, caps and positions. A member's
 *   CRC32 and size are checked at its end. `facts` has what headers and trailers say.
 * - Input that ends inside a member is GZIP_TRUNCATED, and no input is GZIP_EMPTY, both from `end`.
 * - The engine holds 6.7 MiB. It is the one in WebAssembly, which needs 128-bit SIMD: without it
 *   this is DEPENDENCY_UNSUPPORTED, and `Gunzip` has other engines.
 *
 * @throws FeedError OPTION_INVALID, DEPENDENCY_UNSUPPORTED; GZIP_EMPTY, GZIP_HEADER_INVALID,
 * GZIP_TRUNCATED, GZIP_DATA_INVALID, GZIP_CRC_MISMATCH, GZIP_SIZE_MISMATCH, GZIP_TRAILING_GARBAGE,
 * GZIP_NESTED, GZIP_LIMIT from its sequences
 * @example
 * ```ts
 * import { readFileSync } from 'node:fs'
 * import { createInflater } from 'feedmill/engines'
 * // given: path
 *
 * const file = readFileSync(path)
 * const inflater = createInflater()
 * let bytes = 0
 * for (const chunk of [file.subarray(0, 40), file.subarray(40)])
 *   for (const block of inflater.push(chunk)) bytes += block.length
 * for (const block of inflater.end()) bytes += block.length // throws where the file is cut
 * console.log(bytes, inflater.facts.verifiedMembers)
 * // => 68 1
 * ```
 */
export function createInflater(
  options: InflaterOptions = {},
): Engine<Uint8Array, Uint8Array, GzipFacts> {
  const limits = readOptions(options, OPTIONS)
  const inflation = new GzipInflation({ limits, newEngine: wasmEngine(), largeBytes: 0 })
  const machine = {
    push: (block: Uint8Array) => ownedOutputs(inflation.inflate(byteBlock(STAGE, block))),
    end: () => ownedOutputs(inflation.finish()),
    takesNoMore: () => false,
    close: () => inflation.destroy(),
  }
  return engineOf(newCounters(STAGE), machine, () => inflation.facts)
}
