// Which scan engine a parser uses: the fastest that this machine has, or the one that was asked
// for.

import { FeedError } from '../../errors'
import { choice } from '../../options'
import { scalarScanner } from './scalar-scanner'
import type { TsvScanner } from './scanner'
import { wasmScanner } from './wasm-scanner'

/**
 * `wasm`: 128-bit SIMD in WebAssembly. `scalar`: plain TypeScript, for machines without it, several
 * times slower.
 */
export type TsvScannerName = 'wasm' | 'scalar'

/**
 * An engine for one parser.
 * @throws FeedError OPTION_INVALID, DEPENDENCY_UNSUPPORTED where `wasm` was asked for and is not
 * there
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
