// The command as it is built: rounds in processes of their own, exit codes, and what becomes of a
// process that fails.

import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { gzipSync } from 'node:zlib'
import { build } from 'tsup'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { roundInProcess } from '../../../src/cli/profile/profile-process'

const run = promisify(execFile)
const ROOT = resolve(import.meta.dirname, '../../..')
const ROWS = Array.from({ length: 5000 }, (_, n) => `v1|${n}|0\tname ${n}\t${n}.50\n`)
const bytes = gzipSync(`itemId\ttitle\tpriceValue\n${ROWS.join('')}`)

let folder: string
let path: string

// Inside the project, so that packages resolve from the project's own.
beforeAll(async () => {
  await mkdir(join(ROOT, '.tmp'), { recursive: true })
  folder = await mkdtemp(join(ROOT, '.tmp/profile-'))
  path = join(folder, 'items.tsv.gz')
  await writeFile(path, bytes)
  await writeFile(join(folder, 'package.json'), '{"type":"module"}')
  await build({
    config: false,
    entry: {
      cli: join(ROOT, 'src/cli/main.ts'),
      process: join(ROOT, 'src/cli/profile/profile-process.ts'),
      'profile-child': join(ROOT, 'src/cli/profile/profile-child.ts'),
    },
    format: 'esm',
    target: 'node20',
    splitting: true,
    silent: true,
    outDir: folder,
  })
}, 60_000)
afterAll(() => rm(folder, { recursive: true }))

const task = () => ({ file: { path, format: 'gzip' as const }, feed: 'item' as const, reading: 2 })
const script = () => join(folder, 'profile-child.js')

async function command(
  ...words: string[]
): Promise<{ code: number; stdout: string; stderr: string }> {
  try {
    return {
      code: 0,
      ...(await run(process.execPath, [join(folder, 'cli.js'), 'profile', ...words])),
    }
  } catch (error) {
    return error as { code: number; stdout: string; stderr: string }
  }
}

describe('the process of a round', () => {
  test('measures the file', async () => {
    const result = await roundInProcess(task(), () => {}, { script: script() })
    expect(result).toMatchObject({ rows: 5000, columns: 3, badRows: 0 })
    expect(result.stages[0]!.bytesOut).toBe(bytes.length)
  })

  test('says the typed error of the file, with its position', async () => {
    const cut = join(folder, 'cut.gz')
    await writeFile(cut, bytes.subarray(0, 1000))
    const failing = roundInProcess({ ...task(), file: { path: cut, format: 'gzip' } }, () => {}, {
      script: script(),
    })
    await expect(failing).rejects.toMatchObject({
      code: 'GZIP_TRUNCATED',
      retryable: true,
      context: { byteOffset: 1000, part: 'data' },
    })
  })

  test.each([
    ['that ends without a word', 'process.exit(3)', /ended with exit code 3/],
    ['that is killed', "process.kill(process.pid, 'SIGKILL')", /ended with SIGKILL/],
    ['that stands still', 'setInterval(() => {}, 1000)', /made no progress for 20 ms/],
    [
      'that always repeats its place',
      "setInterval(() => process.send({ kind: 'progress', done: 5 }), 1)",
      /made no progress for 20 ms/,
    ],
  ])('one %s is a typed failure', async (_, code, message) => {
    const broken = join(folder, 'broken.js')
    await writeFile(broken, code)
    // Long enough for a process to start where it is to fail by itself.
    const stallLimitMs = /setInterval/.test(code) ? 20 : 20_000
    await expect(
      roundInProcess(task(), () => {}, { script: broken, stallLimitMs }),
    ).rejects.toMatchObject({
      code: 'STAGE_FAILED',
      message: expect.stringMatching(message),
    })
  })

  test('what it prints does not get into the standard output', async () => {
    const talking = join(folder, 'talking.js')
    await writeFile(talking, "console.log('spoken')\nprocess.disconnect()")
    const caller = `import { roundInProcess } from './process.js'\nawait roundInProcess({}, () => {}, { script: '${talking}' }).catch(() => {})`
    await writeFile(join(folder, 'caller.js'), caller)
    const { stdout, stderr } = await run(process.execPath, [join(folder, 'caller.js')])
    expect({ stdout, stderr }).toEqual({ stdout: '', stderr: 'spoken\n' })
  })

  test('progress is passed on', async () => {
    const slow = join(folder, 'slow.js')
    await writeFile(
      slow,
      "for (const done of [0, 7, 7, 9]) process.send({ kind: 'progress', done })\nprocess.disconnect()",
    )
    const seen: number[] = []
    await expect(
      roundInProcess(task(), bytesRead => seen.push(bytesRead), { script: slow }),
    ).rejects.toMatchObject({
      code: 'STAGE_FAILED',
    })
    expect(seen).toEqual([0, 7, 9])
  })
})

describe('the command', () => {
  test('one JSON document, a baseline saved and compared with', async () => {
    const baseline = join(folder, 'baseline.json')
    const { code, stdout } = await command(
      path,
      '--rounds',
      '2',
      '--read',
      '2',
      '--json',
      '--save',
      baseline,
    )
    expect(code).toBe(0)
    const result = JSON.parse(stdout)
    expect(result).toMatchObject({
      kind: 'feedmill-profile',
      feed: 'item',
      reading: 2,
      rows: 5000,
      file: { format: 'gzip', bytes: bytes.length },
    })
    expect(result.stages.length).toBeGreaterThan(2)
    expect(result.rounds).toHaveLength(2)

    const saved = JSON.parse(await readFile(baseline, 'utf8'))
    expect(saved).toEqual(result)
    // As if it had once been a million times as fast, and steady: on every machine the loss is
    // 100.0 % when it is rounded.
    await writeFile(
      baseline,
      JSON.stringify({
        ...saved,
        totals: { ...saved.totals, mbPerSecond: saved.totals.mbPerSecond * 1e6, spread: 0 },
      }),
    )
    const slower = await command(path, '--rounds', '1', '--read', '2', '--baseline', baseline)
    expect(slower).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/^SLOWER: -100\.0%/),
      stdout: expect.stringContaining('is the bottleneck'),
    })
  })

  test('a file that cannot be read to its end: the typed error and its position', async () => {
    const cut = join(folder, 'cut2.gz')
    await writeFile(cut, bytes.subarray(0, 1000))
    const failed = await command(cut, '--rounds', '1')
    expect(failed).toMatchObject({
      code: 1,
      stdout: '',
      stderr: expect.stringMatching(/^feedmill: GZIP_TRUNCATED: .*byte 1000/),
    })
  })

  test('wrong usage: exit code 2, nothing on the standard output', async () => {
    const { code, stdout, stderr } = await command(path, '--rounds', '0')
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
    expect(stderr).toContain(
      "option '--rounds <count>' must be a whole number from 1 to 9999, not '0'",
    )
  })
})
