// Chooses the scan engine of a parser: the fastest that the runtime supports, or the one that the
// caller names.

import { FeedError } from '../../errors'
import { choice } from '../../options'
import { type CellRules, DOCUMENTED_CELLS } from './dialect'
import { scalarScanner } from './scalar-scanner'
import type { TsvScanner } from './scanner'
import { wasmScanner } from './wasm-scanner'

/**
 * `wasm` is the engine in WebAssembly with 128-bit SIMD. `scalar` is the engine in plain
 * TypeScript, for runtimes without WebAssembly SIMD; it is several times slower.
 */
export type TsvScannerName = 'wasm' | 'scalar'

/**
 * Makes the engine of one parser, whose file writes its cells so.
 * @throws FeedError OPTION_INVALID; DEPENDENCY_UNSUPPORTED where the caller names `wasm` and the
 * runtime does not support it
 */
export function tsvScanner(name?: TsvScannerName, cells: CellRules = DOCUMENTED_CELLS): TsvScanner {
  if (name === undefined) return fastestScanner(cells)
  const isWasm = choice('scanner', name, ['wasm', 'scalar']) === 'wasm'
  return isWasm ? wasmScanner(cells) : scalarScanner(cells)
}

function fastestScanner(cells: CellRules): TsvScanner {
  try {
    return wasmScanner(cells)
  } catch (error) {
    if (FeedError.is(error) && error.code === 'DEPENDENCY_UNSUPPORTED') return scalarScanner(cells)
    throw error
  }
}
