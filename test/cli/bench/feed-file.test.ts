// `feedmill bench --file`: what the benchmark of a feed file is called, what it reads, and the built
// command over it. Long: it builds the command and starts processes.

import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { gzipSync } from 'node:zlib'
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest'
import { benchRun } from '../../../src/bench/bench-run'
import {
  FEED_FILE_VARIABLE,
  type FeedFileOptions,
  feedFile,
} from '../../../src/cli/bench/feed-file'
import { builtScripts } from '../../built-scripts'

const ROWS = Array.from({ length: 300 }, (_, n) => `v1|${n}|0\tname ${n}\t${n}.50\n`)
const TEXT = `itemId\ttitle\tpriceValue\n${ROWS.join('')}`
const OPTIONS: FeedFileOptions = { feed: 'item', read: 2 }

let folder: string
let place: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'feedmill-bench-file-'))
  place = join(folder, 'items')
})
afterAll(() => rm(folder, { recursive: true }))
afterEach(() => vi.unstubAllEnvs())

async function named(bytes: string | Uint8Array, options = OPTIONS): Promise<string> {
  await writeFile(place, bytes)
  return (await feedFile(place, options)).name
}

/** Runs the benchmark of a file in this process. */
async function ran(bytes: string | Uint8Array, options: Partial<FeedFileOptions> = {}) {
  await writeFile(place, bytes)
  vi.stubEnv(FEED_FILE_VARIABLE, JSON.stringify(await feedFile(place, { ...OPTIONS, ...options })))
  vi.resetModules()
  return benchRun((await import('../../../src/cli/bench/feed-file-bench')).default)
}

describe('the name', () => {
  test('says what is read and how, with a hash of both', async () => {
    expect(await named(TEXT)).toMatch(/^items item 2 cells [0-9a-f]{8}$/)
    expect(await named(TEXT, { ...OPTIONS, read: 'typed' })).toMatch(/^items item typed /)
    expect(await named(TEXT)).toBe(await named(TEXT))
  })

  test('differs for another file, schema or dialect', async () => {
    const schema = join(folder, 'stock.json')
    await writeFile(schema, '{"name":"stock","columns":{"itemId":{"type":"text"}}}')
    const first = await named(TEXT, { ...OPTIONS, schema })
    await writeFile(schema, '{"name":"stock","columns":{"itemId":{"type":"int64"}}}')
    const names = [
      first,
      await named(TEXT, { ...OPTIONS, schema }),
      await named(TEXT),
      await named(`${TEXT}v1|x|0\tmore\t1\n`),
      await named(TEXT, { ...OPTIONS, delimiter: ',' }),
      await named(TEXT, { ...OPTIONS, quoting: 'none' }),
    ]
    expect(first).toMatch(/^items stock 2 cells /)
    expect(new Set(names).size).toBe(names.length)
  })

  test('is of the dialect of the schema, unless the options say otherwise', async () => {
    const schema = join(folder, 'described.json')
    const described = {
      name: 'stock',
      columns: { a: { type: 'text' } },
      dialect: { delimiter: ';', comment: '#' },
    }
    await writeFile(schema, JSON.stringify(described))
    await writeFile(place, 'a;b\n')
    expect((await feedFile(place, { ...OPTIONS, schema })).dialect).toEqual(described.dialect)
    const options = { ...OPTIONS, schema, delimiter: ',', header: ['a', 'b'] }
    expect((await feedFile(place, options)).dialect).toEqual({
      delimiter: ',',
      comment: '#',
      header: ['a', 'b'],
    })
  })

  test('is refused for what cannot be read again and again', async () => {
    for (const path of [folder, join(folder, 'none')])
      await expect(feedFile(path, OPTIONS)).rejects.toMatchObject({
        code: 'OPTION_INVALID',
        context: { option: '--file', received: path },
      })
    const schema = join(folder, 'wrong.json')
    await writeFile(schema, '{}')
    await expect(feedFile(place, { ...OPTIONS, schema })).rejects.toMatchObject({
      code: 'OPTION_INVALID',
      context: { option: '--schema' },
    })
  })
})

test.each([
  ['gzip under the name of text', gzipSync('itemId\n'), true],
  ['text', 'itemId\n', false],
  ['a gzip file that is cut after its first byte', Buffer.from([0x1f]), true],
  ['nothing', '', false],
  ['more than one read', Buffer.alloc(600_000, 'x'), false],
])('the content of the file shows whether it is gzip: %s', async (_, bytes, isGzip) => {
  await writeFile(place, bytes)
  expect(await feedFile(place, OPTIONS)).toMatchObject({ path: place, isGzip })
})

