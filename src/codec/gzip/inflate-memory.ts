// The inflate module, and the memories of its cores. A few free memories are kept for the next
// engines, because otherwise a file of many members would reserve an address range for each of
// them.

import { type CompiledWasm, type WasmMemory, WasmModule, wasmMemory } from '../wasm-module'
import { INFLATE_BINARY, INFLATE_PAGES } from './inflate-binary'
import { InflateCore } from './inflate-core'

/**
 * The number of free memories that are kept, of up to 8.6 MiB each. An engine without a worker
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
const free: InflateMemory[] = []

/**
 * Returns a memory whose core is reset.
 *
 * @throws FeedError DEPENDENCY_UNSUPPORTED where WebAssembly or its 128-bit SIMD is missing
 */
export function takeInflateMemory(): InflateMemory {
  const taken = free.pop() ?? newMemory()
  taken.core.reset()
  return taken
}

/** Gives a memory back. Its former owner must not use it any more, nor may any other thread. */
export function giveBackInflateMemory(memory: InflateMemory): void {
  if (free.length < MAX_FREE) free.push(memory)
}

function newMemory(): InflateMemory {
  const { compiled: module } = inflateModule
  const memory = wasmMemory(INFLATE_PAGES)
  return { module, memory, core: new InflateCore(module, memory) }
}
