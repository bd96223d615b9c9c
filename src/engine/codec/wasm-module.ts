// WebAssembly modules of this package (src/engine/wasm/), which are compiled on first use, their
// instances and memories. Two modules may work in one memory, so that one reads where another has
// written.
//
// Only a memory for several threads is a SharedArrayBuffer, because V8 handles views of it more
// slowly.

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

/** A function, or a constant (WebAssembly.Global). */
type WasmExport = ((...given: never) => unknown) | { readonly value: number }

interface WebAssemblyApi {
  readonly Module: new (binary: Uint8Array) => CompiledWasm
  readonly Instance: new (
    module: CompiledWasm,
    imports: object,
  ) => { readonly exports: Readonly<Record<string, WasmExport>> }
  readonly Memory: new (size: {
    readonly initial: number
    readonly maximum: number
    readonly shared: boolean
  }) => WasmMemory
}

/** Makes an instance. Its constants are numbers, because those of a module are slow to read. */
export function wasmInstance<Exports>(module: CompiledWasm, memory: WasmMemory): Exports {
  const { exports } = new (api().Instance)(module, { env: { memory } })
  return Object.fromEntries(
    Object.entries(exports).map(([name, each]) => [name, 'value' in each ? each.value : each]),
  ) as Exports
}

/**
 * Returns a function that makes an instance on its first call, and always returns that one, or null
 * where WebAssembly is missing.
 */
export function onFirstUse<T>(make: () => T): () => T | null {
  let made: T | null | undefined
  return () => {
    if (made === undefined) made = unlessUnsupported(make)
    return made
  }
}

export function unlessUnsupported<T>(make: () => T): T | null {
  try {
    return make()
  } catch (error) {
    if (FeedError.is(error) && error.code === 'DEPENDENCY_UNSUPPORTED') return null
    throw error
  }
}

/** The bytes of so many words. */
export function bytesOfWords(words: Uint32Array | Int32Array, count: number): Uint8Array {
  return new Uint8Array(words.buffer, words.byteOffset, 4 * count)
}

/**
 * @param pages of 64 KiB
 * @param shared true for a memory that several threads use
 */
export function wasmMemory(pages: number, shared = false): WasmMemory {
  return supported(() => new (api().Memory)({ initial: pages, maximum: pages, shared }))
}

/** Tells whether several threads may use a memory. */
export function isShared({ buffer }: WasmMemory): boolean {
  return buffer[Symbol.toStringTag] === 'SharedArrayBuffer'
}

/**
 * The import of the memory in a binary: `memory` of the module `env`, of kind 2 (a memory), with a
 * maximum (1) and shared (2). The flags are its last byte.
 */
const SHARED_MEMORY_IMPORT = '\x03env\x06memory\x02\x03'
const MAXIMUM_FLAG = 1

export class WasmModule {
  readonly #binary: string
  #forShared: CompiledWasm | undefined
  #forOwn: CompiledWasm | undefined

  /** @param binary in Base64, of a module that imports a shared memory */
  constructor(binary: string) {
    this.#binary = binary
  }

  /**
   * Returns the module for memories of the same kind as `memory`, which its import has to name.
   * @throws DEPENDENCY_UNSUPPORTED where WebAssembly or its 128-bit SIMD is missing
   */
  compiledFor(memory: WasmMemory): CompiledWasm {
    if (isShared(memory)) return (this.#forShared ??= compiled(this.#bytes()))
    return (this.#forOwn ??= compiled(importingOwnMemory(this.#bytes())))
  }

  #bytes(): Buffer {
    return Buffer.from(this.#binary, 'base64')
  }
}

function compiled(binary: Buffer): CompiledWasm {
  return supported(() => new (api().Module)(binary))
}

/** Changes the import of the binary to a memory that is not shared. */
function importingOwnMemory(binary: Buffer): Buffer {
  const at = binary.indexOf(SHARED_MEMORY_IMPORT, 'latin1')
  binary[at + SHARED_MEMORY_IMPORT.length - 1] = MAXIMUM_FLAG
  return binary
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
