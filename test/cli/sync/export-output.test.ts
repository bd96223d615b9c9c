// Runs the built `feedmill export` in a process of its own, with a pipe, a device or a file as its
// output.

import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, existsSync, openSync, readFileSync, symlinkSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { gunzipSync } from 'node:zlib'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { syncCommand } from '../../../src/cli/sync/sync'
import { runsWith } from '../../tools'
import { type BuiltCommand, builtCommand, ended, locksOf } from '../built'
import { outcomeOf, served } from '../served'

let built: BuiltCommand
let at: Awaited<ReturnType<typeof served>>

beforeAll(async () => {
  built = await builtCommand()
  at = await served()
  await outcomeOf(() => syncCommand(at.command))
  if (existsSync('/proc/self/fd')) symlinkSync('/proc/self/fd/1', stdoutLink())
  for (const format of ['ndjson', 'csv'])
    await ended(exporting(['--format', format, '--out', join(at.folder, format)]))
}, 120_000)
afterAll(async () => {
  await at?.close()
  await built?.drop()
})

test('two processes can export one folder at the same time', async () => {
  const expected = readFileSync(join(at.folder, 'ndjson'), 'utf8')
  const ends = await Promise.all([ended(exporting([])), ended(exporting([]))])
  expect(ends.map(({ code, out }) => [code, out === expected])).toEqual([
    [0, true],
    [0, true],
  ])
})

const exporting = (words: readonly string[], stdout?: 'pipe' | number): ChildProcess =>
  built.start(['export', '--state', at.command.state, ...words], stdout)

const fileOf = (format: string) => readFileSync(join(at.folder, format), 'utf8')
/**
 * A copy of `/dev/stdout` as it is on Linux. A defect could replace the machine's own when root
 * runs the tests.
 */
const stdoutLink = () => join(at.folder, 'stdout')
const locks = () => locksOf(at.command.state)

test.each(['ndjson', 'csv'])(
  '%s passes to standard output, and to its other names, as it does to a file',
  async format => {
    expect(fileOf(format).length).toBeGreaterThan(10_000)
    const places = [
      [],
      ...[stdoutLink(), '/dev/fd/1', '/proc/self/fd/1']
        .filter(path => existsSync(path))
        .map(path => ['--out', path]),
    ]
    for (const place of places) {
      expect(await ended(exporting(['--format', format, ...place]))).toEqual({
        code: 0,
        out: fileOf(format),
        err: '',
        third: '',
      })
    }
  },
  120_000,
)

test.each(['parquet', 'arrow'])(
  '%s passes to standard output',
  async format => {
    const path = join(at.folder, format)
    const toFile = await ended(exporting(['--format', format, '--out', path]))
    const piped = exporting(['--format', format])
    const [bytes] = await Promise.all([buffer(piped.stdout!), once(piped, 'exit')])
    expect([toFile.code, toFile.err, piped.exitCode]).toEqual([0, '', 0])
    expect(bytes.equals(readFileSync(path))).toBe(true)
  },
  60_000,
)

test.runIf(existsSync('/dev/fd'))(
  'fault 91: a pipe that the caller has opened receives the text',
  async () => {
    expect(await ended(exporting(['--format', 'csv', '--out', '/dev/fd/3']))).toEqual({
      code: 0,
      out: '',
      err: '',
      third: fileOf('csv'),
    })
  },
  60_000,
)

test('standard output that is a file receives the text at the position of its other writers', async () => {
  const path = join(at.folder, 'log')
  await writeFile(path, 'before\n')
  const file = openSync(path, 'a')
  const { code, err } = await ended(
    exporting(existsSync('/proc/self/fd') ? ['--out', stdoutLink()] : [], file),
  )
  closeSync(file)
  expect([code, err]).toEqual([0, ''])
  expect(readFileSync(path, 'utf8')).toBe(`before\n${fileOf('ndjson')}`)
}, 60_000)

test.runIf(runsWith('/dev/full'))(
  'fault 95: a full standard output is a typed error with the system’s reason, and the state is released',
  async () => {
    for (const format of ['ndjson', 'csv', 'parquet', 'arrow']) {
      const full = openSync('/dev/full', 'w')
      const { code, err } = await ended(exporting(['--format', format], full))
      closeSync(full)
      expect([code, err]).toEqual([
        1,
        'feedmill: SINK_FAILED: standard output cannot be written: ENOSPC: no space left on device, write\n',
      ])
      expect(locks()).toEqual([])
    }
  },
  60_000,
)

test('fault 95: the command ends quietly with 141 when the reader goes away, and the state is released', async () => {
  for (const format of ['ndjson', 'csv', 'parquet', 'arrow']) {
    const child = exporting(['--format', format])
    child.stdout!.destroy()
    expect(await ended(child)).toMatchObject({ code: 141, err: '' })
    expect(locks()).toEqual([])
  }
}, 60_000)

test('an output that cannot be made is reported with its path and reason, and the state is released', async () => {
  const missing = join(at.folder, 'none/out.csv')
  for (const [path, reason] of [
    [missing, 'ENOENT: no such file or directory'],
    [at.folder, 'EISDIR: illegal operation on a directory'],
  ] as const) {
    const { code, out, err } = await ended(exporting(['--format', 'csv', '--out', path]))
    expect([code, out]).toEqual([1, ''])
    expect(err).toContain(`feedmill: SINK_FAILED: ${path} cannot be written: ${reason}`)
    expect(err.trimEnd().split('\n')).toHaveLength(1)
    expect(locks()).toEqual([])
  }
}, 60_000)

test.each([
  ['ndjson', []],
  ['ndjson', ['--gzip']],
  ['csv', ['--gzip']],
  ['parquet', []],
])(
  '%s %j goes into files of at most so many rows, which are the whole export',
  async (format, words) => {
    const folder = join(at.folder, `shards-${format}${words.length}`)
    const asked = ['--format', format, '--shard-rows', '30', '--out', folder, ...words]
    expect(await ended(exporting(asked))).toMatchObject({ code: 0, err: '' })
    const { rows, files, watermark } = JSON.parse(
      readFileSync(join(folder, 'manifest.json'), 'utf8'),
    )
    expect(files.length).toBe(Math.ceil(rows / 30))
    expect(files.length).toBeGreaterThan(2)
    expect(new Date(watermark).toISOString()).toBe(watermark)
    if (format === 'parquet') return
    const contents = files.map(({ name }: { name: string }) => {
      const bytes = readFileSync(join(folder, name))
      return (words.length > 0 ? gunzipSync(bytes) : bytes).toString()
    })
    const [header = ''] = format === 'csv' ? contents[0].split(/(?<=\n)/) : []
    expect(header + contents.map((content: string) => content.slice(header.length)).join('')).toBe(
      fileOf(format),
    )
  },
  120_000,
)

test('files of at most so many rows need a folder', async () => {
  const { code, err } = await ended(exporting(['--shard-rows', '70']))
  expect([code, err]).toEqual([2, expect.stringContaining('--shard-rows must be')])
})
