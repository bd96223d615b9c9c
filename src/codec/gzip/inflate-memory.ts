// The inflate module and the memories that its cores work in. A few that are free are kept for the
// next engine: a file of many members would otherwise reserve an address range for each of them.

import { type CompiledWasm, type WasmMemory, WasmModule, wasmMemory } from '../wasm-module'
import { INFLATE_BINARY, INFLATE_PAGES } from './inflate-binary'
import { InflateCore } from './inflate-core'

/** Up to 8.6 MiB each, of which an engine without a worker touches 2. */
const MAX_FREE = 2

/** A core with its memory: what a worker needs to go on in its place. */
export interface InflateMemory {
  readonly module: CompiledWasm
  readonly memory: WasmMemory
  readonly core: InflateCore
}

const inflateModule = /* @__PURE__ */ new WasmModule(INFLATE_BINARY)
const free: InflateMemory[] = []

/**
 * A memory whose core is as new.
 *
 * @throws DEPENDENCY_UNSUPPORTED where WebAssembly or its 128-bit SIMD is missing
 */
export function takeInflateMemory(): InflateMemory {
  const taken = free.pop() ?? newMemory()
  taken.core.reset()
  return taken
}

/** Whoever gives it back must not use it any more, nor may any other thread. */
export function giveBackInflateMemory(memory: InflateMemory): void {
  if (free.length < MAX_FREE) free.push(memory)
}

function newMemory(): InflateMemory {
  const { compiled: module } = inflateModule
  const memory = wasmMemory(INFLATE_PAGES)
  return { module, memory, core: new InflateCore(module, memory) }
}
