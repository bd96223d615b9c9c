// The content of gzip files on a machine, of any size and in any state.

import { gzipSync } from 'node:zlib'
import fc from 'fast-check'
import { describe, expect, test, vi } from 'vitest'
import {
  giveBackInflateMemory,
  takeInflateMemory,
} from '../../../src/engine/codec/gzip/inflate-core'
import type { DurableFile } from '../../../src/engine/disk/durable-files'
import { inflatedBlocks } from '../../../src/sync/file/file-inflater'
import { randomNumbers } from '../../engine/codec/gzip/deflate-mutants'
import { threads } from '../../engine/stages/recorded-workers'
import { SimulatedMachine } from '../simulated-machine'

vi.mock('node:worker_threads', async original =>
  (await import('../../engine/stages/recorded-workers')).recording(await original()),
)

async function fileOf(bytes: Uint8Array): Promise<DurableFile> {
  const file = await new SimulatedMachine(0).start().files.edit('/file')
  await file.write(0, bytes)
  return file
}

interface Reading {
  readonly content: Buffer
  readonly blocks: number
  readonly failure: unknown
}

/** Reads until the end or the failure. */
async function read(file: DurableFile, readBytes?: number): Promise<Reading> {
  const blocks: Uint8Array[] = []
  let failure: unknown
  try {
    for await (const block of inflatedBlocks(file, readBytes)) blocks.push(Uint8Array.from(block))
  } catch (error) {
    failure = error
  }
  return { content: Buffer.concat(blocks), blocks: blocks.length, failure }
}

const rows = (count: number) =>
  Buffer.from(Array.from({ length: count }, (_, n) => `row ${n}\n`).join(''))

const members = fc.array(
  fc.oneof(
    fc.constant(Buffer.alloc(0)),
    fc.string({ maxLength: 40 }).map(text => Buffer.from(text)),
    fc
      .nat({ max: 3_000 })
      .map(count => Buffer.from(Array.from({ length: count }, (_, n) => (n * 31) % 251))),
  ),
  { minLength: 1, maxLength: 6 },
)

test('the blocks are the content, over members of any size and zeros between them, for any size of a read', async () => {
  await fc.assert(
    fc.asyncProperty(
      members,
      fc.integer({ min: 1, max: 300 }),
      fc.nat({ max: 5 }),
      async (contents, readBytes, zeros) => {
        fc.pre(!contents[0]!.subarray(0, 2).equals(Buffer.from([0x1f, 0x8b])))
        const file = await fileOf(
          Buffer.concat(contents.flatMap(content => [gzipSync(content), Buffer.alloc(zeros)])),
        )
        const { content, failure } = await read(file, readBytes)
        expect([failure, content.equals(Buffer.concat(contents))]).toEqual([undefined, true])
      },
    ),
    { numRuns: 100 },
  )
})

test('the file is read once, from its start to its end, so many bytes at a time', async () => {
  const bytes = gzipSync(rows(3_000))
  const file = await fileOf(bytes)
  const reads: [number, number][] = []
  const readFile = file.read.bind(file)
  file.read = (offset, length) => {
    reads.push([offset, length])
    return readFile(offset, length)
  }
  expect((await read(file, 1_000)).content.equals(rows(3_000))).toBe(true)
  expect(reads).toEqual(
    Array.from({ length: Math.ceil(bytes.length / 1_000) + 1 }, (_, n) => [
      Math.min(n * 1_000, bytes.length),
      1_000,
    ]),
  )
})

test('fault 39: a wrong checksum is found behind the blocks, for any size of a read', async () => {
  const content = rows(3_000)
  const gzip = gzipSync(content)
  gzip[gzip.length - 8]! ^= 1
  for (const readBytes of [1, 500, undefined]) {
    const found = await read(await fileOf(gzip), readBytes)
    expect(found.failure).toMatchObject({ code: 'GZIP_CRC_MISMATCH' })
    expect(found.content.equals(content)).toBe(true)
  }
})

