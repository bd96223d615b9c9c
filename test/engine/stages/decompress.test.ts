// Decompress: which format it takes a file for, and gzip, ZIP and plain files through it. Zstandard is
// in decompress-zstd.test.ts.
// Long: it flips each byte of many archives.

import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { pipeline } from '../../../src/engine/pipeline/pipeline'
import { Decompress, type DecompressOptions } from '../../../src/engine/stages/decompress'
import { Gunzip } from '../../../src/engine/stages/gunzip'
import { TsvRowParser } from '../../../src/engine/stages/tsv-row-parser'
import { runsWith } from '../../tools'
import { buildZip, type ZipEnd, type ZipEntry } from '../codec/unpack/build-zip'
import { inBytes, unpacked, wrongSuccesses } from './decompress-run'
import { runGunzip } from './gunzip-run'

const text = Buffer.from(
  `id\ttitle\n${Array.from({ length: 60 }, (_, n) => `${n}\tlamp ${n * 7919}\n`).join('')}`,
)
const ENGINES = ['wasm', 'zlib', 'fflate'] as const

describe('gzip', () => {
  const files = {
    whole: gzipSync(text),
    'two members': Buffer.concat([gzipSync(text), gzipSync(text), Buffer.alloc(9)]),
    cut: gzipSync(text).subarray(0, 90),
    'a lone first byte': Buffer.from([0x1f]),
    damaged: Buffer.concat([gzipSync(text).subarray(0, 60), Buffer.alloc(300, 0xfe)]),
    'wrong checksum': Buffer.concat([gzipSync(text).subarray(0, -8), Buffer.alloc(8)]),
    'bytes behind it': Buffer.concat([gzipSync(text), Buffer.from('x')]),
    nested: gzipSync(gzipSync(text)),
    'another method': Buffer.from([0x1f, 0x8b, 7, 0, 0]),
  }
  test.each(Object.entries(files))('%s: as Gunzip does', async (_, file) => {
    for (const engine of ENGINES)
      for (const pieces of [[file], inBytes(file)]) {
        const { format, ...run } = await unpacked(pieces, { engine })
        const expected = await runGunzip(pieces, { engine })
        expect(format).toBe('gzip')
        expect(run.output).toEqual(expected.output)
        expect([run.error?.code, run.error?.message, run.error?.context]).toEqual([
          expected.error?.code,
          expected.error?.message,
          expected.error?.context,
        ])
      }
  })

  test('the facts and the caps are those of Gunzip', async () => {
    const stage = new Decompress()
    await pipeline([files['two members']])
      .to(stage)
      .forEach(() => {})
    const gunzip = new Gunzip()
    await pipeline([files['two members']])
      .to(gunzip)
      .forEach(() => {})
    expect(stage.gzipFacts).toEqual(gunzip.facts)
    for (const options of [{ maxOutputBytes: 100 }, { maxMembers: 1 }]) {
      const { error } = await unpacked([files['two members']], options)
      const expected = await runGunzip([files['two members']], options)
      expect(error).toMatchObject({ code: 'GZIP_LIMIT', context: expected.error!.context })
    }
  })
})

describe('a plain file', () => {
  test('anything else passes through, however it is cut', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.oneof(
          fc.uint8Array({ minLength: 5 }),
          fc.constantFrom('PKx', 'P*Mx', '(µx', 'id\n', 'PK\x03x').map(start => Buffer.from(start)),
        ),
        async bytes => {
          const starts = ['\x1f\x8b', 'PK\x03\x04', 'PK\x05\x06', 'PK\x07\x08', '(\xb5/\xfd']
          const start = Buffer.from(bytes).toString('latin1')
          fc.pre(!starts.some(one => start.startsWith(one)) && !start.startsWith('*M\x18', 1))
          for (const pieces of [[bytes], inBytes(bytes)]) {
            const { output, error, format } = await unpacked(pieces)
            expect([output, error, format]).toEqual([Buffer.from(bytes), undefined, 'plain'])
          }
        },
      ),
    )
  })

  test('an empty file is plain', async () => {
    for (const pieces of [[], [Buffer.alloc(0)]])
      expect(await unpacked(pieces)).toEqual({
        output: Buffer.alloc(0),
        error: undefined,
        format: 'plain',
      })
  })

  test('rows of a plain file are read where they lie', async () => {
    const rows = pipeline(inBytes(text)).to(new Decompress()).to(new TsvRowParser())
    expect(await rows.map(row => row.text('id')).toArray()).toHaveLength(60)
  })
})

