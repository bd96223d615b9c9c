import { mkdtemp, readdir, rm, truncate } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { crc32 } from '../../../src/engine/codec/gzip/crc32'
import { HEAD_BYTES, type PlacedEntry } from '../../../src/state/level/index-entry'
import { ValueLog } from '../../../src/state/level/value-log'

let folder: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'feedmill-test-'))
})
afterEach(() => rm(folder, { recursive: true, force: true }))

const entry = (segment: number, offset: number, value: Uint8Array): PlacedEntry => ({
  place: { segment, offset, length: value.length },
  checksum: crc32(value),
  head: new Uint8Array(HEAD_BYTES),
})

async function append(log: ValueLog, value: Uint8Array, fresh = false): Promise<PlacedEntry> {
  const { segment } = await log.end(fresh)
  const offset = log.claim(segment, value.length)
  await log.write(segment, offset, value)
  return entry(segment, offset, value)
}

test('values are read in any order, near and far, from several segments, now and later', async () => {
  let log = await ValueLog.open(folder, 50_000)
  const values = Array.from({ length: 120 }, (_, n) =>
    Buffer.alloc(1 + ((n * 937) % 3000), `${n},`),
  )
  const entries: PlacedEntry[] = []
  for (const value of values) entries.push(await append(log, value))
  expect(log.size).toBeGreaterThan(2)
  expect(log.byteLength).toBe(values.reduce((sum, { length }) => sum + length, 0))
  for (const reopened of [false, true]) {
    if (reopened) {
      await log.sync()
      await log.close()
      log = await ValueLog.open(folder, 50_000)
    }
    await fc.assert(
      fc.asyncProperty(fc.array(fc.nat(119), { maxLength: 60 }), async wanted => {
        const read = await log.read(wanted.map(n => entries[n]!))
        expect(read.map(bytes => Buffer.from(bytes).toString())).toEqual(
          wanted.map(n => values[n]!.toString()),
        )
      }),
      { numRuns: 30 },
    )
  }
  await log.close()
})

test('a removed segment leaves the disk, and a new one has another number', async () => {
  const log = await ValueLog.open(folder, 1000)
  const first = await append(log, Buffer.alloc(10, 'a'))
  const second = await append(log, Buffer.alloc(10, 'b'), true)
  await log.remove(first.place.segment)
  expect(await readdir(folder)).toHaveLength(1)
  await expect(log.read([first])).rejects.toMatchObject({ code: 'STATE_CORRUPT' })
  expect(await log.read([second])).toEqual([new Uint8Array(Buffer.alloc(10, 'b'))])
  const third = await append(log, Buffer.alloc(10, 'c'), true)
  expect(third.place.segment).toBe(3)
  await log.close()
})

test('a missing or different value is STATE_CORRUPT', async () => {
  let log = await ValueLog.open(folder, 1000)
  const first = await append(log, Buffer.alloc(100, 'a'))
  const path = log.pathOf(first.place.segment)
  const wrong: PlacedEntry[] = [
    { ...first, checksum: first.checksum ^ 1 },
    { ...first, place: { ...first.place, offset: 2 ** 31 } },
    { ...first, place: { ...first.place, length: 2 ** 32 - 1 } },
  ]
  for (const entry of wrong)
    await expect(log.read([entry])).rejects.toMatchObject({
      code: 'STATE_CORRUPT',
      context: { path },
    })
  await truncate(path, 50)
  await expect(log.read([first])).rejects.toMatchObject({
    code: 'STATE_CORRUPT',
    context: { path },
  })
  await log.close()
  log = await ValueLog.open(folder, 1000)
  await expect(log.read([first])).rejects.toMatchObject({ code: 'STATE_CORRUPT' })
  await log.close()
})
