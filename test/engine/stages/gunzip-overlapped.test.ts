// Tests files whose members are inflated by a worker from their second byte on: outputs and errors
// are the same as with one thread.
// Long: it inflates large files, each of them many times.

import { crc32, deflateRawSync, gunzipSync, gzipSync } from 'node:zlib'
import { expect, test, vi } from 'vitest'
import type { InflateEngine } from '../../../src/engine/codec/gzip/inflate-engine'
import type { GunzipOptions } from '../../../src/engine/stages/gunzip-options'
import {
  byteByByte,
  cutAt,
  feedText,
  gzipHeader,
  gzipMember,
  gzipTrailer,
} from '../codec/gzip/build-gzip'
import { cutAnywhere, randomNumbers } from '../codec/gzip/deflate-mutants'
import { runGunzip } from './gunzip-run'
import { OverlappedInflate } from './overlapped-inflate'

const engines = vi.hoisted(() => ({
  make: undefined as ((startOffset: number) => InflateEngine) | undefined,
}))
vi.mock('../../../src/engine/stages/parallel-inflate', async original => ({
  ...(await original<object>()),
  parallelEngine: () => (startOffset: number) => engines.make!(startOffset),
}))
/** The engines that were made. */
const made: OverlappedInflate[] = []
engines.make = startOffset => {
  const engine = new OverlappedInflate(startOffset)
  made.push(engine)
  return engine
}

const TEXT = feedText(6)

/** Runs the pieces with and without a worker, and expects the same result. */
async function expectSame(pieces: readonly Uint8Array[], options: GunzipOptions = {}) {
  const expected = await runGunzip(pieces, { engine: 'wasm', worker: false, ...options })
  const actual = await runGunzip(pieces, { engine: 'wasm', worker: true, ...options })
  expect(plain(actual.error)).toEqual(plain(expected.error))
  expect(actual.output.equals(expected.output)).toBe(true)
  return actual
}

function plain(error: Awaited<ReturnType<typeof runGunzip>>['error']) {
  return error && { code: error.code, message: error.message, context: error.context }
}

test('fault 40: members of all sizes, one after the other, with zeros between them', async () => {
  const sizes = [0, 1, 3000, 0, 90_000, 700_000, 0, 20]
  const contents = sizes.map((size, n) => Buffer.alloc(size, feedText(60, n + 1)))
  const members = contents.map((content, n) =>
    Buffer.concat([gzipSync(content, { level: n % 10 }), Buffer.alloc(n % 3)]),
  )
  const file = Buffer.concat(members)
  const next = randomNumbers(4)
  made.length = 0
  for (let n = 0; n < 4; n++) {
    const { output, error } = await expectSame(n === 0 ? [file] : cutAnywhere(file, 8, next))
    expect(error).toBeUndefined()
    expect(output.equals(Buffer.concat(contents))).toBe(true)
  }
  expect(made.filter(engine => engine.control.outcome !== undefined).length).toBeGreaterThan(15)
})

test('fault 40: small members that came with a large one are inflated though no more input comes', async () => {
  const large = gzipSync(feedText(20_000), { level: 1 })
  const small = Array.from({ length: 10 }, (_, n) => gzipMember(`small ${n}\n`))
  const file = Buffer.concat([large, ...small, large, ...small])
  const { output } = await expectSame([file])
  expect(output.equals(gunzipSync(file))).toBe(true)
})

test('fault 38: cut at every third byte', async () => {
  const file = Buffer.concat([gzipMember(feedText(1)), gzipMember('2')])
  for (let end = 0; end < file.length; end += 3) await expectSame([file.subarray(0, end)])
})

test('fault 39: a wrong CRC32, a wrong size, in the first member or the second', async () => {
  for (const fields of [{ crc: 1 }, { size: 5 }]) {
    for (const members of [
      [gzipMember(TEXT, fields), gzipMember('x')],
      [gzipMember('x'), gzipMember(TEXT, fields)],
    ]) {
      const { error } = await expectSame(members)
      expect(error?.code).toMatch(/GZIP_(CRC|SIZE)_MISMATCH/)
    }
  }
})

test('fault 45: garbage behind the data, however it is cut', async () => {
  const file = Buffer.concat([gzipMember(TEXT), Buffer.from('garbage')])
  for (let cut = file.length - 12; cut < file.length; cut++)
    expect((await expectSame(cutAt(file, cut))).error?.code).toBe('GZIP_TRAILING_GARBAGE')
})

test('fault 49: gzip inside gzip', async () => {
  const twice = gzipSync(gzipSync(TEXT))
  expect((await expectSame([twice])).error?.code).toBe('GZIP_NESTED')
  expect((await expectSame(byteByByte(twice))).error?.code).toBe('GZIP_NESTED')
  expect((await expectSame([twice], { allowNested: true })).error).toBeUndefined()
})

test('fault 50: the caps, at the same byte', async () => {
  const bomb = gzipSync(Buffer.alloc(12 << 20))
  expect((await expectSame([bomb])).error).toMatchObject({
    code: 'GZIP_LIMIT',
    context: { option: 'maxRatio' },
  })
  for (const maxOutputBytes of [1000, 1 << 20, 5_000_000]) {
    const { error } = await expectSame([bomb], { maxRatio: Infinity, maxOutputBytes })
    expect(error).toMatchObject({ code: 'GZIP_LIMIT', context: { option: 'maxOutputBytes' } })
  }
  await expectSame([bomb], { maxRatio: Infinity, maxOutputBytes: 12 << 20 })
})

test('fault 52: damage at every byte', async () => {
  const file = gzipMember(TEXT, { deflated: deflateRawSync(TEXT, { level: 9 }) })
  for (let at = gzipHeader().length; at < file.length; at += 5) {
    const damaged = Buffer.from(file)
    damaged[at]! ^= 1 << (at & 7)
    await expectSame([damaged])
  }
})

test('fault 52: damage far into a file, with outputs before it', async () => {
  const content = feedText(60_000)
  const deflated = deflateRawSync(content, { level: 1 })
  for (const part of [0.3, 0.6, 0.9]) {
    const damaged = Buffer.from(deflated)
    damaged.fill(0xff, Math.floor(part * deflated.length), Math.floor(part * deflated.length) + 40)
    const { output, error } = await expectSame(
      cutAt(Buffer.concat([gzipHeader(), damaged, gzipTrailer(content)]), 300_000),
    )
    expect(error?.code).toMatch(/^GZIP_(DATA_INVALID|CRC_MISMATCH)$/)
    expect(output.length).toBeGreaterThan(500_000)
  }
})

test('the checksum goes on where the first thread left it', async () => {
  const content = feedText(30_000)
  expect(crc32(content)).toBeGreaterThan(0)
  const { error } = await expectSame(cutAt(gzipSync(content, { level: 6 }), 11, 60_000))
  expect(error).toBeUndefined()
})
