// The rows that a target gets, the quarantine of those that it does not get, and the proof of a file
// while its rows are read.

import { mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { machineFiles } from '../../../src/engine/disk/durable-files'
import { FileRows, type FileRowsOptions } from '../../../src/sync/file/file-rows'
import { type FileId, fileIdKey, localNameOf } from '../../../src/sync/file-id'
import { tsv } from '../../tsv-text'
import { SimulatedMachine } from '../simulated-machine'

const id: FileId = {
  marketplace: 'MKT_US',
  categoryId: '220',
  feed: 'item_snapshot',
  hour: '2026-03-01T07:00:00.000Z',
}
let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'feedmill-rows-'))
})
afterAll(() => rm(folder, { recursive: true }))

/** The rows of a file with these compressed bytes. */
async function rowsIn(
  bytes: Uint8Array,
  options: Partial<FileRowsOptions> = {},
): Promise<FileRows> {
  const { files } = new SimulatedMachine(0).start()
  const file = await files.edit('/file')
  await file.write(0, bytes)
  const proven = { id, identity: { totalBytes: bytes.length } }
  const open = async () => (await files.open('/file'))!
  const signal = new AbortController().signal
  return new FileRows(proven, { open, maxRemovedShare: 1, signal, ...options })
}

async function keysOf(rows: FileRows): Promise<string[]> {
  const keys: string[] = []
  for await (const batch of rows.rows())
    keys.push(...Array.from(batch.batch, (_, n) => batch.key(n)))
  return keys
}

describe('the rows that a target does not get', () => {
  const bad = gzipSync('itemId\tavailability\nv1|1|0\tAVAILABLE\nv1|2|0\n\tAVAILABLE\n')

  test('fault 109: a link at the temporary name of a quarantine is refused, and its target stays', async () => {
    const quarantineFolder = join(folder, 'planted')
    const victim = join(folder, 'victim')
    await mkdir(quarantineFolder)
    await writeFile(victim, 'precious\n')
    await symlink(victim, join(quarantineFolder, `${localNameOf(id)}.quarantine.ndjson.partial`))
    const rows = await rowsIn(bad, {
      quarantine: { files: machineFiles, folder: quarantineFolder },
    })
    await expect(rows.rows().next()).rejects.toMatchObject({ code: 'STATE_IO' })
    expect(await readFile(victim, 'utf8')).toBe('precious\n')
  })

  test('a file appears whole when the rows have ended, a repeated reading replaces it, and a refusal removes it', async () => {
    const quarantineFolder = join(folder, 'bad')
    const rows = await rowsIn(bad, {
      quarantine: { files: machineFiles, folder: quarantineFolder },
    })
    for (const reading of [1, 2]) {
      const keys = await keysOf(rows)
      expect([reading, keys, rows.counts.rowsRead, rows.badRows]).toEqual([
        reading,
        ['v1|1|0'],
        3,
        2,
      ])
      const [name, ...others] = await readdir(quarantineFolder)
      expect(others).toEqual([])
      const lines = (await readFile(join(quarantineFolder, name!), 'utf8')).trim().split('\n')
      expect(lines.map(line => JSON.parse(line))).toMatchObject([
        { name: 'MKT_US/220/item_snapshot/2026-03-01T07:00:00.000Z' },
        { row: 2, code: 'TSV_ROW_SHORT', text: 'v1|2|0\n' },
        { row: 3, code: 'KEY_MISSING', text: '\tAVAILABLE\n' },
      ])
    }
    await rows.discard()
    expect(await readdir(quarantineFolder)).toEqual([])
  })

  test('of a damaged file are only beside the place of the quarantine, until they are removed', async () => {
    const quarantineFolder = join(folder, 'damaged')
    const good = Array.from({ length: 90_000 }, (_, n) => `v1|${n}|0\tAVAILABLE\n`)
    const long = gzipSync(['itemId\tavailability\nv1|1\n', ...good].join(''))
    const rows = await rowsIn(long.subarray(0, -1), {
      quarantine: { files: machineFiles, folder: quarantineFolder },
    })
    await expect(keysOf(rows)).rejects.toMatchObject({ code: 'GZIP_TRUNCATED' })
    expect(await readdir(quarantineFolder)).toEqual([
      `${localNameOf(id)}.quarantine.ndjson.partial`,
    ])
    await rows.discard()
    expect(await readdir(quarantineFolder)).toEqual([])
  })
})

describe('the proof of a file', () => {
  const names = Array.from({ length: 9_000 }, (_, n) => `v1|${n}|0`)
  const text = tsv([['itemId', 'title'], ...names.map(name => [name, `title of ${name}`])])
  const whole = gzipSync(text)

  const changed = (offset: number) => {
    const bytes = Buffer.from(whole)
    bytes[(bytes.length + offset) % bytes.length]! ^= 1
    return bytes
  }

  test.each([
    ['one member', whole, text.length, names],
    [
      'two members',
      Buffer.concat([whole, gzipSync('v1|x|0\ty\n')]),
      text.length + 9,
      [...names, 'v1|x|0'],
    ],
    ['a header line alone', gzipSync('itemId\ttitle'), 12, []],
  ])('%s: the rows, the size of the content and the end are told once', async (_, ...of) => {
    const [bytes, size, keys] = of
    const proven: string[] = []
    const rows = await rowsIn(bytes, { onProven: file => proven.push(fileIdKey(file)) })
    for (const _ of [1, 2]) expect(await keysOf(rows)).toEqual(keys)
    expect([rows.rawBytes, rows.counts.rowsRead, rows.damage]).toEqual([
      size,
      keys.length,
      undefined,
    ])
    expect(proven).toEqual([fileIdKey(id)])
  })

  test.each([
    ['its checksum', changed(-8), 'GZIP_CRC_MISMATCH'],
    ['its size', changed(-4), 'GZIP_SIZE_MISMATCH'],
    ['its end', whole.subarray(0, -1), 'GZIP_TRUNCATED'],
    ['what follows', Buffer.concat([whole, Buffer.from('x')]), 'GZIP_TRAILING_GARBAGE'],
    ['its beginning', changed(0), 'GZIP_HEADER_INVALID'],
    ['no header line', gzipSync(''), 'TSV_EMPTY'],
    ['another header line', gzipSync('title\tprice\na\t1\n'), 'TSV_COLUMN_MISSING'],
    ['an unreadable header line', gzipSync('"title\n'), 'TSV_HEADER_INVALID'],
  ])(
    'fault 39: the rows end with an error for %s, and count as not read',
    async (_, bytes, code) => {
      let counted = 0
      const rows = await rowsIn(bytes, {
        onRows: more => {
          counted += more
        },
        onProven: () => expect.unreachable(),
      })
      await expect(keysOf(rows)).rejects.toMatchObject({ code })
      expect([rows.damage, counted]).toMatchObject([{ code }, 0])
    },
  )

  test('a stopped reading ends with the reason', async () => {
    const signal = AbortSignal.abort(new RangeError('stopped'))
    await expect(keysOf(await rowsIn(whole, { signal }))).rejects.toThrow('stopped')
  })

  test('a reading that is left and a file that cannot be read are no damage', async () => {
    const rows = await rowsIn(whole)
    for await (const _ of rows.rows()) break
    expect(await keysOf(rows)).toEqual(names)
    const lost = await rowsIn(whole, { open: () => Promise.reject(new RangeError('gone')) })
    await expect(keysOf(lost)).rejects.toThrow('gone')
    expect([rows.damage, lost.damage]).toEqual([undefined, undefined])
  })
})
