import { appendFile, mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { leaveMark, takeMark } from '../../../src/state/level/closing-mark'

let folder: string
let index: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'feedmill-test-'))
  index = join(folder, 'index')
  await mkdir(index)
  await writeFile(join(index, 'CURRENT'), 'MANIFEST-000001\n')
  await writeFile(join(index, '000003.log'), 'records')
})
afterEach(() => rm(folder, { recursive: true, force: true }))

test('is taken away where the files are those that were closed', async () => {
  await leaveMark(folder, index)
  expect(await readdir(folder)).toEqual(['closed.json', 'index'])
  await writeFile(join(index, 'LOG'), 'whatever LevelDB says')
  await takeMark(folder, index)
  expect(await readdir(folder)).toEqual(['index'])
  await takeMark(folder, index)
})

test.each([
  ['has grown', () => appendFile(join(index, '000003.log'), 'x')],
  ['has other bytes', () => writeFile(join(index, '000003.log'), 'rec0rds')],
  ['is gone', () => rm(join(index, '000003.log'))],
  ['is new', () => writeFile(join(index, '000004.log'), '')],
])('refuses files of which one %s', async (_, change) => {
  await leaveMark(folder, index)
  await change()
  await expect(takeMark(folder, index)).rejects.toMatchObject({
    code: 'STATE_CORRUPT',
    context: { path: index },
  })
  // It stays refused.
  await expect(takeMark(folder, index)).rejects.toMatchObject({ code: 'STATE_CORRUPT' })
})