const file: ZipEntry = { name: 'feed.tsv', content: text }
const folder: ZipEntry = { name: 'out/' }
const FORMS: Record<string, [entries: ZipEntry[], end?: ZipEnd]> = {
  deflated: [[file]],
  stored: [[{ ...file, isStored: true }]],
  'an empty file': [[{ name: 'empty.tsv' }]],
  'with a descriptor': [[{ ...file, descriptor: 'signed' }]],
  'with a descriptor without signature': [[{ ...file, descriptor: 'bare' }]],
  'with ZIP64': [[{ ...file, isZip64: true }], { isZip64: true, comment: 'made for tests' }],
  'stored with ZIP64': [[{ ...file, isStored: true, isZip64: true }]],
  'with ZIP64 and a descriptor': [[{ ...file, isZip64: true, descriptor: 'signed' }]],
  'with directories': [
    [
      folder,
      { ...file, name: 'out/feed.tsv', isStored: true },
      { name: 'out/b/', descriptor: 'signed', method: 0 },
    ],
  ],
}

describe('ZIP', () => {
  const zip = buildZip([file])
  test.each(Object.entries(FORMS))('%s', async (_, [entries, end]) => {
    const content = Buffer.concat(entries.map(entry => entry.content ?? Buffer.alloc(0)))
    const bytes = buildZip(entries, end)
    for (const engine of ENGINES)
      for (const pieces of [[bytes], inBytes(bytes)]) {
        const { output, error, format } = await unpacked(pieces, { engine })
        expect([output.toString(), error, format]).toEqual([content.toString(), undefined, 'zip'])
      }
  })

  test.each(Object.entries(FORMS))(
    '%s: cut at any byte it is no success, and with a wrong byte it gives no wrong bytes',
    async (_, [entries, end]) => {
      const content = Buffer.concat(entries.map(entry => entry.content ?? Buffer.alloc(0)))
      expect(await wrongSuccesses(buildZip(entries, end), content, at => at > 3)).toEqual([])
    },
  )

  test('a directory that was deflated, as Java does it, and the file behind it', async () => {
    const deflatedFolder = buildZip([
      { name: 'out/', descriptor: 'signed', method: 8, content: Buffer.alloc(0) },
      file,
    ])
    // The data of nothing is two bytes.
    const at = 30 + 'out/'.length
    const data = Buffer.concat([
      deflatedFolder.subarray(0, at),
      Buffer.from([3, 0]),
      deflatedFolder.subarray(at),
    ])
    data.writeUInt32LE(2, at + 2 + 8)
    const entryAt = at + 2 + 16
    const listedAt = data.indexOf(Buffer.from('PK\x01\x02'))
    data.writeUInt32LE(2, listedAt + 20)
    const fileListedAt = data.indexOf(Buffer.from('PK\x01\x02'), listedAt + 4)
    data.writeUInt32LE(entryAt, fileListedAt + 42)
    const endAt = data.indexOf(Buffer.from('PK\x05\x06'))
    data.writeUInt32LE(listedAt, endAt + 16)
    for (const engine of ENGINES)
      expect(await unpacked([data], { engine })).toMatchObject({ output: text, error: undefined })
  })

  const second = { name: 'more.tsv', content: text }
  const endOf = (entries: ZipEntry[]) => buildZip(entries).length
  const REFUSED: [string, Buffer, 'INVALID' | 'UNSUPPORTED', number, RegExp][] = [
    [
      'two files',
      buildZip([file, second]),
      'UNSUPPORTED',
      buildZip([file]).indexOf('PK\x01\x02'),
      /"more.tsv" is a second file beside "feed.tsv": .*unzip -p/,
    ],
    ['no file', buildZip([folder]), 'UNSUPPORTED', endOf([folder]) - 22, /no file in it/],
    ['nothing', buildZip([]), 'UNSUPPORTED', 0, /no file in it/],
    ['encrypted', buildZip([{ ...file, flags: 1 }]), 'UNSUPPORTED', 0, /encrypted/],
    [
      'another method',
      buildZip([{ ...file, method: 12 }]),
      'UNSUPPORTED',
      0,
      /method 12 \(bzip2\).*Deflate/,
    ],
    [
      'stored, size behind',
      buildZip([{ ...file, isStored: true, descriptor: 'signed' }]),
      'UNSUPPORTED',
      0,
      /size stands behind/,
    ],
    [
      'a part of several',
      Buffer.concat([Buffer.from('PK\x07\x08'), zip]),
      'UNSUPPORTED',
      0,
      /one part of several/,
    ],
    [
      'bytes behind it',
      Buffer.concat([zip, Buffer.from('\n')]),
      'INVALID',
      zip.length,
      /behind its end/,
    ],
    [
      'another name listed',
      buildZip([{ ...file, listed: { name: 'feed.csv' } }]),
      'INVALID',
      zip.indexOf('PK\x01\x02'),
      /does not agree/,
    ],
    [
      'another CRC listed',
      buildZip([{ ...file, listed: { crc: 1 } }]),
      'INVALID',
      zip.indexOf('PK\x01\x02'),
      /CRC-32 of "feed.tsv" is 1,/,
    ],
    [
      'another size listed',
      buildZip([{ ...file, listed: { bytes: 9 } }]),
      'INVALID',
      zip.indexOf('PK\x01\x02'),
      /size of "feed.tsv" is 9,/,
    ],
    [
      'another count',
      buildZip([file], { entries: 2 }),
      'INVALID',
      zip.length - 22,
      /does not agree/,
    ],
    ['cut off', zip.subarray(0, 100), 'INVALID', 100, /cut off/],
    ['three bytes', zip.subarray(0, 3), 'INVALID', 3, /cut off/],
  ]
  test.each(REFUSED)(
    'fault 169: %s is refused with what it is',
    async (_, bytes, kind, byteOffset, reason) => {
      for (const pieces of [[bytes], inBytes(bytes)]) {
        const { error } = await unpacked(pieces)
        expect(error).toMatchObject({
          code: `UNPACK_${kind}`,
          context: { format: 'zip', byteOffset, reason: expect.stringMatching(reason) },
        })
      }
    },
  )

  test('damaged deflate data is told as that of a ZIP archive, where it is', async () => {
    const damaged = Buffer.from(zip)
    damaged.fill(0xff, 38, 60)
    for (const engine of ENGINES)
      expect((await unpacked([damaged], { engine })).error).toMatchObject({
        code: 'UNPACK_INVALID',
        retryable: true,
        context: { format: 'zip', reason: expect.stringContaining('deflate data is damaged') },
      })
  })

  const bomb = buildZip([{ name: 'bomb', content: Buffer.alloc(8 << 20) }])
  const CAPS: [DecompressOptions, object][] = [
    [{}, { option: 'maxRatio', limit: 250 }],
    [
      { maxRatio: Infinity, maxOutputBytes: 1 << 20 },
      { option: 'maxOutputBytes', limit: 1 << 20 },
    ],
  ]
  test.each(CAPS)('a bomb ends at the cap: %o', async (options, context) => {
    const { error, output } = await unpacked([bomb], options)
    expect(error).toMatchObject({ code: 'UNPACK_LIMIT', context: { format: 'zip', ...context } })
    expect(output.length).toBeLessThan(3 << 20)
  })

  test('directories are counted', async () => {
    const folders = Array.from({ length: 9 }, (_, n) => ({ name: `${n}/` }))
    expect((await unpacked([buildZip([...folders, file])], { maxMembers: 9 })).error).toMatchObject(
      {
        code: 'UNPACK_LIMIT',
        context: { option: 'maxMembers', limit: 9 },
      },
    )
  })

  test('a large file through a parser, with a worker where there is one', async () => {
    const rows = 200_000
    const large = Buffer.from(
      `id\ttitle\n${Array.from({ length: rows }, (_, n) => `${n}\t${(n * 2654435761) % 2 ** 32}\n`).join('')}`,
    )
    for (const isStored of [true, false])
      for (const options of [{}, { engine: 'zlib' } as const]) {
        const bytes = buildZip([{ name: 'large.tsv', content: large, isStored }])
        const blocks = Array.from({ length: Math.ceil(bytes.length / 65_536) }, (_, n) =>
          bytes.subarray(n * 65_536, (n + 1) * 65_536),
        )
        const read = pipeline(blocks).to(new Decompress(options)).to(new TsvRowParser())
        let sum = 0
        await read.forEach(row => void (sum += Number(row.text('id'))))
        expect(sum).toBe((rows * (rows - 1)) / 2)
      }
  })

  test.runIf(runsWith('zip'))('archives of Info-ZIP, of a file and of a stream', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'feedmill-zip-'))
    try {
      writeFileSync(join(folder, 'feed.tsv'), text)
      execFileSync('zip', ['-q', 'file.zip', 'feed.tsv'], { cwd: folder })
      execFileSync('zip', ['-q', '-0', 'stored.zip', 'feed.tsv'], { cwd: folder })
      const streamed = execFileSync('zip', ['-q', '-', '-'], { input: text, cwd: folder })
      const files = ['file.zip', 'stored.zip'].map(name => readFileSync(join(folder, name)))
      for (const bytes of [...files, streamed])
        expect(await unpacked([bytes])).toEqual({ output: text, error: undefined, format: 'zip' })
    } finally {
      rmSync(folder, { recursive: true })
    }
  })
})
