import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { keepAtExit, removeAtExit, removeNow } from '../../../src/engine/disk/remove-at-exit'

let parent: string
beforeEach(async () => {
  parent = await mkdtemp(join(tmpdir(), 'feedmill-exit-'))
})
afterEach(() => rm(parent, { recursive: true, force: true }))

/** Calls what has been registered for the exit of the process since `before`. */
function exitAfter(before: readonly unknown[]): void {
  for (const listener of process.listeners('exit'))
    if (!before.includes(listener)) listener.call(process, 0)
}

test('one listener removes files and folders at the exit, unless they are kept', async () => {
  const paths = ['folder', 'kept', 'file', 'gone'].map(name => join(parent, name))
  const [folder, kept, file, gone] = paths as [string, string, string, string]
  await mkdir(join(folder, 'inner'), { recursive: true })
  for (const path of [kept, file, gone]) await writeFile(path, 'x')
  const before = process.listeners('exit')
  for (const path of paths) removeAtExit(path)
  expect(process.listenerCount('exit')).toBe(before.length + 1)
  keepAtExit(kept)
  await removeNow(gone)
  expect(paths.map(path => existsSync(path))).toEqual([true, true, true, false])
  exitAfter(before)
  expect(paths.map(path => existsSync(path))).toEqual([false, true, false, false])
  for (const path of paths) keepAtExit(path)
  expect(process.listeners('exit')).toEqual(before)
})
