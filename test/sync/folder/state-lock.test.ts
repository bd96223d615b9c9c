import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, mkdtemp, readdir, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { machineFiles } from '../../../src/engine/disk/durable-files'
import { FeedError } from '../../../src/engine/errors'
import { takeKernelLock } from '../../../src/state/level/kernel-lock'
import { machineProcesses, type ProcessIdentity } from '../../../src/sync/folder/environment'
import { type LockEnvironment, takeStateLock } from '../../../src/sync/folder/state-lock'

let folder: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'feedmill-lock-'))
})
afterEach(() => rm(folder, { recursive: true }))

const MACHINE: LockEnvironment = {
  files: machineFiles,
  processes: machineProcesses,
  lockFolder: takeKernelLock,
}
const take = (path = folder) => takeStateLock(MACHINE, path)
const claims = async () =>
  (await readdir(join(folder, 'lock'))).filter(name => name.endsWith('.json'))

async function leave(name: string, content: string): Promise<void> {
  await mkdir(join(folder, 'lock'), { recursive: true })
  await writeFile(join(folder, 'lock', name), content)
}
const claimOf = (holder: Partial<ProcessIdentity>) =>
  JSON.stringify({ ...machineProcesses.own(), since: '2026-01-01T00:00:00.000Z', ...holder })

test('fault 83: a second holder is refused, also in the same process, and learns who has the lock, since when, and what to do', async () => {
  const lock = await take()
  const error = await take().catch(failure => failure)
  const [claim] = await claims()
  expect(error).toMatchObject({
    code: 'STATE_LOCKED',
    context: { path: folder, pid: process.pid, file: join(folder, 'lock', claim!) },
  })
  expect(Date.parse(error.context.since)).toBeLessThanOrEqual(Date.now())
  expect(error.message).toMatch(
    /^.* is in use by process \d+ on .*, since .*\.json says so\): wait until that process has ended, or end it;/,
  )
  await lock.release()
  await (await take()).release()
  expect(await claims()).toEqual([])
})

test('another spelling of the path is the same lock', async () => {
  const link = `${folder}-link`
  await symlink(folder, link)
  const lock = await take()
  await expect(take(link)).rejects.toMatchObject({ code: 'STATE_LOCKED' })
  await expect(takeKernelLock(join(link, 'lock'))).rejects.toMatchObject({ code: 'STATE_LOCKED' })
  await lock.release()
  await rm(link)
})

describe('fault 92: an abandoned lock', () => {
  test.each([
    // The largest number that a process of Linux can have, and one more.
    ['by a process that has ended', claimOf({ pid: 4_194_305 })],
    ['by a process whose number another one has now', claimOf({ startedAt: 'another-boot/12345' })],
    ['under another host name', claimOf({ pid: 4_194_305, host: 'a-container-that-is-gone' })],
    [
      'under another host name, with a number that runs here',
      claimOf({ host: 'a-container-that-is-gone' }),
    ],
    ['empty', ''],
    ['torn', '{"pid"'],
    ['as something else', 'something'],
  ])('%s is taken over', async (_, content) => {
    await leave('1-left.json', content)
    const lock = await take()
    const [claim, ...others] = await claims()
    expect([claim?.startsWith(`${process.pid}-`), others]).toEqual([true, []])
    await lock.release()
  })

  test('with a damaged database, which a loss of power may leave, is taken over, and works afterwards', async () => {
    await (await take()).release()
    for (const name of ['CURRENT', 'MANIFEST-000002']) await leave(name, '')
    const lock = await take()
    await expect(takeKernelLock(join(folder, 'lock'))).rejects.toMatchObject({
      code: 'STATE_LOCKED',
    })
    await lock.release()
    await (await take()).release()
  })
})

test('fault 92: a running holder under another host name keeps the folder, also while it is stalled; the folder is taken over at once after it is killed', async () => {
  await leave('1-other.json', claimOf({ pid: 7, host: 'another-container' }))
  const script = `
    const { ClassicLevel } = require('classic-level')
    new ClassicLevel(process.argv[1]).open().then(() => { console.log('held'); setInterval(() => {}, 1000) })`
  const holder = spawn(process.execPath, ['-e', script, join(folder, 'lock')], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const ended = once(holder, 'exit')
  await once(holder.stdout, 'data')
  holder.kill('SIGSTOP')
  // A second request must not free the lock.
  for (let n = 0; n < 2; n++) {
    await expect(take()).rejects.toMatchObject({
      code: 'STATE_LOCKED',
      context: { host: 'another-container', pid: 7 },
    })
  }
  expect(await claims()).toEqual(['1-other.json'])
  holder.kill('SIGKILL')
  await ended
  await (await take()).release()
})

test('a claim that cannot be written is STATE_IO, and leaves nothing', async () => {
  const files = {
    ...machineFiles,
    create: () =>
      Promise.reject(
        new FeedError('STATE_IO', '', { path: '', operation: 'create', reason: 'EROFS' }),
      ),
  }
  await expect(takeStateLock({ ...MACHINE, files }, folder)).rejects.toMatchObject({
    code: 'STATE_IO',
  })
  const lockFolder = () =>
    Promise.reject(new FeedError('STATE_IO', '', { path: '', operation: 'lock', reason: 'ENOSPC' }))
  await expect(takeStateLock({ ...MACHINE, lockFolder }, folder)).rejects.toMatchObject({
    code: 'STATE_IO',
  })
  expect(await claims()).toEqual([])
  await (await take()).release()
})

test('fault 83: exactly one of many processes takes over an old lock that all find at the same time', async () => {
  for (let round = 0; round < 10; round++) {
    await leave('1-left.json', claimOf({ pid: 4_194_305 }))
    const ends = await Promise.allSettled(Array.from({ length: 6 }, () => take()))
    const locks = ends.flatMap(end => (end.status === 'fulfilled' ? [end.value] : []))
    const refusals = ends.flatMap(end => (end.status === 'rejected' ? [end.reason] : []))
    expect(locks).toHaveLength(1)
    expect(await claims()).toHaveLength(1)
    expect(refusals.map(error => FeedError.is(error) && error.code)).toEqual(
      Array(5).fill('STATE_LOCKED'),
    )
    await locks[0]!.release()
  }
  expect(await claims()).toEqual([])
})
