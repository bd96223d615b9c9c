// Feeds of one's own in the targets in SQL, against the naive merge of the same files: in one run and
// in many, with late and equal files, versions, removals and bad cells.
// Long: it synchronises many small lists into databases.

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, onTestFinished, test } from 'vitest'
import { closing } from '../../../../src/engine/disk/closing'
import {
  boolean,
  type Columns,
  date,
  decimal,
  defineSchema,
  float64,
  int32,
  int64,
  json,
  list,
  type Row,
  text,
  timestamp,
} from '../../../../src/index'
import { openState } from '../../../../src/sync/read/open-state'
import { sync } from '../../../../src/sync/run/sync'
import type { FeedSource } from '../../../../src/sync/source/feed-source'
import { worlds } from '../../source/law-worlds'
import { SmallFeed, type Stock } from '../../source/small-feed'
import {
  duckdbPlace,
  filesFor,
  foundRows,
  hasPostgres,
  type Place,
  postgresPlace,
  sourceOf,
  wantedRows,
} from './own-places'

const PLACES = [
  ['DuckDB', true, duckdbPlace, 25],
  ['PostgreSQL', hasPostgres, postgresPlace, 12],
] as const

const ALL_SHARES = { maxRemovedShare: 1, maxBadShare: 1 } as const

function intoTarget(source: Stock | FeedSource, place: Place) {
  const options = { parallelFiles: 3, retry: { patienceMs: 4, backoffBaseMs: 0 }, ...ALL_SHARES }
  return sync({ source: source as Stock, target: place.target(), ...options }).summary
}

describe.each(PLACES)('a feed of one’s own in %s', (_, isThere, newPlace, numRuns) => {
  test.runIf(isThere)(
    'has the rows that a naive merge of its files has, in one run and in many.',
    async () => {
      await fc.assert(
        fc.asyncProperty(worlds, fc.integer({ min: 1, max: 5 }), async (world, atOnce) => {
          const files = filesFor(world)
          const atEnd: (() => void)[] = []
          const feed = new SmallFeed(remove => atEnd.push(remove))
          const place = await newPlace()
          try {
            const source = sourceOf(feed, world.hasVersion)
            for (let n = 0; n < files.length; n += atOnce) {
              for (const each of files.slice(n, n + atOnce)) feed.add(each)
              await intoTarget(source, place)
              const wanted = wantedRows(files.slice(0, n + atOnce), world.hasVersion)
              expect(await foundRows(place)).toEqual(wanted)
            }
          } finally {
            await place.drop()
            for (const remove of atEnd) remove()
          }
        }),
        { numRuns },
      )
    },
    240_000,
  )

  test.runIf(isThere)(
    'keeps each cell of every kind, as a value or with its text, as a state folder does.',
    async () => {
      await fc.assert(
        fc.asyncProperty(fc.array(fc.tuple(...CELLS), { maxLength: 12 }), async cells => {
          const place = await newPlace()
          const folder = mkdtempSync(join(tmpdir(), 'feedmill-kinds-'))
          try {
            const rows = cells.map((row, n) => [`k${n}`, ...row].join('\t'))
            const from = join(folder, 'kinds.tsv')
            writeFileSync(from, [Object.keys(kinds.columns).join('\t'), ...rows, ''].join('\n'))
            const files = [{ id: 'a', from, kind: 'full', time: new Date(0) }] as const
            const source: FeedSource = { name: 'kinds', schema: kinds, key: 'id', files }
            await intoTarget(source, place)
            const state = join(folder, 'state')
            await sync({ source, folder: state, ...ALL_SHARES }).summary
            const found = new Map((await place.rows('kinds', 'id')).map(row => [row.id, row]))
            let count = 0
            await closing(await openState(state), async opened => {
              for await (const block of opened.feed(source).rows())
                for (const row of block) {
                  const stored = found.get(row.text('id'))!
                  const invalid = (stored.invalid ?? {}) as Record<string, string>
                  for (const name of Object.keys(kinds.columns)) {
                    const text = row.text(name)
                    const cell = stored[nameInSql(name)]
                    // A list that is not there is an empty list in DuckDB.
                    const isEmptyList =
                      ['parts', 'numbers', 'prices'].includes(name) && String(cell) === ''
                    const isValue = cell !== null && !isEmptyList
                    if (text === '')
                      expect([name, isValue, invalid[name]]).toEqual([name, false, undefined])
                    else if (isBad(row, name))
                      expect([name, isValue, invalid[name]]).toEqual([name, false, text])
                    else if (invalid[name] === undefined)
                      expect([name, text, isValue]).toEqual([name, text, true])
                    else expect([name, isValue, invalid[name]]).toEqual([name, false, text])
                  }
                  count++
                }
            })
            expect([found.size, count]).toEqual([cells.length, cells.length])
          } finally {
            await place.drop()
            rmSync(folder, { recursive: true })
          }
        }),
        { numRuns: 12 },
      )
    },
    120_000,
  )

  test.runIf(isThere)('adds a column, widens a type, and refuses another one.', async () => {
    const place = await newPlace()
    const folder = mkdtempSync(join(tmpdir(), 'feedmill-months-'))
    onTestFinished(async () => {
      await place.drop()
      rmSync(folder, { recursive: true })
    })
    let month = 0
    const run = (columns: Columns) => {
      const from = join(folder, String(month))
      writeFileSync(from, 'id\tn\tp\tq\na\t7\t1.25\tx\n')
      const time = new Date(Date.UTC(2026, month++))
      const files = [{ id: String(month), from, kind: 'full', time }] as const
      const feed = defineSchema({ name: 'months', columns: { id: text(), ...columns } })
      return intoTarget({ name: 'months', schema: feed, key: 'id', files }, place)
    }
    await run({ n: int32(), p: decimal({ scale: 2 }) })
    await run({ n: int64(), p: decimal({ scale: 2 }), q: text() })
    await run({ n: int64() })
    const [row] = await place.rows('months', 'id')
    expect([String(row!.n), row!.p, row!.q]).toEqual(['7', null, null])
    for (const narrower of [
      { n: int32() },
      { n: text() },
      { n: int64(), p: decimal({ scale: 1 }) },
    ])
      await expect(run(narrower)).rejects.toMatchObject({ code: 'STATE_FOREIGN' })
  })

  test.runIf(isThere)(
    'refuses a late full file where versions decide, and names the file.',
    async () => {
      const place = await newPlace()
      onTestFinished(() => place.drop())
      const feed = new SmallFeed()
      const row = { sku: 'a', revision: 1, gone: false, title: 'x' }
      feed.add({ id: 'c9', kind: 'changes', minute: 9, rows: [row] })
      await intoTarget(feed.source(), place)
      feed.add({ id: 'f1', kind: 'full', minute: 1, rows: [row] })
      const refusal = { code: 'OPTION_INVALID', message: expect.stringContaining('c9') }
      await expect(intoTarget(feed.source(), place)).rejects.toMatchObject(refusal)
      // Changes of the same time come behind a full file, too.
      const same = new SmallFeed()
      same.add({ id: 'c9', kind: 'changes', minute: 9, rows: [row] })
      same.add({ id: 'f9', kind: 'full', minute: 9, rows: [] })
      await expect(intoTarget(same.source(), place)).rejects.toMatchObject(refusal)
      const { version: _, ...source } = feed.source()
      const other = await newPlace()
      onTestFinished(() => other.drop())
      await intoTarget(source, other)
      expect(await other.rows('stock', 'sku')).toHaveLength(1)
    },
  )
})

