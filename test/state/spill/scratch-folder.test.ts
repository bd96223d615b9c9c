import { existsSync } from 'node:fs'
import { dirname } from 'node:path'
import { expect, test } from 'vitest'
import { scratchFiles } from '../../../src/engine/disk/durable-files'
import { stateIo } from '../../../src/engine/disk/state-errors'
import { ScratchFolder } from '../../../src/state/spill/scratch-folder'

test('the folder is there from its first file until it is closed', async () => {
  const folder = new ScratchFolder()
  const file = await folder.newFile()
  await file.handle.write(0, Buffer.from('abc'))
  expect(Buffer.from(await file.handle.read(1, 2)).toString()).toBe('bc')
  const other = await folder.newFile()
  await folder.remove(file)
  expect([existsSync(file.path), existsSync(other.path)]).toEqual([false, true])
  await folder.close()
  await folder.close()
  expect(existsSync(dirname(file.path))).toBe(false)
})

test('a folder without a file is nothing to remove', async () => {
  await new ScratchFolder().close()
})

test('closing waits for a file that is being made, and no file is made after it', async () => {
  const folder = new ScratchFolder()
  const making = folder.newFile()
  const closing = folder.close()
  const { path } = await making
  await closing
  expect(existsSync(dirname(path))).toBe(false)
  await expect(folder.newFile()).rejects.toMatchObject({ code: 'STATE_IO' })
})

test('a full disk is STATE_IO, and leaves no folder behind once it is closed', async () => {
  let path = ''
  const folder = new ScratchFolder({
    ...scratchFiles,
    create(file) {
      path = file
      throw stateIo(file, 'create', 'ENOSPC')
    },
  })
  await expect(folder.newFile()).rejects.toMatchObject({
    code: 'STATE_IO',
    context: { reason: 'ENOSPC' },
  })
  expect(existsSync(dirname(path))).toBe(true)
  await folder.close()
  expect(existsSync(dirname(path))).toBe(false)
})

test('a folder that was not closed is removed when the process exits', async () => {
  const before = new Set(process.listeners('exit'))
  const folder = new ScratchFolder()
  const { path } = await folder.newFile()
  const added = process.listeners('exit').filter(listener => !before.has(listener))
  expect(added).toHaveLength(1)
  added[0]!(0)
  expect(existsSync(dirname(path))).toBe(false)
  await folder.close()
  expect(process.listeners('exit').filter(listener => !before.has(listener))).toEqual([])
})
