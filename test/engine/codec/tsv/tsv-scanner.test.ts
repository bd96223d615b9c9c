import { afterEach, expect, test, vi } from 'vitest'

afterEach(() => {
  vi.unstubAllGlobals()
  vi.resetModules()
})

const fresh = async () => (await import('../../../../src/engine/codec/tsv/tsv-scanner')).tsvScanner

test('the fastest engine by default, and either by name', async () => {
  const tsvScanner = await fresh()
  expect([tsvScanner(), tsvScanner('wasm'), tsvScanner('scalar')].map(({ name }) => name)).toEqual([
    'wasm',
    'wasm',
    'scalar',
  ])
})

test('a machine without WebAssembly gets the plain engine, or a typed error where it asked for the other', async () => {
  vi.stubGlobal('WebAssembly', undefined)
  const tsvScanner = await fresh()
  expect(tsvScanner().name).toBe('scalar')
  expect(() => tsvScanner('wasm')).toThrow(
    expect.objectContaining({ code: 'DEPENDENCY_UNSUPPORTED' }),
  )
})

test('an engine that does not exist is a mistake of the caller', async () => {
  const tsvScanner = await fresh()
  expect(() => tsvScanner('regex' as never)).toThrow(
    expect.objectContaining({ code: 'OPTION_INVALID' }),
  )
})
