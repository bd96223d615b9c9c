import { deflateRawSync } from 'node:zlib'
import * as fflate from 'fflate'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { fflateEngine } from '../../../../src/engine/codec/gzip/fflate-engine'
import { engineContract, inflateAll } from './engine-contract'

vi.mock('fflate', { spy: true })
afterEach(() => vi.restoreAllMocks())

describe('the fflate engine', () => {
  engineContract(fflateEngine())

  test('it says which block of the deflate data is damaged', async () => {
    const stored = Buffer.from([0, 3, 0, 0xfc, 0xff, 1, 2, 3])
    const failure = await inflateAll(fflateEngine()(500), [
      Buffer.concat([stored, Buffer.from([7])]),
    ]).catch((failed: unknown) => failed)
    expect(failure).toMatchObject({ context: { byteOffset: 508, reason: 'invalid block type' } })
  })

  test('it refuses a distance before the start of the data', async () => {
    const farBack = deflateRawSync(Buffer.from('abcabcabc'), {
      dictionary: Buffer.from('abcabcabcabc'),
    })
    const error = expect.objectContaining({ code: 'GZIP_DATA_INVALID' })
    await expect(inflateAll(fflateEngine()(0), [farBack])).rejects.toEqual(error)
  })
})

describe('an fflate of another shape', () => {
  const unsupported = expect.objectContaining({
    code: 'DEPENDENCY_UNSUPPORTED',
    context: { package: 'fflate', expected: '0.8.x' },
  })

  test.each<[string, () => object]>([
    ['without its state', () => ({ push: () => {} })],
    [
      'with a state that means something else',
      () => ({ s: { f: true }, p: new Uint8Array(0), o: new Uint8Array(0), push: () => {} }),
    ],
    [
      'that fails',
      () => ({
        s: {},
        p: new Uint8Array(0),
        o: new Uint8Array(0),
        push: () => expect.unreachable(),
      }),
    ],
  ])('%s is refused with the first block', async (_, make) => {
    class Other {
      constructor() {
        Object.assign(this, make())
      }
    }
    vi.mocked(fflate.Inflate).mockImplementation(Other as never)
    // The engine does not repeat the check of an fflate that it found to be good.
    vi.resetModules()
    const fresh = await import('../../../../src/engine/codec/gzip/fflate-engine')
    await expect(inflateAll(fresh.fflateEngine()(0), [Buffer.from([3, 0])])).rejects.toEqual(
      unsupported,
    )
  })
})
