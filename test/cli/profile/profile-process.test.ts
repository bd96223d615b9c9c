// Runs the built command: rounds in processes of their own, exit codes, and processes that fail.

import { execFile } from 'node:child_process'
import { readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { roundInProcess } from '../../../src/cli/profile/profile-process'
import { builtScripts } from '../../built-scripts'

const run = promisify(execFile)
const ROWS = Array.from({ length: 5000 }, (_, n) => `v1|${n}|0\tname ${n}\t${n}.50\n`)
const bytes = gzipSync(`itemId\ttitle\tpriceValue\n${ROWS.join('')}`)

let folder: string
let path: string

beforeAll(async () => {
  folder = await builtScripts('profile', {
    cli: 'src/cli/main.ts',
    process: 'src/cli/profile/profile-process.ts',
    'profile-child': 'src/cli/profile/profile-child.ts',
  })
  path = join(folder, 'items.tsv.gz')
  await writeFile(path, bytes)
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

  test('reports the typed error of the file with its position', async () => {
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
    // The limit is long enough for a process to start and to fail by itself.
    const stallLimitMs = /setInterval/.test(code) ? 20 : 20_000
    await expect(
      roundInProcess(task(), () => {}, { script: broken, stallLimitMs }),
    ).rejects.toMatchObject({
      code: 'STAGE_FAILED',
      message: expect.stringMatching(message),
    })
  })

  test('keeps the output of the child out of the standard output', async () => {
    const talking = join(folder, 'talking.js')
    await writeFile(talking, "console.log('spoken')\nprocess.disconnect()")
    const caller = `import { roundInProcess } from './process.js'\nawait roundInProcess({}, () => {}, { script: '${talking}' }).catch(() => {})`
    await writeFile(join(folder, 'caller.js'), caller)
    const { stdout, stderr } = await run(process.execPath, [join(folder, 'caller.js')])
    expect({ stdout, stderr }).toEqual({ stdout: '', stderr: 'spoken\n' })
  })

  test('passes on the progress', async () => {
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
  test('prints one JSON document, and saves a baseline and compares with it', async () => {
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
    // The baseline is a million times as fast and steady, so the rounded loss is 100.0 % on every
    // machine.
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

  test('prints the typed error and position of a file that cannot be read to its end', async () => {
    const cut = join(folder, 'cut2.gz')
    await writeFile(cut, bytes.subarray(0, 1000))
    const failed = await command(cut, '--rounds', '1')
    expect(failed).toMatchObject({
      code: 1,
      stdout: '',
      stderr: expect.stringMatching(/^feedmill: GZIP_TRUNCATED: .*byte 1000/),
    })
  })

  test('gives exit code 2 and no standard output for wrong usage', async () => {
    const { code, stdout, stderr } = await command(path, '--rounds', '0')
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
    expect(stderr).toContain(
      "option '--rounds <count>' argument is invalid. not a whole number from 1 to 9999",
    )
  })
})
