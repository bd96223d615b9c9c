// WebAssembly modules of this package (src/wasm/), which are compiled on first use, their instances
// and memories. Modules share a memory, so that one reads where another has written, and threads
// share it too.

import { FeedError } from '../errors'

/**
 * The type of WebAssembly.Memory, which the types of Node 20 lack. Views of it stay valid, because
 * no memory of this package grows.
 */
export interface WasmMemory {
  readonly buffer: ArrayBufferLike
}

/** A compiled module. Posted to a worker, it needs no second compilation. */
export interface CompiledWasm {
  readonly __compiled?: never
}

/** A constant that a module exports (WebAssembly.Global). */
export interface WasmConstant {
  readonly value: number
}

interface WebAssemblyApi {
  readonly Module: new (binary: Uint8Array) => CompiledWasm
  readonly Instance: new (module: CompiledWasm, imports: object) => { readonly exports: unknown }
  readonly Memory: new (size: {
    readonly initial: number
    readonly maximum: number
    readonly shared: boolean
  }) => WasmMemory
}

export function wasmInstance<Exports>(module: CompiledWasm, memory: WasmMemory): Exports {
  return new (api().Instance)(module, { env: { memory } }).exports as Exports
}

/** @param pages of 64 KiB */
export function wasmMemory(pages: number): WasmMemory {
  return supported(() => new (api().Memory)({ initial: pages, maximum: pages, shared: true }))
}

export class WasmModule {
  readonly #binary: string
  #compiled: CompiledWasm | undefined

  /** @param binary in Base64 */
  constructor(binary: string) {
    this.#binary = binary
  }

  /** @throws DEPENDENCY_UNSUPPORTED where WebAssembly or its 128-bit SIMD is missing */
  get compiled(): CompiledWasm {
    return (this.#compiled ??= supported(
      () => new (api().Module)(Buffer.from(this.#binary, 'base64')),
    ))
  }
}

function supported<T>(make: () => T): T {
  try {
    return make()
  } catch (cause) {
    const context = { package: 'WebAssembly', expected: 'with 128-bit SIMD and shared memory' }
    throw new FeedError(
      'DEPENDENCY_UNSUPPORTED',
      'this engine needs WebAssembly with 128-bit SIMD: choose another engine',
      context,
      { cause },
    )
  }
}

function api(): WebAssemblyApi {
  return (globalThis as unknown as { WebAssembly: WebAssemblyApi }).WebAssembly
}
