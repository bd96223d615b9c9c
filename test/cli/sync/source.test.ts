// `--source feed.json` of sync, export and replay.

import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, expect, test, vi } from 'vitest'
import { run } from '../../../src/cli/program'
import { outcomeOf } from '../served'

const folder = mkdtempSync(join(tmpdir(), 'feedmill-source-'))
afterAll(() => rmSync(folder, { recursive: true }))
afterEach(() => vi.unstubAllEnvs())

const outcome = (...words: string[]) => outcomeOf(() => run(['node', 'feedmill', ...words]))
const TOKEN = '$' + '{PARTNER_KEY}'

const STOCK = {
  name: 'stock',
  columns: {
    sku: { type: 'text' },
    stock: { type: 'int32' },
    seen: { type: 'timestamp' },
    note: { type: 'text' },
  },
  key: 'sku',
  version: 'seen',
  removed: { column: 'note', equals: 'deleted' },
}
const AT = '2026-03-01T00:00:00Z'
const FULL = `sku\tstock\tseen\tnote\nA-1\t12\t${AT}\t\nA-2\tmany\t${AT}\tb, "c"\nA-3\t3\t${AT}\n`
const CHANGES = `sku\tstock\tseen\tnote\nA-1\t\t2026-03-02T00:00:00Z\tdeleted\nA-4\t4\t${AT}\t\n`

let fresh = 0
/** Writes a feed with two files, and returns the paths of its file and of a state. */
function feed(parts: object = {}): { readonly source: string; readonly state: string } {
  const place = join(folder, `${fresh++}`)
  mkdirSync(join(place, 'exports'), { recursive: true })
  writeFileSync(join(place, 'exports/full.tsv'), FULL)
  writeFileSync(join(place, 'exports/changes.tsv'), CHANGES)
  const files = [
    { id: '1', from: 'exports/full.tsv', kind: 'full', time: AT },
    { id: '2', from: 'exports/changes.tsv', kind: 'changes', time: '2026-03-02T00:00:00Z' },
  ]
  const source = join(place, 'feed.json')
  writeFileSync(source, JSON.stringify({ ...STOCK, files, ...parts }, null, 2))
  return { source, state: join(place, 'state') }
}

test('a feed is followed into a state folder, and its rows are exported, typed', async () => {
  const { source, state } = feed()
  const synced = await outcome('sync', '--source', source, '--state', state)
  expect([synced.err, synced.exitCode]).toEqual([[], undefined])
  expect(synced.out.at(-1)).toBe('stock up to 2026-03-02T00:00:00.000Z')
  const again = await outcome('sync', '--source', source, '--state', state, '--json')
  expect(JSON.parse(again.out.at(-1)!)).toMatchObject({ type: 'summary', files: 0 })
  const exported = await outcome('export', '--source', source, '--state', state)
  const seen = '2026-03-01T00:00:00.000Z'
  expect(exported.out.map(line => JSON.parse(line))).toEqual([
    { sku: 'A-2', stock: null, seen, note: 'b, "c"', invalid: { stock: 'many' } },
    { sku: 'A-4', stock: 4, seen, note: null },
  ])
  expect(exported.err.join()).toContain('1 cells are not of their type')
  const csv = await outcome('export', '--source', source, '--state', state, '--format', 'csv')
  expect(csv.out.map(line => line.trimEnd())).toEqual([
    'sku,stock,seen,note',
    `A-2,many,${seen},"b, ""c"""`,
    `A-4,4,${seen},`,
  ])
  const out = join(folder, 'rows.arrow')
  const words = ['--state', state, '--format', 'arrow', '--out', out]
  expect((await outcome('export', '--source', source, ...words)).exitCode).toBeUndefined()
  expect(readFileSync(out).subarray(0, 6).toString()).toBe('ARROW1')
})

test('the rows of an earlier time are exported of the files that were kept', async () => {
  const { source, state } = feed()
  await outcome('sync', '--source', source, '--state', state, '--keep-files', '1MB')
  const at = (time: string) =>
    outcome('export', '--source', source, '--state', state, '--format', 'csv', '--as-of', time)
  const keysOf = ({ out }: { readonly out: readonly string[] }) =>
    out.slice(1).map(line => line.split(',')[0])
  expect(keysOf(await at('2026-03-01T23:59:59Z'))).toEqual(['A-1', 'A-2'])
  expect(keysOf(await at('2026-03-02T00:00:00Z'))).toEqual(['A-2', 'A-4'])
  const early = await at('2026-02-01T00:00:00Z')
  expect([early.exitCode, early.err.join()]).toEqual([
    1,
    expect.stringContaining('HISTORY_MISSING'),
  ])
})

