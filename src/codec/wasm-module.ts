// A WebAssembly module of this package (src/wasm/), compiled when it is first needed, and instances of it.

import { FeedError } from '../errors'

/** The types of Node 20 leave it out. */
interface WebAssemblyApi {
  readonly Module: new (binary: Uint8Array) => object
  readonly Instance: new (module: object, imports?: object) => { readonly exports: unknown }
}

export class WasmModule<Exports> {
  readonly #binary: string
  #compiled: object | undefined

  /** @param binary in Base64 */
  constructor(binary: string) {
    this.#binary = binary
  }

  /** @throws DEPENDENCY_UNSUPPORTED where WebAssembly or its 128-bit SIMD is missing */
  instance(): Exports {
    const { WebAssembly: api } = globalThis as unknown as { WebAssembly?: WebAssemblyApi }
    try {
      this.#compiled ??= new api!.Module(Buffer.from(this.#binary, 'base64'))
      return new api!.Instance(this.#compiled).exports as Exports
    } catch (cause) {
      const context = { package: 'WebAssembly', expected: 'with 128-bit SIMD' }
      throw new FeedError('DEPENDENCY_UNSUPPORTED', 'this engine needs WebAssembly with 128-bit SIMD', context, { cause })
    }
  }
}
