import { appendFile, mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import {
  checkCleanShutdownMarker,
  writeCleanShutdownMarker,
} from '../../../src/state/level/store-meta'

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

test('the marker is removed where the files match it', async () => {
  await writeCleanShutdownMarker(folder, index)
  expect(await readdir(folder)).toEqual(['closed.json', 'index'])
  await writeFile(join(index, 'LOG'), 'whatever LevelDB says')
  await checkCleanShutdownMarker(folder, index)
  expect(await readdir(folder)).toEqual(['index'])
  await checkCleanShutdownMarker(folder, index)
})

test.each([
  ['has grown', () => appendFile(join(index, '000003.log'), 'x')],
  ['has other bytes', () => writeFile(join(index, '000003.log'), 'rec0rds')],
  ['is gone', () => rm(join(index, '000003.log'))],
  ['is new', () => writeFile(join(index, '000004.log'), '')],
])('the check refuses files of which one %s', async (_, change) => {
  await writeCleanShutdownMarker(folder, index)
  await change()
  await expect(checkCleanShutdownMarker(folder, index)).rejects.toMatchObject({
    code: 'STATE_CORRUPT',
    context: { path: index },
  })
  // A second check refuses the files too.
  await expect(checkCleanShutdownMarker(folder, index)).rejects.toMatchObject({
    code: 'STATE_CORRUPT',
  })
})
