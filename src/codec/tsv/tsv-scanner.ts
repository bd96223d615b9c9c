// Which scan engine a parser uses: the fastest that this machine has, or the one that was asked for.

import { FeedError } from '../../errors'
import { scalarScanner } from './scalar-scanner'
import type { TsvScanner } from './scanner'
import { wasmScanner } from './wasm-scanner'

/** `wasm`: 128-bit SIMD in WebAssembly. `scalar`: plain TypeScript, for machines without it, several times slower. */
export type TsvScannerName = 'wasm' | 'scalar'

/** An engine for one parser. @throws FeedError OPTION_INVALID, DEPENDENCY_UNSUPPORTED where `wasm` was asked for and is not there */
export function tsvScanner(name?: TsvScannerName): TsvScanner {
  if (name === undefined) return fastestScanner()
  if (name === 'wasm') return wasmScanner()
  if (name === 'scalar') return scalarScanner()
  const context = { option: 'scanner', expected: 'wasm or scalar', received: String(name) }
  throw new FeedError('OPTION_INVALID', `scanner must be ${context.expected}, not ${context.received}`, context)
}

function fastestScanner(): TsvScanner {
  try {
    return wasmScanner()
  } catch (error) {
    if (FeedError.is(error) && error.code === 'DEPENDENCY_UNSUPPORTED') return scalarScanner()
    throw error
  }
}
