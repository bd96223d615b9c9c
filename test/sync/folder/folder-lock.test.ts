import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { utimesSync } from 'node:fs'
import { link, mkdir, mkdtemp, readdir, rm, stat, symlink, writeFile } from 'node:fs/promises'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import fc from 'fast-check'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { FeedError } from '../../../src/engine/errors'
import { type FolderLock, takeFolderLock } from '../../../src/sync/folder/folder-lock'
import { builtScripts } from '../../built-scripts'
import { runsWith } from '../../tools'
import type { AskerTask } from './lock-asker'

let built: string
beforeAll(async () => {
  built = await builtScripts('lock', { asker: 'test/sync/folder/lock-asker.ts' })
}, 60_000)
afterAll(() => rm(built, { recursive: true }))

let folder: string
const children: ChildProcess[] = []
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'feedmill-lock-'))
})
afterEach(async () => {
  for (const child of children.splice(0)) await kill(child)
  await rm(folder, { recursive: true })
})

function start(task: AskerTask, prefix: readonly string[] = []): ChildProcess {
  const [program, ...args] = [...prefix, process.execPath, join(built, 'asker.js'), task, folder]
  const child = spawn(program!, args, { stdio: ['pipe', 'pipe', 'inherit'] })
  child.stdout!.setEncoding('utf8')
  children.push(child)
  return child
}

/** Returns the next line that a child says. */
async function line(child: ChildProcess): Promise<string> {
  const [text] = await once(child.stdout!, 'data')
  return text.trim()
}

async function kill(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  child.kill('SIGKILL')
  await once(child, 'exit')
}

async function holder(): Promise<ChildProcess> {
  const child = start('hold')
  expect(await line(child)).toBe('held')
  return child
}

/** Times in which a claim of another kernel is over at once, and in which none is over in a test. */
const SHORT = { beatMs: 20, silenceMs: 20, longestPauseMs: 640 }
const PATIENT = { beatMs: 20, silenceMs: 600_000, longestPauseMs: 2_560 }
const take = (times = PATIENT) => takeFolderLock(folder, times)
const place = (...names: string[]) => join(folder, 'lock', ...names)
const inPlace = () => readdir(place())
const claims = async () => (await inPlace()).filter(name => name.endsWith('.json'))

/** Its number is below that of every request. */
const ID = '0000000000000-0123456789ab-0123456789abcdef'
const CLAIM = { pid: 7, host: 'elsewhere', since: '2025-06-15T15:06:40.000Z' }
async function leave(name: string, content: string): Promise<void> {
  await mkdir(place(), { recursive: true })
  await writeFile(place(name), content)
}

test('fault 83: a second holder is refused, also in the same process, and learns who has the lock, since when, and what to do', async () => {
  const lock = await take()
  const error = await take().catch(failure => failure)
  const [claim] = await claims()
  expect(error).toMatchObject({
    code: 'STATE_LOCKED',
    context: { path: folder, pid: process.pid, file: place(claim!) },
  })
  expect(Date.parse(error.context.since)).toBeLessThanOrEqual(Date.now())
  expect(error.message).toMatch(
    /^.* is in use by process \d+ on .*, since .*\.json says so\): wait until that process has ended, or end it;/,
  )
  await lock.release()
  await (await take()).release()
  expect(await inPlace()).toEqual([])
})

test('another spelling of the path is the same lock', async () => {
  const link = `${folder}-link`
  await symlink(folder, link)
  const lock = await take()
  await expect(takeFolderLock(link)).rejects.toMatchObject({ code: 'STATE_LOCKED' })
  await lock.release()
  await rm(link)
})

