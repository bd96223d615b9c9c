import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, test, vi } from 'vitest'
import { FileCache, type FileLease } from '../../../src/emulator/feeds/file-cache'
import { FeedError } from '../../../src/engine/errors'

const content = Buffer.from(Array.from({ length: 5_000 }, (_, i) => i % 251))

function maker(bytes = content) {
  const made = { count: 0 }
  const produce = async function* () {
    made.count++
    for (let at = 0; at < bytes.length; at += 700) yield bytes.subarray(at, at + 700)
  }
  return { made, produce }
}

async function read(lease: FileLease, start: number, end: number): Promise<Buffer> {
  const chunks: Uint8Array[] = []
  for await (const chunk of lease.read(start, end)) chunks.push(chunk)
  return Buffer.concat(chunks)
}

// The test has its own folder, because other processes may use the shared one at the same time.
const folder = mkdtempSync(join(tmpdir(), 'file-cache-test-'))
vi.stubEnv('TMPDIR', folder)
afterAll(() => {
  vi.unstubAllEnvs()
  rmSync(folder, { recursive: true })
})

describe.each([
  ['memory', 1_000_000],
  ['disk', 100],
])('file cache in %s', (_, memoryFileBytes) => {
  test('any part equals the slice of the whole', async () => {
    const cache = new FileCache({ memoryFileBytes })
    const lease = await cache.lease('a', maker().produce)
    expect(lease.totalBytes).toBe(content.length)
    for (const [start, end] of [
      [0, 5_000],
      [0, 1],
      [4_999, 5_000],
      [699, 1_401],
      [2_000, 2_000],
    ] as const) {
      expect((await read(lease, start, end)).equals(content.subarray(start, end))).toBe(true)
    }
    lease.release()
    await cache.close()
  })

  test('the reader may keep and change the chunks', async () => {
    const cache = new FileCache({ memoryFileBytes })
    const lease = await cache.lease('a', maker().produce)
    for await (const chunk of lease.read(0, 5_000)) chunk.fill(0)
    expect((await read(lease, 0, 5_000)).equals(content)).toBe(true)
    await cache.close()
  })

  test('simultaneous requests share one generation, and later ones use its result', async () => {
    const cache = new FileCache({ memoryFileBytes })
    const { made, produce } = maker()
    const leases = await Promise.all([
      cache.lease('a', produce),
      cache.lease('a', produce),
      cache.lease('a', produce),
    ])
    leases.push(await cache.lease('a', produce))
    expect(made.count).toBe(1)
    for (const lease of leases) lease.release()
    await cache.close()
  })

  test('the least recently used file is removed first, but never one in use', async () => {
    const cache = new FileCache({ memoryFileBytes, cacheBytes: 11_000 })
    const makers = { a: maker(), b: maker(), c: maker() }
    const held = await cache.lease('a', makers.a.produce)
    for (const key of ['b', 'c', 'b'] as const)
      (await cache.lease(key, makers[key].produce)).release()
    expect((await read(held, 0, 5_000)).equals(content)).toBe(true)
    held.release()
    ;(await cache.lease('a', makers.a.produce)).release()
    expect([makers.a.made.count, makers.b.made.count, makers.c.made.count]).toEqual([1, 2, 1])
    await cache.close()
  })

  test('closing ends reads and refuses later ones, and leaves nothing on the disk', async () => {
    const cache = new FileCache({ memoryFileBytes })
    const lease = await cache.lease('a', maker().produce)
    expect(readdirSync(folder)).toEqual([])
    await cache.close()
    await cache.close()
    await expect(cache.lease('a', maker().produce)).rejects.toMatchObject({
      code: 'STAGE_DESTROYED',
    })
    if (memoryFileBytes === 100) await expect(read(lease, 0, 10)).rejects.toThrow()
    expect(readdirSync(folder)).toEqual([])
  })

  test('closing stops a running generation', async () => {
    const cache = new FileCache({ memoryFileBytes })
    let yielded = 0
    const endless = async function* () {
      for (;;) {
        yielded++
        await new Promise(resolve => setImmediate(resolve))
        yield Buffer.alloc(10)
      }
    }
    const lease = cache.lease('endless', endless)
    const refused = expect(lease).rejects.toMatchObject({ code: 'STAGE_DESTROYED' })
    await new Promise(resolve => setTimeout(resolve, 10))
    await cache.close()
    await refused
    const stopped = yielded
    await new Promise(resolve => setTimeout(resolve, 10))
    expect(yielded).toBe(stopped)
  })

  test('a failed generation is not kept', async () => {
    const cache = new FileCache({ memoryFileBytes })
    const failing = async function* () {
      yield content
      throw new FeedError('STAGE_FAILED', 'made to fail', { stage: 'test' })
    }
    await expect(cache.lease('a', failing)).rejects.toMatchObject({ code: 'STAGE_FAILED' })
    const { made, produce } = maker()
    ;(await cache.lease('a', produce)).release()
    expect(made.count).toBe(1)
    await cache.close()
  })
})

test('one file above the cap stays while it is the last one', async () => {
  const cache = new FileCache({ cacheBytes: 10 })
  const { made, produce } = maker()
  for (let i = 0; i < 3; i++) (await cache.lease('a', produce)).release()
  expect(made.count).toBe(1)
  await cache.close()
})

test('an unknown option name is refused', () => {
  expect(() => new FileCache({ cacheByte: 1 } as never)).toThrow(
    expect.objectContaining({
      code: 'OPTION_INVALID',
      message: expect.stringContaining('did you mean cacheBytes?'),
    }),
  )
})

test.each(['cacheBytes', 'memoryFileBytes'])('%s below 0 is refused', option => {
  expect(() => new FileCache({ [option]: -1 })).toThrow(
    expect.objectContaining({ code: 'OPTION_INVALID' }),
  )
})
