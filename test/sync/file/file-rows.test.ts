// The rows that a target gets, and the quarantine of those that it does not get.

import { mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { FileRows } from '../../../src/sync/file/file-rows'
import type { FileId } from '../../../src/sync/file-id'
import { localNameOf } from '../../../src/sync/file-id'
import { SpoolFolder } from '../../../src/sync/target/spool-folder'

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

async function badRowsIn(quarantineFolder: string): Promise<FileRows & AsyncDisposable> {
  const text = 'itemId\tavailability\nv1|1|0\tAVAILABLE\nv1|2|0\n\tAVAILABLE\n'
  const bytes = gzipSync(text)
  const spools = await SpoolFolder.temporary(folder)
  await mkdir(dirname(spools.dataPath(id)), { recursive: true })
  await writeFile(spools.dataPath(id), bytes)
  const proven = { id, identity: { totalBytes: bytes.length }, rawBytes: text.length }
  const signal = new AbortController().signal
  const options = { spools, maxRemovedShare: 1, signal, onRows: () => {}, quarantineFolder }
  return Object.assign(new FileRows(proven, options), {
    [Symbol.asyncDispose]: () => spools.removeAll(),
  })
}

test('fault 109: a link at the temporary name of a quarantine is refused, and its target stays', async () => {
  const quarantineFolder = join(folder, 'planted')
  const victim = join(folder, 'victim')
  await mkdir(quarantineFolder)
  await writeFile(victim, 'precious\n')
  const name = `${localNameOf(id)}.quarantine.ndjson.partial`
  await symlink(victim, join(quarantineFolder, name))
  await using rows = await badRowsIn(quarantineFolder)
  await expect(rows.rows().next()).rejects.toMatchObject({ code: 'STATE_IO' })
  expect(await readFile(victim, 'utf8')).toBe('precious\n')
})

test('a file appears whole when the rows have ended, and a repeated reading replaces it', async () => {
  const quarantineFolder = join(folder, 'bad')
  await using rows = await badRowsIn(quarantineFolder)
  for (const reading of [1, 2]) {
    const keys: string[] = []
    for await (const batch of rows.rows()) keys.push(...batch.keys)
    expect([reading, keys, rows.counts.rowsRead, rows.badRows]).toEqual([reading, ['v1|1|0'], 3, 2])
    const [name, ...others] = await readdir(quarantineFolder)
    expect(others).toEqual([])
    const lines = (await readFile(join(quarantineFolder, name!), 'utf8')).trim().split('\n')
    expect(lines.map(line => JSON.parse(line))).toMatchObject([
      { name: 'MKT_US/220/item_snapshot/2026-03-01T07:00:00.000Z' },
      { row: 2, code: 'TSV_ROW_SHORT', text: 'v1|2|0\n' },
      { row: 3, code: 'KEY_MISSING', text: '\tAVAILABLE\n' },
    ])
  }
})