describe('fault 92: the lock ends with its holder, at once', () => {
  test('after SIGKILL, and after other holders have died before', async () => {
    for (let n = 0; n < 2; n++) await kill(await holder())
    const lock = await take()
    expect(await claims()).toHaveLength(1)
    await lock.release()
    expect(await inPlace()).toEqual([])
  })

  test('after an exit without a release, which also removes the claim', async () => {
    const child = start('exit')
    expect(await line(child)).toBe('held')
    await once(child, 'exit')
    expect(await claims()).toEqual([])
    await (await take()).release()
    expect(await inPlace()).toEqual([])
  })

  test('after the end of its thread, while the process lives on', async () => {
    const child = start('thread')
    expect(await line(child)).toBe('held')
    await expect(take()).rejects.toMatchObject({ context: { pid: child.pid } })
    child.stdin!.write('end')
    expect(await line(child)).toBe('the thread has ended')
    await (await take()).release()
  })

  test('after the end of a worker of a cluster, and not after the end of its primary process', async () => {
    for (const ends of ['worker', 'primary']) {
      const child = start('cluster')
      const pid = Number(/^held by (\d+)$/.exec(await line(child))![1])
      if (ends === 'primary') {
        process.kill(pid, 'SIGSTOP')
        await kill(child)
      }
      await expect(take()).rejects.toMatchObject({ context: { pid } })
      process.kill(pid, 'SIGKILL')
      if (ends === 'worker') expect(await line(child)).toBe('the worker has ended')
      await vi.waitFor(async () => (await take()).release())
    }
  })
})

test('fault 92: a stopped holder keeps the lock, also with more connections than the kernel keeps for it, until it is killed', async () => {
  const child = await holder()
  child.kill('SIGSTOP')
  const [socket] = (await inPlace()).filter(name => name.endsWith('.sock'))
  const ends = new Set<string>()
  const ask = () =>
    new Promise<void>(resolve => {
      const one = connect(place(socket!))
      one.once('connect', () => ends.add('accepted'))
      one.once('error', error => ends.add((error as NodeJS.ErrnoException).code!))
      one.once('connect', () => one.destroy()).once('close', () => resolve())
    })
  while (!ends.has('EAGAIN')) await ask()
  expect([...ends]).toEqual(['accepted', 'EAGAIN'])
  for (let n = 0; n < 2; n++)
    await expect(take()).rejects.toMatchObject({
      code: 'STATE_LOCKED',
      context: { pid: child.pid },
    })
  await kill(child)
  await (await take()).release()
})

describe('fault 92: a claim from another kernel', () => {
  test.each([
    ['as a whole', JSON.stringify(CLAIM)],
    ['empty', ''],
    ['torn', '{"pid"'],
    ['as something else', 'something'],
  ])('is over once nobody touches it: %s', async (_, content) => {
    await leave(`${ID}.json`, content)
    const lock = await take(SHORT)
    expect(await claims()).toHaveLength(1)
    await lock.release()
    expect(await inPlace()).toEqual([])
  })

  test('stands while its holder touches it, and the error names that holder', async () => {
    const held = await take(SHORT)
    const [name] = await claims()
    await link(place(name!), place(`${ID}.json`))
    await expect(take()).rejects.toMatchObject({
      code: 'STATE_LOCKED',
      context: { pid: process.pid, file: place(`${ID}.json`) },
    })
    await held.release()
    await (await take(SHORT)).release()
    expect(await inPlace()).toEqual([])
  })

  test.each(['json', 'sock'])('is over when its only file is removed, *.%s', async kind => {
    await leave(`${ID}.${kind}`, JSON.stringify(CLAIM))
    const taken = take()
    await vi.waitFor(async () => expect((await inPlace()).length).toBe(3))
    await rm(place(`${ID}.${kind}`))
    await (await taken).release()
  })

  test('that is younger stands too', async () => {
    const path = place(`9${ID.slice(1)}.json`)
    await leave(path.slice(place().length), JSON.stringify(CLAIM))
    let time = 0
    const touching = setInterval(() => utimesSync(path, ++time, time), 5)
    const short = { ...PATIENT, longestPauseMs: 20 }
    await expect(take(short)).rejects.toMatchObject({ context: { file: path } })
    clearInterval(touching)
  })
})

