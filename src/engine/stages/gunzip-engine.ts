// The inflate engines by name, and the choice of the default engine for Gunzip. The interface of an
// engine is codec/gzip/inflate-engine.ts.

import { fflateEngine } from '../codec/gzip/fflate-engine'
import type { NewInflateEngine } from '../codec/gzip/inflate-engine'
import { wasmEngine } from '../codec/gzip/wasm-inflate'
import { FeedError } from '../errors'
import { choice } from '../options'
import { parallelEngine } from './parallel-inflate'
import { ZlibInflate } from './zlib-inflate'

export type GunzipEngine = 'zlib' | 'wasm' | 'fflate'

/** An engine's name, and the function that makes one for a member. */
export interface ChosenEngine {
  readonly name: GunzipEngine
  readonly newEngine: NewInflateEngine
}

const ENGINES: Readonly<Record<GunzipEngine, (worker: boolean) => NewInflateEngine>> = {
  zlib: () => startOffset => new ZlibInflate(startOffset),
  wasm: worker => (worker ? parallelEngine() : wasmEngine()),
  fflate: fflateEngine,
}

/**
 * Returns the engine with that name, or without a name the fastest that this machine can run.
 *
 * @param worker whether a worker thread may inflate a large file
 * @throws FeedError OPTION_INVALID, DEPENDENCY_UNSUPPORTED
 */
export function inflateEngine(name: GunzipEngine | undefined, worker: boolean): ChosenEngine {
  if (name !== undefined) {
    const checked = choice('engine', name, Object.keys(ENGINES) as GunzipEngine[])
    return { name: checked, newEngine: ENGINES[checked](worker) }
  }
  try {
    return inflateEngine('wasm', worker)
  } catch (error) {
    if (!FeedError.is(error) || error.code !== 'DEPENDENCY_UNSUPPORTED') throw error
    return inflateEngine('zlib', worker)
  }
}
