// Zstandard through Decompress.
// Long: it flips each byte of a file.
//
// Newer Node: Zstandard in node:zlib.

import { randomBytes } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { pipeline } from '../../../src/engine/pipeline/pipeline'
import { Decompress, type DecompressOptions } from '../../../src/engine/stages/decompress'
import { TsvRowParser } from '../../../src/engine/stages/tsv-row-parser'
import { hasZstd, ZSTD_TABLE, zstd } from '../../zstd'
import { inBytes, unpacked, wrongSuccesses } from './decompress-run'

const skipped = (bytes: number, variant = 0) => {
  const frame = Buffer.alloc(8 + bytes, 0x28)
  frame.writeUInt32LE(0x184d2a50 + variant, 0)
  frame.writeUInt32LE(bytes, 4)
  return frame
}

test('a Node that lacks it is named, with what to do, at the first input', async () => {
  const { error } = await unpacked([ZSTD_TABLE.bytes])
  if (hasZstd) expect(error).toBeUndefined()
  else
    expect(error).toMatchObject({
      code: 'DEPENDENCY_UNSUPPORTED',
      message: expect.stringMatching(
        /Zstandard needs Node 22\.15 .*23\.8.*this is Node 20.*zstd -dc/,
      ),
      context: { package: 'node', expected: expect.stringContaining('22.15') },
    })
})

test('fault 169: what is wrong before the first data is told by any Node', async () => {
  const two = [skipped(3, 1), skipped(0, 15)]
  expect((await unpacked(inBytes(Buffer.concat(two)))).error).toBeUndefined()
  for (let at = 1; at < 11; at++)
    expect((await unpacked([two[0]!.subarray(0, at)])).error).toMatchObject({
      code: 'UNPACK_INVALID',
      context: { format: 'zstd', byteOffset: at },
    })
  expect((await unpacked([skipped(3), Buffer.from('more')])).error).toMatchObject({
    code: 'UNPACK_INVALID',
    context: { format: 'zstd', byteOffset: 11 },
  })
})

describe.runIf(hasZstd)('with Zstandard', () => {
  const text = Buffer.from(
    `id\ttitle\n${Array.from({ length: 80 }, (_, n) => `${n}\tlamp ${n * 7919}\n`).join('')}`,
  )
  const one = hasZstd ? zstd(text) : Buffer.alloc(0)
  const several = Buffer.concat([skipped(5, 3), one, skipped(0), one, one])
  const threeTimes = Buffer.concat([text, text, text])

  test('frames one behind the other, and frames that are skipped, however they are cut', async () => {
    for (const pieces of [[several], inBytes(several)])
      expect(await unpacked(pieces)).toEqual({
        output: threeTimes,
        error: undefined,
        format: 'zstd',
      })
  })

  test('an empty frame, and one of many blocks', async () => {
    const large = Buffer.concat([randomBytes(1 << 20), Buffer.alloc(1 << 20), randomBytes(1 << 18)])
    for (const content of [Buffer.alloc(0), large]) {
      const { output, error } = await unpacked([zstd(content)])
      expect([output.equals(content), error]).toEqual([true, undefined])
    }
  })

  test('cut at any byte it is no success, and with a wrong byte it gives no wrong bytes', async () => {
    expect(await wrongSuccesses(one, text, at => at > 3)).toEqual([])
    // A cut between two frames looks complete.
    const wrong = await wrongSuccesses(
      Buffer.concat([one, one]),
      Buffer.concat([text, text]),
      () => false,
    )
    expect(wrong).toEqual([`cut at ${one.length}`])
  })

  test('a cut is told with its place, and may pass', async () => {
    expect((await unpacked([one.subarray(0, 70)])).error).toMatchObject({
      code: 'UNPACK_INVALID',
      retryable: true,
      context: { format: 'zstd', byteOffset: 70, reason: expect.stringContaining('cut off') },
    })
  })

  test('bytes behind the last frame, a dictionary, and damaged data', async () => {
    const dictionary = Buffer.from([0x28, 0xb5, 0x2f, 0xfd, 0x21, 7, 0, 1, 0, 0])
    const CASES: [Buffer, string, number, RegExp][] = [
      [Buffer.concat([one, Buffer.from('what')]), 'UNPACK_INVALID', one.length, /remove them/],
      [Buffer.concat([one, Buffer.from('x')]), 'UNPACK_INVALID', one.length + 1, /cut off/],
      [dictionary, 'UNPACK_UNSUPPORTED', 4, /dictionary/],
    ]
    for (const [bytes, code, byteOffset, reason] of CASES)
      for (const pieces of [[bytes], inBytes(bytes)])
        expect((await unpacked(pieces)).error).toMatchObject({
          code,
          context: { format: 'zstd', byteOffset, reason: expect.stringMatching(reason) },
        })
    const damaged = Buffer.from(one)
    damaged[one.length - 1]! ^= 1
    expect((await unpacked([damaged])).error).toMatchObject({
      code: 'UNPACK_INVALID',
      retryable: true,
      context: { format: 'zstd', reason: expect.stringContaining('the data is damaged') },
    })
  })

  const bomb = hasZstd ? zstd(Buffer.alloc(64 << 20)) : Buffer.alloc(0)
  const CAPS: [string, () => Buffer, DecompressOptions, object][] = [
    ['ratio', () => bomb, {}, { option: 'maxRatio', limit: 250 }],
    [
      'output',
      () => bomb,
      { maxRatio: 1e9, maxOutputBytes: 1e6 },
      { option: 'maxOutputBytes', limit: 1e6 },
    ],
    ['frames', () => several, { maxMembers: 4 }, { option: 'maxMembers', limit: 4 }],
    ['window', () => zstd(randomBytes(1000), 10), { maxWindowBytes: 1024 }, {}],
    [
      'large window',
      () => Buffer.from([0x28, 0xb5, 0x2f, 0xfd, 0x04, 0x88, 1, 0, 0]),
      {},
      { option: 'maxWindowBytes', limit: 8 << 20 },
    ],
  ]
  test.each(CAPS)('the cap on %s', async (_, file, options, context) => {
    const { error, output } = await unpacked([file()], options)
    if (Object.keys(context).length === 0) expect(error).toBeUndefined()
    else
      expect(error).toMatchObject({ code: 'UNPACK_LIMIT', context: { format: 'zstd', ...context } })
    expect(output.length).toBeLessThan(3 << 20)
  })

  test('rows of many frames, behind a slow reader', async () => {
    const rows = 20_000
    const frames = Array.from({ length: 20 }, (_, part) => {
      const lines = Array.from({ length: rows / 20 }, (_, n) => `${(part * rows) / 20 + n}\tlamp\n`)
      return zstd(Buffer.from((part === 0 ? 'id\ttitle\n' : '') + lines.join('')))
    })
    const read = pipeline(frames).to(new Decompress()).to(new TsvRowParser())
    let sum = 0
    for await (const batch of read.batches()) {
      await new Promise(resolve => setImmediate(resolve))
      for (const row of batch) sum += Number(row.text('id'))
    }
    expect(sum).toBe((rows * (rows - 1)) / 2)
  })
})