const kinds = defineSchema({
  name: 'kinds',
  columns: {
    id: text(),
    // Names that a table of feedmill has itself.
    file: text(),
    Checksum: text(),
    whole: int32(),
    long: int64(),
    double: float64(),
    price: decimal(),
    exact: decimal({ scale: 2 }),
    yes: boolean(),
    day: date(),
    at: timestamp(),
    any: json(),
    parts: list('|', text()),
    numbers: list(',', int32()),
    prices: list(';', decimal({ scale: 3 })),
  },
})

const anyText = fc.constantFrom(
  '',
  'x',
  '0',
  '-1',
  '7.5',
  'true',
  'Größe "7"',
  "o'b",
  '\\',
  'NaN',
  '2026-02-30',
  '{',
  '99999999999999999999',
  'a|b',
  '1,2',
  '1e400',
)
const orAny = (...good: string[]) =>
  fc.oneof({ weight: 3, arbitrary: fc.constantFrom(...good) }, { weight: 1, arbitrary: anyText })
/** The cells of a row behind its key: good and bad ones. */
const CELLS = [
  orAny('a', 'ü'),
  orAny('b'),
  orAny('2147483647', '-5'),
  orAny('9223372036854775807', '12'),
  orAny('0.1', '1e-7', '12345678901234567'),
  orAny('12.5', '123456789012345678901.25', '0.0001'),
  orAny('1.25', '-3', '99999999999999999999.99'),
  orAny('true', 'false'),
  orAny('2026-02-28', '0001-01-01'),
  orAny('2026-02-28T10:00:00Z', '2026-02-28T10:00:00.123Z'),
  orAny('{"a":[1,null]}', '[]', '"x"', '7'),
  orAny('a|b', 'ü|'),
  orAny('1,2', '3'),
  orAny('1.5;2', '0.001'),
] as const

function nameInSql(name: string): string {
  return { file: 'file_', Checksum: 'checksum_' }[name] ?? name
}

function isBad(row: Row<Columns>, name: string): boolean {
  try {
    row.get(name)
    return false
  } catch {
    return true
  }
}
