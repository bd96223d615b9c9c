// Memory is a promise for rows that are unlike those of the documented feeds too: at most
// `memoryBytes` and 120 MB, whatever rows, keys and header lines are. Each road is a process of its
// own with default options.

import { execFile } from 'node:child_process'
import { createWriteStream } from 'node:fs'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { promisify } from 'node:util'
import { createGzip, gzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startService, wholeCommand, wholeSync } from '../../bench/targets/whole-sync'
import { packedPackage } from '../packed-package'
import { applyFiles, type SmallFile } from '../sync/small-state'

/** The default `memoryBytes`, and what is promised beside it, in 10^6 bytes. */
const MOST_MB = (256 * 2 ** 20) / 1e6 + 120
const PROCESS = join(import.meta.dirname, 'heavy-process.mjs')
const run = promisify(execFile)

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'feedmill-heavy-'))
  // Builds the project where it is not built.
  await packedPackage(folder)
}, 240_000)
afterAll(() => rm(folder, { recursive: true }))

/** A number whose order as text is not that in which the rows come. */
const scrambled = (n: number) => ((n * 2_654_435_761) % 2 ** 32).toString(16).padStart(8, '0')
/** Texts that are not all alike. */
const textOf = (n: number, bytes: number) =>
  `${scrambled(n)} lorem ipsum `.repeat(Math.ceil(bytes / 21)).slice(0, bytes)

type Shape = Iterable<Buffer>[]

/** Compressed blocks of a file of so many rows. */
function* rowsOf(count: number, keyBytes: number, textBytes: number): Generator<Buffer> {
  const rows = ['sku\ttitle']
  let bytes = 0
  for (let n = 0; n < count; n++) {
    const row = `${scrambled(n).padStart(keyBytes, 'k')}\t${textOf(n, textBytes)}`
    rows.push(row)
    bytes += row.length
    if (bytes < 2 ** 22) continue
    yield Buffer.from(`${rows.splice(0).join('\n')}\n`)
    bytes = 0
  }
  yield Buffer.from(`${rows.join('\n')}\n`)
}

/** A file of few rows with thousands of columns. */
function* wide(n: number, prefix: string): Generator<Buffer> {
  const columns = Array.from(
    { length: 4_000 },
    (_, c) => `${prefix}-${String(c).padStart(50, '0')}`,
  )
  const cells = '\t'.repeat(columns.length)
  const rows = Array.from({ length: 3 }, (_, row) => `${scrambled(3 * n + row)}\ttext${cells}`)
  yield Buffer.from(`${[['sku', 'title', ...columns].join('\t'), ...rows].join('\n')}\n`)
}

/** Gzip members of one row each. */
function* members(count: number): Generator<Buffer> {
  yield gzipSync('sku\ttitle\n')
  for (let n = 0; n < count; n++) yield gzipSync(`${scrambled(n)}\ttext ${n}\n`, { level: 1 })
}

async function written(shape: Shape, isCompressed: boolean): Promise<string[]> {
  const place = await mkdtemp(join(folder, 'files-'))
  const paths: string[] = []
  for (const [n, blocks] of shape.entries()) {
    const path = join(place, `${n}.tsv.gz`)
    const file = createWriteStream(path)
    const source = Readable.from(blocks)
    await (isCompressed ? pipeline(source, file) : pipeline(source, createGzip({ level: 1 }), file))
    paths.push(path)
  }
  return paths
}

type Road = 'sync' | 'read' | 'changes'
const ALL: Road[] = ['sync', 'read', 'changes']

describe.each<[string, Shape, number, Road[], boolean?]>([
  ['rows of a megabyte', [rowsOf(400, 8, 1_000_000), rowsOf(400, 8, 999_000)], 400, ALL],
  ['keys of a kilobyte', [rowsOf(100_000, 1_000, 100)], 100_000, ['sync', 'read']],
  ['rows of twelve bytes', [rowsOf(3_000_000, 8, 2)], 3_000_000, ['sync', 'read']],
  ['header lines of 240 kB', Array.from({ length: 120 }, (_, n) => wide(n, 'c')), 360, ALL],
  // The changes take more: V8 collects the lines of 240 kB that each row makes too late.
  [
    'other headings in each file',
    Array.from({ length: 120 }, (_, n) => wide(n, `c${n}`)),
    360,
    ['sync', 'read'],
  ],
  ['gzip members of one row', [members(50_000)], 50_000, ALL, true],
])('fault 146: %s', (name, shape, rows, roads, isCompressed = false) => {
  let paths: string[]
  beforeAll(async () => {
    paths = await written(shape, isCompressed)
  }, 120_000)

  test.each(roads)(
    '%s',
    async road => {
      const state = join(folder, name, road === 'changes' ? 'changes' : 'state')
      const { stdout } = await run(process.execPath, [PROCESS, road, state, ...paths])
      const found = JSON.parse(stdout)
      expect(found.peakMb).toBeLessThan(MOST_MB)
      expect(found.rows).toBe(road !== 'read' && name.includes('megabyte') ? 2 * rows : rows)
    },
    240_000,
  )
})

test('fault 146: export of items and groups of a megabyte', async () => {
  const service = await startService(100)
  try {
    const state = join(folder, 'items')
    await wholeSync(service, ['--state', state])
    const runs = join(state, 'runs')
    const [category] = await readdir(runs)
    const long = 'x'.repeat(1_000_000)
    const of = (feed: SmallFile['feed'], headings: string[], first: number): SmallFile => ({
      feed,
      rows: [
        headings,
        ...Array.from({ length: 100 }, (_, n) =>
          feed === 'item' ? [`v1|${first + n}|0`, long, `g${n}`] : [`g${first + n}`, long],
        ),
      ],
    })
    const items = ['itemId', 'title', 'primaryItemGroupId']
    for (const first of [0, 100, 200])
      await applyFiles(join(runs, category!), [of('item', items, first)])
    await applyFiles(join(runs, category!), [of('item_group', ['itemGroupId', 'title'], 0)])
    for (const format of ['ndjson', 'parquet']) {
      const out = join(folder, `items.${format}`)
      const { peakMb } = await wholeCommand([
        'export',
        '--state',
        state,
        '--out',
        out,
        '--format',
        format,
      ])
      expect(peakMb, format).toBeLessThan(MOST_MB)
    }
  } finally {
    await service.close()
  }
}, 240_000)
