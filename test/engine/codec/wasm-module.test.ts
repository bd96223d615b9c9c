import { describe, expect, test } from 'vitest'
import { COLUMNS_BINARY, COLUMNS_PAGES } from '../../../src/engine/codec/columns/columns-binary'
import { INFLATE_BINARY, INFLATE_PAGES } from '../../../src/engine/codec/gzip/inflate-binary'
import { SCAN_BINARY, SCAN_PAGES } from '../../../src/engine/codec/tsv/scan-binary'
import {
  isShared,
  WasmModule,
  wasmInstance,
  wasmMemory,
} from '../../../src/engine/codec/wasm-module'

describe.each([
  ['inflate', INFLATE_BINARY, INFLATE_PAGES],
  ['scan', SCAN_BINARY, SCAN_PAGES],
  ['columns', COLUMNS_BINARY, COLUMNS_PAGES],
])('the module %s', (_, binary, pages) => {
  const module = new WasmModule(binary)

  test.each([
    ['of one thread', false],
    ['of several threads', true],
  ])('works in a memory %s, and is compiled for it once', (_, shared) => {
    const memory = wasmMemory(pages, shared)
    expect(isShared(memory)).toBe(shared)
    const compiled = module.compiledFor(memory)
    expect(module.compiledFor(wasmMemory(pages, shared))).toBe(compiled)
    expect(Object.keys(wasmInstance<object>(compiled, memory))).not.toEqual([])
  })

  test('is refused a memory of the other kind', () => {
    const [own, shared] = [wasmMemory(pages), wasmMemory(pages, true)]
    expect(() => wasmInstance(module.compiledFor(own), shared)).toThrow('shared')
    expect(() => wasmInstance(module.compiledFor(shared), own)).toThrow('shared')
  })
})

test('a memory is for one thread unless it is asked for several', () => {
  expect(isShared(wasmMemory(1))).toBe(false)
  expect(wasmMemory(1).buffer).toBeInstanceOf(ArrayBuffer)
  expect(wasmMemory(1, true).buffer).toBeInstanceOf(SharedArrayBuffer)
})
