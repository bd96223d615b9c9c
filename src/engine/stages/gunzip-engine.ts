// The inflate engines by name, and the choice of the default engine. The interface of an engine is
// codec/gzip/inflate-engine.ts.

import { fflateEngine } from '../codec/gzip/fflate-engine'
import type { NewInflateEngine } from '../codec/gzip/inflate-engine'
import { wasmEngine } from '../codec/gzip/wasm-inflate'
import { FeedError } from '../errors'
import { mayHaveInflateWorkers } from './inflate-worker-limit'
import { type FileBytes, parallelEngine } from './parallel-inflate'
import { ZlibInflate } from './zlib-inflate'

export type GunzipEngine = 'zlib' | 'wasm' | 'fflate'

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
