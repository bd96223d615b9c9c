import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { FeedError } from '../../src/errors'
import { machineFiles } from '../../src/sync/durable-files'
import { machineProcesses, type Processes, type ProcessIdentity } from '../../src/sync/process-identity'
import { StateLock } from '../../src/sync/state-lock'

let folder: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'feedmill-lock-'))
})
afterEach(() => rm(folder, { recursive: true }))

const take = (processes: Processes = machineProcesses) => StateLock.take(machineFiles, folder, processes)
const leave = (holder: Partial<ProcessIdentity>) =>
  writeFile(join(folder, 'lock.left'), JSON.stringify({ ...machineProcesses.own(), ...holder }))

test('fault 83: a second holder is refused, in the same process too, and told who has it', async () => {
  const lock = await take()
  const error = await take().catch(failure => failure)
  expect(error).toMatchObject({ code: 'STATE_LOCKED', context: { path: folder, pid: process.pid } })
  await lock.release()
  await (await take()).release()
  expect(await readdir(folder)).toEqual([])
})

describe('a lock that was left', () => {
  test('by a process that has ended is taken over', async () => {
    // The largest number that a process of Linux can have, and one more.
    await leave({ pid: 4_194_305 })
    await (await take()).release()
  })

  test('by a process whose number another one has now is taken over', async () => {
    await leave({ startedAt: 'another-boot/12345' })
    await (await take()).release()
  })

  test('by a process of another machine is not', async () => {
    await leave({ pid: 4_194_305, host: 'elsewhere' })
    await expect(take()).rejects.toMatchObject({ code: 'STATE_LOCKED', context: { host: 'elsewhere' } })
  })

  test('that cannot be read is not', async () => {
    await writeFile(join(folder, 'lock.left'), 'something')
    await expect(take()).rejects.toMatchObject({ code: 'STATE_LOCKED' })
    expect(await readdir(folder)).toEqual(['lock.left'])
  })
})

test('what a process left that died while it put its lock up does not matter, and is cleared up', async () => {
  await writeFile(join(folder, 'lock.x.new'), JSON.stringify(machineProcesses.own()))
  await writeFile(join(folder, 'lock.y.new'), '{"pid"')
  const lock = await take()
  expect(await readdir(folder)).toHaveLength(1)
  await lock.release()
  expect(await readdir(folder)).toEqual([])
})

test('fault 83: of many that find one old lock at the same time exactly one takes it', async () => {
  for (let round = 0; round < 10; round++) {
    await leave({ pid: 4_194_305 })
    const ends = await Promise.allSettled(Array.from({ length: 6 }, () => take()))
    const locks = ends.flatMap(end => (end.status === 'fulfilled' ? [end.value] : []))
    const refusals = ends.flatMap(end => (end.status === 'rejected' ? [end.reason] : []))
    expect(locks).toHaveLength(1)
    expect((await readdir(folder)).length).toBe(1)
    expect(refusals.map(error => FeedError.is(error) && error.code)).toEqual(Array(5).fill('STATE_LOCKED'))
    await locks[0]!.release()
  }
  expect(await readdir(folder)).toEqual([])
})
