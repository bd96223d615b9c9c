// The inflate module, and the memories of its cores. A few free memories are kept for the next
// engines, because otherwise a file of many members would reserve an address range for each of
// them.

import {
  type CompiledWasm,
  isShared,
  type WasmMemory,
  WasmModule,
  wasmMemory,
} from '../wasm-module'
import { INFLATE_BINARY, INFLATE_PAGES } from './inflate-binary'
import { InflateCore } from './inflate-core'

/**
 * The number of free memories of each kind that are kept, of up to 8.6 MiB each. An engine without a worker
 * touches 2 MiB of its memory.
 */
const MAX_FREE = 2

/** A core with its memory: all that a worker needs to continue in its place. */
export interface InflateMemory {
  readonly module: CompiledWasm
  readonly memory: WasmMemory
  readonly core: InflateCore
}

const inflateModule = /* @__PURE__ */ new WasmModule(INFLATE_BINARY)
const freeOwn: InflateMemory[] = []
const freeShared: InflateMemory[] = []

/**
 * Returns a memory whose core is reset.
 *
 * @param shared true where a worker may continue in the memory
 * @throws FeedError DEPENDENCY_UNSUPPORTED where WebAssembly or its 128-bit SIMD is missing
 */
export function takeInflateMemory(shared = false): InflateMemory {
  const taken = (shared ? freeShared : freeOwn).pop() ?? newMemory(shared)
  taken.core.reset()
  return taken
}

/** Gives a memory back. Its former owner must not use it any more, nor may any other thread. */
export function giveBackInflateMemory(memory: InflateMemory): void {
  const free = isShared(memory.memory) ? freeShared : freeOwn
  if (free.length < MAX_FREE) free.push(memory)
}

function newMemory(shared: boolean): InflateMemory {
  const memory = wasmMemory(INFLATE_PAGES, shared)
  const module = inflateModule.compiledFor(memory)
  return { module, memory, core: new InflateCore(module, memory) }
}