describe('fault 157: one writer holds a folder whatever the clocks say', () => {
  afterEach(() => void vi.useRealTimers())
  const LEAST = -8.64e15
  const clock = fc.oneof(
    fc.constantFrom(LEAST, -LEAST, 0, -1, 999_999_999_999, 1e13 - 1, 1e13, 4e12),
    fc.integer({ min: LEAST, max: -LEAST }),
  )

  test('two askers, each with a clock of its own, at any two times', async () => {
    vi.useFakeTimers({ toFake: ['Date'] })
    await fc.assert(
      fc.asyncProperty(clock, clock, async (first, second) => {
        vi.setSystemTime(first)
        const lock = await take()
        vi.setSystemTime(second)
        // The later asker gives way at once.
        await expect(take()).rejects.toMatchObject({ code: 'STATE_LOCKED' })
        await lock.release()
        await (await take()).release()
        expect(await inPlace()).toEqual([])
      }),
      { numRuns: 100 },
    )
  }, 60_000)

  test('many askers at once, whose clocks jump meanwhile', async () => {
    vi.useFakeTimers({ toFake: ['Date'] })
    await fc.assert(
      fc.asyncProperty(fc.array(clock, { minLength: 2, maxLength: 8 }), async clocks => {
        const ends = await Promise.allSettled(
          clocks.map(async now => {
            vi.setSystemTime(now)
            return take()
          }),
        )
        const locks = ends.flatMap(end => (end.status === 'fulfilled' ? [end.value] : []))
        expect(locks).toHaveLength(1)
        await locks[0]!.release()
        expect(await inPlace()).toEqual([])
      }),
      { numRuns: 60 },
    )
  }, 60_000)

  test('a holder whose clock stands still keeps its claim alive', async () => {
    await fc.assert(
      fc.asyncProperty(clock, async now => {
        vi.useFakeTimers({ toFake: ['Date'], now })
        const held = await take(SHORT)
        const [name] = await claims()
        const times = new Set<number>()
        await vi.waitFor(async () => {
          times.add((await stat(place(name!))).mtimeMs)
          expect(times.size).toBeGreaterThan(3)
        })
        await held.release()
      }),
      { numRuns: 15 },
    )
  }, 60_000)

  test('and one of another kernel finds it alive', async () => {
    vi.useFakeTimers({ toFake: ['Date'], now: 5e12 })
    const held = await take({ ...SHORT, beatMs: 5 })
    const [name] = await claims()
    await link(place(name!), place(`${ID}.json`))
    // Its first time is that of the system's clock.
    await delay(30)
    await expect(take({ ...SHORT, silenceMs: 200 })).rejects.toMatchObject({
      code: 'STATE_LOCKED',
      context: { file: place(`${ID}.json`) },
    })
    await held.release()
    await (await take(SHORT)).release()
  })
})

test('files that are none of the lock stay, and what a killed asker leaves goes', async () => {
  await kill(await holder())
  for (const name of await claims()) await rm(place(name))
  await leave('notes.json', '')
  await leave(`${ID}.sock`, '')
  await leave(`${ID}.sock.new`, '')
  expect(await inPlace()).toHaveLength(4)
  await (await take(SHORT)).release()
  expect(await inPlace()).toEqual(['notes.json'])
})

describe('two holders are impossible', () => {
  test('fault 83: exactly one of many askers takes over an old lock that all find at the same time', async () => {
    for (let round = 0; round < 10; round++) {
      if (round % 2 === 0) await leave(`${ID}.json`, JSON.stringify(CLAIM))
      const ends = await Promise.allSettled(Array.from({ length: 8 }, () => take(SHORT)))
      const locks = ends.flatMap(end => (end.status === 'fulfilled' ? [end.value] : []))
      const refusals = ends.flatMap(end => (end.status === 'rejected' ? [end.reason] : []))
      expect(locks).toHaveLength(1)
      expect(await claims()).toHaveLength(1)
      expect(refusals.map(error => FeedError.is(error) && error.code)).toEqual(
        Array(7).fill('STATE_LOCKED'),
      )
      await locks[0]!.release()
    }
    expect(await inPlace()).toEqual([])
  })

  test('of askers that come, hold and release at any times', async () => {
    const pause = fc.integer({ min: 0, max: 12 })
    const askers = fc.array(fc.record({ before: pause, within: pause }), {
      minLength: 2,
      maxLength: 12,
    })
    await fc.assert(
      fc.asyncProperty(askers, async all => {
        let holders = 0
        let held = 0
        await Promise.all(
          all.map(async ({ before, within }) => {
            await delay(before)
            let lock: FolderLock
            try {
              lock = await take()
            } catch (error) {
              expect(error).toMatchObject({ code: 'STATE_LOCKED' })
              return
            }
            expect(++holders).toBe(1)
            held++
            await delay(within)
            holders--
            await lock.release()
          }),
        )
        expect(held).toBeGreaterThan(0)
        expect(await inPlace()).toEqual([])
      }),
      { numRuns: 60 },
    )
  }, 60_000)

  test('of processes that compete', async () => {
    const all = Array.from({ length: 5 }, () => start('compete'))
    expect(await Promise.all(all.map(line))).toEqual(Array(5).fill('done'))
    expect(await inPlace()).toEqual([])
  }, 60_000)
})

