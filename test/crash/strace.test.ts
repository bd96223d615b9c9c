// Runs in processes of their own, which strace kills at the Nth write, sync, rename and similar
// call, LevelDB's calls included. `npm run test:crash` takes every N up to the end of the run, and
// `npm test` a few.

import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { runsWith } from '../tools'
import { buildWorker, CrashShop, dropFolder, type FolderContent, newFolder } from './crash-shop'

const ALL = process.env.FEEDMILL_CRASH === 'all'
const HOUR_MS = 3_600_000
const START = new Date('2026-03-01T07:00:00Z')
/** Sizes that give files of some kilobytes, with several pieces and commits each. */
const SHARES = {
  pieceBytes: 3_000,
  chunkBytes: 8_000,
  windowBytes: 32_000,
  commitBytes: 10_000,
  readBytes: 2_000,
  batchBytes: 6_000,
}
/** All system calls that change the disk, except `write`, by which threads also wake each other. */
const CALLS =
  'pwrite64,fsync,fdatasync,rename,renameat,renameat2,ftruncate,unlink,unlinkat,rmdir,link,linkat,mkdir,mkdirat'
/** The files that LevelDB appends to by `write`, under their first numbers. */
const LEVEL_FILES = Array.from({ length: 20 }, (_, n) => String(n).padStart(6, '0')).flatMap(
  number => [`${number}.log`, `${number}.ldb`, `${number}.dbtmp`, `MANIFEST-${number}`],
)
/**
 * strace counts the calls of each thread. With one thread for files the calls have the same order
 * in each run.
 */
const ONE_THREAD = { UV_THREADPOOL_SIZE: '1' }

const failingFrom = (calls: string, n: number, error: string) => [
  ...['strace', '-f', '-o', '/dev/null'],
  ...['-e', `inject=${calls}:error=${error}:when=${n}${n % 2 === 0 ? '+' : ''}`],
]
const killedAt = (calls: string, n: number) => [
  'strace',
  '-f',
  '-o',
  '/dev/null',
  '-e',
  `inject=${calls}:signal=SIGKILL:when=${n}`,
]
const tracers = {
  'sync, rename and the like': (_: string, n: number) => killedAt(CALLS, n),
  'write of the store': (folder: string, n: number) => [
    ...killedAt('write', n),
    ...[...LEVEL_FILES, 'LOG'].flatMap(name => ['-P', join(folder, 'store/index', name)]),
  ],
}

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
  async function dieAndGoOn(
    tracer: (typeof tracers)[keyof typeof tracers],
    n: number,
  ): Promise<boolean> {
    const folder = await newFolder()
    const killed = await shop.run(folder, tracer(folder, n), ONE_THREAD)
    if (!killed.isDone) {
      const { isDone, output } = await shop.run(folder)
      expect([n, isDone, output]).toEqual([n, true, output])
    }
    expect([n, await shop.contentOf(folder)]).toEqual([n, whole])
    await dropFolder(folder)
    return !killed.isDone
  }

  test.each(Object.keys(tracers) as (keyof typeof tracers)[])(
    'fault 77: at each %s, and the next run ends with the same state',
    async name => {
      let kills = 0
      for (let n = 1; await dieAndGoOn(tracers[name], n); n += ALL ? 1 : 211) kills++
      expect(kills).toBeGreaterThan(0)
    },
    3_600_000,
  )

  test.each(['ENOSPC', 'EIO'])(
    'fault 79: %s at a write or sync, also of the store, stops the run with a typed error, and the next run ends with the same state',
    async error => {
      let failures = 0
      for (const [calls, paths] of [
        ['pwrite64,fsync,fdatasync,ftruncate', []],
        ['write', LEVEL_FILES],
      ] as const) {
        for (let n = 1, isHit = true; isHit; n += ALL ? 1 : 251) {
          const folder = await newFolder()
          const only = paths.flatMap(name => ['-P', join(folder, 'store/index', name)])
          const { isDone, output } = await shop.run(
            folder,
            [...failingFrom(calls, n, error), ...only],
            ONE_THREAD,
          )
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
      }
      expect(failures).toBeGreaterThan(1)
    },
    3_600_000,
  )
})
