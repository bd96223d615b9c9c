// Runs in processes of their own, which strace kills at the Nth write, sync, rename and similar
// call. `npm run test:crash` takes every N up to the end of the run, and `npm test` a few.

import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { runsWith } from '../tools'
import { buildWorker, CrashShop, dropFolder, type FolderContent, newFolder } from './crash-shop'

const ALL = process.env.FEEDMILL_CRASH === 'all'
const HOUR_MS = 3_600_000
const START = new Date('2026-03-01T07:00:00Z')
/** Sizes that give files of some kilobytes, with several pieces and runs each. */
const SHARES = {
  pieceBytes: 3_000,
  chunkBytes: 8_000,
  windowBytes: 32_000,
  sortBytes: 6_000,
}
/** All system calls that change the disk, except `write`, by which threads also wake each other. */
const CALLS =
  'pwrite64,fsync,fdatasync,rename,renameat,renameat2,ftruncate,unlink,unlinkat,rmdir,link,linkat,mkdir,mkdirat'
/**
 * strace counts the calls of each thread. With one thread for files the calls have the same order
 * in each run.
 */
const ONE_THREAD = { UV_THREADPOOL_SIZE: '1' }

const STRACE = ['strace', '-f', '-o', '/dev/null', '-e']
const failingFrom = (n: number, error: string) => [
  ...STRACE,
  `inject=pwrite64,fsync,fdatasync,ftruncate:error=${error}:when=${n}${n % 2 === 0 ? '+' : ''}`,
]
const killedAt = (n: number) => [...STRACE, `inject=${CALLS}:signal=SIGKILL:when=${n}`]

describe.runIf(runsWith('strace'))('killed at the Nth call that writes', () => {
  let shop: CrashShop
  let whole: FolderContent

  beforeAll(async () => {
    const world = { seed: 5, items: 24, churn: 30, start: START, hours: 48 }
    shop = await CrashShop.open(
      await buildWorker(),
      { world, bootstrapAt: START },
      +START + 4 * HOUR_MS,
      SHARES,
    )
    const folder = await newFolder()
    const { isDone, output } = await shop.run(folder)
    expect([isDone, output]).toEqual([true, output])
    whole = await shop.contentOf(folder)
    await dropFolder(folder)
  }, 120_000)
  afterAll(() => shop?.close())

  /** @returns whether the first run was killed */
  async function dieAndGoOn(n: number): Promise<boolean> {
    const folder = await newFolder()
    const killed = await shop.run(folder, killedAt(n), ONE_THREAD)
    if (!killed.isDone) {
      const { isDone, output } = await shop.run(folder)
      expect([n, isDone, output]).toEqual([n, true, output])
    }
    expect([n, await shop.contentOf(folder)]).toEqual([n, whole])
    await dropFolder(folder)
    return !killed.isDone
  }

  test('fault 77: the next run ends with the same state', async () => {
    let kills = 0
    for (let n = 1; await dieAndGoOn(n); n += ALL ? 1 : 71) kills++
    expect(kills).toBeGreaterThan(0)
  }, 3_600_000)

  test.each(['ENOSPC', 'EIO'])(
    'fault 79: %s at a write or sync stops the run with a typed error, and the next run ends with the same state',
    async error => {
      let failures = 0
      for (let n = 1, isHit = true; isHit; n += ALL ? 1 : 71) {
        const folder = await newFolder()
        const { isDone, output } = await shop.run(folder, failingFrom(n, error), ONE_THREAD)
        isHit = !isDone
        if (!isDone) {
          failures++
          expect([n, output.includes('STATE_IO'), output]).toEqual([n, true, output])
          const again = await shop.run(folder)
          expect([n, again.isDone, again.output]).toEqual([n, true, again.output])
        }
        expect([n, await shop.contentOf(folder)]).toEqual([n, whole])
        await dropFolder(folder)
      }
      expect(failures).toBeGreaterThan(1)
    },
    3_600_000,
  )
})