describe('a path that is too long for a socket', () => {
  let temporary: string
  beforeEach(async () => {
    temporary = await mkdtemp('/tmp/feedmill-t-')
    vi.stubEnv('TMPDIR', temporary)
  })
  afterEach(async () => {
    vi.unstubAllEnvs()
    await rm(temporary, { recursive: true })
  })

  test('has the same lock, and leaves no link', async () => {
    const deep = join(folder, 'ä'.repeat(60), 'x'.repeat(90))
    await mkdir(deep, { recursive: true })
    const lock = await takeFolderLock(deep)
    await expect(takeFolderLock(deep)).rejects.toMatchObject({
      code: 'STATE_LOCKED',
      context: { path: deep, pid: process.pid },
    })
    await lock.release()
    await (await takeFolderLock(deep)).release()
    expect(await readdir(temporary)).toEqual([])
    expect(await readdir(join(deep, 'lock'))).toEqual([])
  })

  test('fails where the folder for temporary files is no help', async () => {
    vi.stubEnv('TMPDIR', join(temporary, 'x'.repeat(100)))
    const deep = join(folder, 'x'.repeat(100))
    await mkdir(deep)
    await expect(takeFolderLock(deep)).rejects.toMatchObject({
      code: 'STATE_IO',
      message: expect.stringContaining('use a folder with a shorter path'),
    })
    expect(await readdir(join(deep, 'lock'))).toEqual([])
  })
})

describe.runIf(runsWith('/dev/shm'))('a refused connection', () => {
  test('is a proof for a claim of the same device only', async () => {
    const kernels: string[] = []
    for (const parent of [tmpdir(), tmpdir(), '/dev/shm']) {
      const other = await mkdtemp(join(parent, 'feedmill-lock-'))
      const lock = await takeFolderLock(other)
      const [name] = await readdir(join(other, 'lock'))
      kernels.push(/^\d+-[\da-f]{12}-([\da-f]{16})\.json$/.exec(name!)![1]!)
      await lock.release()
      await rm(other, { recursive: true })
    }
    expect(kernels[0]).toBe(kernels[1])
    expect(kernels[0]).not.toBe(kernels[2])
  })
})

test('a folder that cannot be made is STATE_IO', async () => {
  await writeFile(join(folder, 'lock'), '')
  await expect(take()).rejects.toMatchObject({ code: 'STATE_IO' })
})

describe.runIf(runsWith('strace'))('a file system that', () => {
  function startWith(calls: string, error: string, ...options: string[]): ChildProcess {
    const inject = ['-e', `trace=${calls}`, '-e', `inject=${calls}:error=${error}`]
    return start('exit', ['strace', '-f', '-qq', '-o', '/dev/null', ...options, ...inject])
  }

  test.each([
    ['folders', 'mkdir,mkdirat', 'EROFS', 'mounted read-only: mount it writable'],
    ['sockets', 'bind', 'EPERM', 'failed: no Unix domain sockets; the file system has none: use a'],
    ['connections', 'connect', 'ECONNREFUSED', 'failed: no Unix domain sockets;'],
    ['names', 'rename', 'ENOSPC', 'make room on the disk'],
  ])(
    'refuses %s is STATE_IO, says what to do, and leaves nothing',
    async (_, calls, error, words) => {
      expect(await line(startWith(calls, error))).toContain(words)
      expect(await inPlace().catch(() => [])).toEqual([])
    },
  )

  test('has no room for a claim is the same', async () => {
    await mkdir(place())
    const child = startWith('openat', 'ENOSPC:when=1', '-P', place())
    expect(await line(child)).toContain('make room on the disk')
    expect(await inPlace()).toEqual([])
  })

  test('loses a new socket, which an asker may remove before it listens, gets another one', async () => {
    expect(await line(startWith('rename', 'ENOENT:when=1'))).toBe('held')
  })
})