test('mended rows go back into the state of their feed', async () => {
  const { source, state } = feed()
  await outcome('sync', '--source', source, '--state', state, '--quarantine')
  const [file] = readdirSync(join(state, 'quarantine')).map(each => join(state, 'quarantine', each))
  const records = readFileSync(file!, 'utf8')
  writeFileSync(
    file!,
    records.replace('many', '2').replace(`A-3\\t3\\t${AT}\\n`, `A-3\\t3\\t${AT}\\t\\n`),
  )
  const alone = await outcome('replay', file!, '--state', state)
  expect([alone.exitCode, alone.err.join()]).toEqual([2, expect.stringContaining('the feed stock')])
  const replayed = await outcome('replay', file!, '--state', state, '--source', source, '--json')
  expect(JSON.parse(replayed.out[0]!)).toMatchObject({ rowsRead: 2, merged: 2, stillBad: 0 })
  const exported = await outcome('export', '--source', source, '--state', state)
  expect(exported.out.map(line => JSON.parse(line).sku)).toEqual(['A-2', 'A-3', 'A-4'])
})

test('requests have the headers, and no line has the value of a variable', async () => {
  const asked: unknown[] = []
  const server = createServer(({ headers }, response) => {
    asked.push(headers.authorization)
    response.writeHead(headers.authorization?.endsWith('right') ? 200 : 401).end(FULL)
  }).listen(0, '127.0.0.1')
  try {
    await new Promise(done => server.once('listening', done))
    const files = `http://127.0.0.1:${(server.address() as AddressInfo).port}/stock.tsv`
    const { source, state } = feed({ files, headers: { Authorization: `Bearer ${TOKEN}` } })
    const sync = () => outcome('sync', '--source', source, '--state', state)
    const none = await sync()
    expect([none.exitCode, none.err]).toEqual([
      2,
      [
        expect.stringMatching(
          /feed\.json:\d+:\d+: headers\.Authorization needs the variable PARTNER_KEY/,
        ),
      ],
    ])
    vi.stubEnv('PARTNER_KEY', 'key-that-is-wrong')
    const wrong = await sync()
    expect(wrong.exitCode).toBe(1)
    expect([...wrong.err, ...wrong.out].join()).not.toContain('key-that-is')
    vi.stubEnv('PARTNER_KEY', 'key-that-is-right')
    expect((await sync()).exitCode).toBeUndefined()
    expect(asked.at(-1)).toBe('Bearer key-that-is-right')
    vi.unstubAllEnvs()
    expect((await outcome('export', '--source', source, '--state', state)).out).toHaveLength(2)
  } finally {
    server.close()
  }
}, 30_000)

test('a mistake in the file is one line and exit code 2, and no folder is made', async () => {
  const { source, state } = feed({ keys: 'sku' })
  const { err, exitCode } = await outcome('sync', '--source', source, '--state', state)
  expect(exitCode).toBe(2)
  expect(err).toEqual([
    expect.stringMatching(/^feedmill: OPTION_INVALID: .*feed\.json:\d+:\d+: keys is not an option/),
  ])
  expect((await outcome('status', state)).exitCode).toBe(1)
})

test.each([
  [['sync', '--state', 's'], "'--marketplace <id>' not specified, nor --source"],
  [['sync', '--state', 's', '--marketplace', 'M'], "'--category <id>' not specified, nor --source"],
  [
    ['sync', '--state', 's', '--source', 'f', '--category', '1'],
    "'--source <file>' cannot be used",
  ],
  [['sync', '--source', 'f'], 'either a state folder or --to <place>'],
  [
    ['export', '--state', 's', '--source', 'f', '--category', '220'],
    "'--source <file>' cannot be used",
  ],
  [['replay', 'q', '--out', 'o', '--source', 'f'], "'--source <file>' cannot be used"],
])('%j is wrong usage', async (words, message) => {
  const { err, exitCode } = await outcome(...words)
  expect([exitCode, err.join()]).toEqual([2, expect.stringContaining(message)])
})
