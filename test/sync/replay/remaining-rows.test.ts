import { lstat, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { machineFiles } from '../../../src/engine/disk/durable-files'
import { RemainingRows } from '../../../src/sync/replay/remaining-rows'

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'feedmill-remaining-'))
})
afterAll(() => rm(folder, { recursive: true }))

test('fault 109: a link at the temporary name is refused, and what it points to stays', async () => {
  const [path, victim] = [join(folder, 'edit.ndjson'), join(folder, 'victim')]
  await writeFile(path, 'records\n')
  await writeFile(victim, 'precious\n')
  await symlink(victim, `${path}.partial`)
  const remaining = new RemainingRows(machineFiles, path)
  remaining.of({ file: { feed: 'item' }, columns: ['itemId'] }).take({
    of: { file: { feed: 'item' }, columns: ['itemId'] },
    position: { row: 1, line: 2, byteOffset: 7 },
    bytes: Buffer.from('v1|1|0\n'),
    reason: { code: 'TSV_ROW_SHORT', message: '' },
  })
  await expect(remaining.replaceFile()).rejects.toMatchObject({ code: 'STATE_IO' })
  await remaining.close()
  expect([await readFile(path, 'utf8'), await readFile(victim, 'utf8')]).toEqual([
    'records\n',
    'precious\n',
  ])
  expect((await lstat(`${path}.partial`)).isSymbolicLink()).toBe(true)
})
