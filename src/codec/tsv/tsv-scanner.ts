// Chooses the scan engine of a parser: the fastest that the runtime supports, or the one that the
// caller names.

import { FeedError } from '../../errors'
import { choice } from '../../options'
import { scalarScanner } from './scalar-scanner'
import type { TsvScanner } from './scanner'
import { wasmScanner } from './wasm-scanner'

/**
 * `wasm` is the engine in WebAssembly with 128-bit SIMD. `scalar` is the engine in plain
 * TypeScript, for runtimes without WebAssembly SIMD; it is several times slower.
 */
export type TsvScannerName = 'wasm' | 'scalar'

/**
 * Makes the engine of one parser.
 * @throws FeedError OPTION_INVALID; DEPENDENCY_UNSUPPORTED where the caller names `wasm` and the
 * runtime does not support it
 */
export function tsvScanner(name?: TsvScannerName): TsvScanner {
  if (name === undefined) return fastestScanner()
  return choice('scanner', name, ['wasm', 'scalar']) === 'wasm' ? wasmScanner() : scalarScanner()
}

function fastestScanner(): TsvScanner {
  try {
    return wasmScanner()
  } catch (error) {
    if (FeedError.is(error) && error.code === 'DEPENDENCY_UNSUPPORTED') return scalarScanner()
    throw error
  }
}