test('an empty file and a file that is cut are typed failures', async () => {
  const gzip = gzipSync(rows(3_000))
  const failureOf = async (bytes: Uint8Array) => (await read(await fileOf(bytes), 500)).failure
  expect(await failureOf(Buffer.alloc(0))).toMatchObject({ code: 'GZIP_EMPTY' })
  for (const length of [1, 9, 10, 1_000, gzip.length - 9, gzip.length - 1])
    expect(await failureOf(gzip.subarray(0, length))).toMatchObject({ code: 'GZIP_TRUNCATED' })
})

test('node:zlib reads a file where WebAssembly is missing', async () => {
  vi.resetModules()
  vi.stubGlobal('WebAssembly', undefined)
  try {
    const fresh = await import('../../../src/sync/file/file-inflater')
    const content = rows(30_000)
    const blocks: Uint8Array[] = []
    for await (const block of fresh.inflatedBlocks(await fileOf(gzipSync(content)), 500))
      blocks.push(Uint8Array.from(block))
    expect(Buffer.concat(blocks).equals(content)).toBe(true)
  } finally {
    vi.unstubAllGlobals()
  }
})

describe('leaving the sequence', () => {
  test('is possible before the first block, and twice', async () => {
    const file = await fileOf(gzipSync(rows(100)))
    const blocks = inflatedBlocks(file)
    await blocks.return()
    await blocks.return()
    // The file is its caller's, and stays open.
    expect((await read(file)).content.equals(rows(100))).toBe(true)
  })

  test('in the middle frees the memory of the engine for the next one', async () => {
    const before = takeInflateMemory()
    giveBackInflateMemory(before)
    const blocks = inflatedBlocks(await fileOf(gzipSync(rows(30_000))), 1_000)
    const whileOpen: unknown[] = []
    for await (const block of blocks) {
      expect(rows(30_000).subarray(0, block.length).equals(block)).toBe(true)
      const other = takeInflateMemory()
      whileOpen.push(other)
      giveBackInflateMemory(other)
      break
    }
    await blocks.return()
    const after = takeInflateMemory()
    giveBackInflateMemory(after)
    expect(whileOpen).not.toContain(before)
    expect(whileOpen).toHaveLength(1)
    expect(after).toBe(before)
  })
})

describe('a large file', () => {
  const MIB = 2 ** 20

  /** Makes bytes that do not compress, from few random ones. */
  function noise(bytes: number): Buffer {
    const next = randomNumbers(bytes)
    const block = Buffer.from(Array.from({ length: 1 << 16 }, () => next(256)))
    const all = Buffer.alloc(bytes)
    for (let at = 0, n = 0; at < bytes; at += block.length, n++)
      block.copy(all, at, (n * 997) & 0xff)
    return all
  }

  const content = noise(17 * MIB)
  const gzip = gzipSync(content, { level: 1 })

  test('has the same bytes as a small one, and needs no worker', async () => {
    expect(gzip.length).toBeGreaterThan(16 * MIB)
    const found = await read(await fileOf(gzip))
    expect([found.failure, found.content.equals(content)]).toEqual([undefined, true])
    expect(threads.workers).toHaveLength(0)
  })

  test('fault 39: has its damage found behind its last block', async () => {
    const damaged = Buffer.from(gzip)
    damaged[damaged.length - 8]! ^= 1
    const found = await read(await fileOf(damaged))
    expect(found.failure).toMatchObject({ code: 'GZIP_CRC_MISMATCH' })
    expect(found.content.equals(content)).toBe(true)
  })

  test('may be left in the middle', async () => {
    let length = 0
    for await (const block of inflatedBlocks(await fileOf(gzip))) {
      expect(content.subarray(length, length + block.length).equals(block)).toBe(true)
      length += block.length
      if (length > 8 * MIB) break
    }
    expect(length).toBeLessThan(9 * MIB)
  })
})
