import { createHash } from 'node:crypto'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { profiledFile } from '../../../src/cli/profile/profile-file'

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'feedmill-profile-'))
})
afterAll(() => rm(folder, { recursive: true }))

test.each([
  ['gzip under the name of text', 'a.tsv', gzipSync('itemId\n'), 'gzip'],
  ['text under the name of gzip', 'a.tsv.gz', Buffer.from('itemId\n'), 'plain'],
  ['a gzip file that is cut after its first byte', 'b', Buffer.from([0x1f]), 'gzip'],
  ['nothing', 'c', Buffer.alloc(0), 'plain'],
  ['more than one read', 'd', Buffer.alloc(600_000, 'x'), 'plain'],
])('the content of the file shows that it is %s', async (_, name, bytes, format) => {
  const path = join(folder, name)
  await writeFile(path, bytes)
  expect(await profiledFile(path)).toEqual({
    path,
    format,
    bytes: bytes.length,
    sha256: createHash('sha256').update(bytes).digest('hex'),
  })
})

test('a file that cannot be read repeatedly is refused', async () => {
  for (const path of [folder, join(folder, 'none')]) {
    await expect(profiledFile(path)).rejects.toMatchObject({
      code: 'OPTION_INVALID',
      context: { option: 'FILE', received: path },
    })
  }
})