describe('the benchmark', () => {
  test.each([
    ['plain', TEXT, ['FileSource', 'TsvRowParser', 'tap']],
    ['gzip', gzipSync(TEXT), ['FileSource', 'Gunzip', 'TsvRowParser', 'tap']],
  ])('%s: has the rows of the file, its bytes and its stages', async (_, bytes, stages) => {
    const run = await ran(bytes)
    expect(run).toMatchObject({ count: 300, bytes: TEXT.length })
    expect(run.stages.map(({ stage }) => stage)).toEqual(stages)
  })

  test.each([0, 3, 1000, 'objects', 'typed'] as const)('reads cells as %s', async read => {
    expect(await ran(TEXT, { read })).toMatchObject({ count: 300 })
  })

  test('leaves out a bad row, and reads on behind a bad cell', async () => {
    expect(await ran(`${TEXT}v1|1|0\tshort\n${ROWS[0]}`)).toMatchObject({ count: 301 })
    expect(await ran(`${TEXT}v1|1|0\ttitle\tdear\n`, { read: 'typed' })).toMatchObject({
      count: 301,
    })
  })

  test('reads a dialect with a schema of the user', async () => {
    const schema = join(folder, 'sku.json')
    await writeFile(schema, '{"name":"stock","columns":{"sku":{"type":"int32"}}}')
    const csv = 'sku,name\n1,"a ""b"", c"\nx,d\n'
    const options = { schema, delimiter: ',', quoting: 'doubled', read: 'typed' } as const
    expect(await ran(csv, options)).toMatchObject({ count: 2 })
  })

  const whole = gzipSync(TEXT)
  test.each([
    [
      'cut',
      whole.subarray(0, -20),
      { code: 'GZIP_TRUNCATED', context: { byteOffset: whole.length - 20 } },
    ],
    ['empty text', '', { code: 'TSV_EMPTY', context: { byteOffset: 0 } }],
    [
      'of another feed',
      'groupId\n',
      { code: 'TSV_HEADER_INVALID', context: { line: 1, byteOffset: 0 } },
    ],
  ])('fails typed, with the position, where the file is %s', async (_, bytes, error) => {
    await expect(ran(bytes)).rejects.toMatchObject(error)
  })
})

describe('the command', () => {
  let built: string
  beforeAll(async () => {
    built = await builtScripts('bench-file', {
      cli: 'src/cli/main.ts',
      'bench-child': 'src/bench/bench-child.ts',
      'feed-file-bench': 'src/cli/bench/feed-file-bench.ts',
    })
  }, 60_000)
  afterAll(() => rm(built, { recursive: true }))

  const feedmill = (...words: string[]) =>
    promisify(execFile)(process.execPath, [join(built, 'cli.js'), 'bench', ...words]).then(
      ({ stdout, stderr }) => ({ code: 0, stdout, stderr }),
      error => error as { code: number; stdout: string; stderr: string },
    )

  test('saves a baseline, compares with it, and refuses that of another reading', async () => {
    const baseline = join(folder, 'baseline.json')
    await writeFile(place, TEXT)
    const words = ['--file', place, '--rounds', '6']
    const history = join(folder, 'history.csv')
    const saved = await feedmill(
      ...[...words, '--save', baseline, '--append', history, '--json', '-'],
    )
    expect(saved).toMatchObject({ code: 0, stderr: '' })
    expect(JSON.parse(saved.stdout)).toMatchObject({
      kind: 'feedmill-bench',
      benches: [{ count: 300, bytes: TEXT.length }],
    })
    expect(JSON.parse(saved.stdout)).toEqual(JSON.parse(await readFile(baseline, 'utf8')))

    const [, line, rest] = (await readFile(history, 'utf8')).split('\n')
    expect([line, rest]).toEqual([expect.stringContaining(',items item 5 cells '), ''])

    // Against a baseline a million times as fast, the same version is slower on every machine.
    const report = JSON.parse(saved.stdout)
    for (const bench of report.benches) for (const run of bench.runs) run.elapsedMs /= 1e6
    await writeFile(baseline, JSON.stringify(report))
    const slower = await feedmill(...words, '--baseline', baseline, '--measures', 'time')
    expect(slower).toMatchObject({ code: 1 })
    expect(slower.stderr).toContain('regression: items item 5 cells')
    expect(slower.stderr).toMatch(/^6 rounds find a change of at least \d+\.\d% of time here$/m)

    const other = await feedmill(...words, '--read', 'typed', '--baseline', baseline)
    expect(other).toMatchObject({ code: 2, stdout: '' })
    expect(other.stderr).toContain('it has none of these benchmarks')
  }, 60_000)

  test('refuses another file as the history before it runs anything', async () => {
    const other = `${place}.other`
    for (const path of [place, other]) await writeFile(path, TEXT)
    const { code, stderr } = await feedmill('--file', place, '--append', other)
    expect({ code, stderr }).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/^feedmill: OPTION_INVALID: .* cannot be the history/),
    })
    expect(await readFile(other, 'utf8')).toBe(TEXT)
  }, 60_000)

  test('prints the typed error of a file that cannot be read to its end', async () => {
    await writeFile(place, gzipSync(TEXT).subarray(0, 200))
    const { code, stderr } = await feedmill('--file', place, '--rounds', '1')
    expect(code).toBe(2)
    expect(stderr).toMatch(/^feedmill: GZIP_TRUNCATED: .* at byte 200/)
  }, 60_000)
})
