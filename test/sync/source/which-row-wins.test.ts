// Which row wins, and what a full file means, for feeds of one's own: a table of cases, and random
// lists in one run and in many, against the naive merge of the same files.
// Long: it synchronises many small lists.

import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { ChangeSink, StateChange } from '../../../src/sync/folder/change-log'
import { openState } from '../../../src/sync/read/open-state'
import { SimulatedMachine } from '../simulated-machine'
import { FOLDER } from '../small-run'
import { type NaiveFile, naiveMerge, naiveRows } from './naive-merge'
import { lineOf, mergeRunsOf, rowsIn, SmallFeed, type SmallRow } from './small-feed'

/** A file and its rows: a key and its version, and `-` before a row that removes its key. */
function file(id: string, minute: number, ...rows: readonly string[]): NaiveFile {
  const kind = id.startsWith('f') ? 'full' : 'changes'
  return {
    id,
    kind,
    minute,
    rows: rows.map((row, at) => {
      const [, mark, sku = '', revision] = /^(-?)(.)(\d+)$/.exec(row)!
      return { sku, revision: Number(revision), gone: mark === '-', title: `${id}.${at}` }
    }),
  }
}

/** The rule, the files, and the titles of the rows that stand with a version column and without. */
type Case = readonly [string, readonly NaiveFile[], string, string]

const CASES: readonly Case[] = [
  [
    'no row of an earlier file counts, though the full file has its key',
    [file('f0', 0, 'a1'), file('c1', 1, 'a10'), file('f2', 2, 'a5')],
    'f2.0',
    'f2.0',
  ],
  [
    'no row of an earlier file counts, where the full file lacks its key',
    [file('f0', 0, 'a1', 'b1'), file('c1', 1, 'a10'), file('f2', 2, 'b1')],
    'f2.0',
    'f2.0',
  ],
  [
    'a later row with a smaller version counts, once a full file between them takes the greater away',
    [file('f0', 0, 'a1'), file('c1', 1, 'a10'), file('c3', 3, 'a5'), file('f2', 2, 'b1')],
    'c3.0 f2.0',
    'c3.0 f2.0',
  ],
  [
    'a removal with the greatest version is taken away as other rows are',
    [file('c1', 1, '-a10'), file('f2', 2, 'a5')],
    'f2.0',
    'f2.0',
  ],
  [
    'the version decides before the time',
    [file('f0', 0, 'a1'), file('c1', 1, 'a3'), file('c2', 2, 'a2')],
    'c1.0',
    'c2.0',
  ],
  [
    'the version decides before the time, in a full file too',
    [file('f1', 1, 'a5'), file('c2', 2, 'a4'), file('c3', 3, 'b1')],
    'f1.0 c3.0',
    'c2.0 c3.0',
  ],
  [
    'of equal versions the later file',
    [file('c1', 1, 'a1'), file('c3', 3, 'a1'), file('c2', 2, 'a1')],
    'c3.0',
    'c3.0',
  ],
  [
    'of equal versions the later file, whichever of them removes the key',
    [file('c1', 1, '-a1', 'b1'), file('c2', 2, 'a1', '-b1')],
    'c2.0',
    'c2.0',
  ],
  [
    'of one time full before changes, by which no change of a day is lost',
    [file('f1', 1, 'a1', 'b1'), file('c1', 1, 'a1', 'b1'), file('b1', 1, 'c1')],
    'c1.0 c1.1 b1.0',
    'c1.0 c1.1 b1.0',
  ],
  [
    'of one time the version decides before the kind',
    [file('f1', 1, 'a2'), file('c1', 1, 'a1')],
    'f1.0',
    'c1.0',
  ],
  [
    'of one time and kind the id by code point',
    // By their UTF-16 units the first would be the last.
    [file('c\u{1f600}', 1, 'a1', 'b1'), file('c\uffe6', 1, 'a1'), file('c~', 1, 'a1', 'b1')],
    'c\u{1f600}.0 c\u{1f600}.1',
    'c\u{1f600}.0 c\u{1f600}.1',
  ],
  [
    'ids are texts and no numbers',
    [file('c10', 1, 'a1'), file('c9', 1, 'a1'), file('c2', 1, 'a1')],
    'c9.0',
    'c9.0',
  ],
  [
    'of two rows in one file the later',
    [file('c1', 1, 'a1', 'b1', 'a1', '-b1', 'c1', '-d1', 'd1')],
    'c1.2 c1.4 c1.6',
    'c1.2 c1.4 c1.6',
  ],
  [
    'of two rows in one file the version decides before the place',
    [file('f1', 1, 'a2', 'a1', '-b2', 'b1')],
    'f1.0',
    'f1.1 f1.3',
  ],
  [
    'late files count by their times',
    [
      file('c5', 5, 'a1', 'b1'),
      file('c4', 4, 'a1'),
      file('f3', 3, 'a1', 'c1'),
      file('f2', 2, 'd1'),
    ],
    'c5.0 c5.1 f3.1',
    'c5.0 c5.1 f3.1',
  ],
  [
    'keys are texts: spaces, case and accents tell them apart',
    [file('f1', 1, 'a1', 'A1'), file('c2', 2, 'A2')],
    'c2.0 f1.0',
    'c2.0 f1.0',
  ],
]

/** Applies the files in runs of so many each. */
async function applied(
  groups: readonly (readonly NaiveFile[])[],
  hasVersion: boolean,
  changes?: ChangeSink,
): Promise<SimulatedMachine> {
  const machine = new SimulatedMachine(0)
  const feed = new SmallFeed()
  for (const group of groups) {
    for (const each of group) feed.add(each)
    await feed.sync(machine.start(), {
      source: sourceOf(feed, hasVersion),
      maxRemovedShare: 1,
      ...(changes && { changes }),
    }).summary
  }
  return machine
}

function sourceOf(feed: SmallFeed, hasVersion: boolean) {
  const { version, ...source } = feed.source()
  return hasVersion ? { ...source, version: version! } : source
}

async function titlesIn(machine: SimulatedMachine): Promise<string> {
  const rows = await rowsIn(machine.start())
  return rows.map(row => row.split('"')[1]).join(' ')
}

function permutations<T>(all: readonly T[]): T[][] {
  if (all.length < 2) return [[...all]]
  return all.flatMap((first, n) => permutations(all.toSpliced(n, 1)).map(rest => [first, ...rest]))
}

describe('fault 132: which row wins', () => {
  describe.each([true, false])('with a version column: %s', hasVersion => {
    test.each(CASES)('%s', async (_, files, versioned, unversioned) => {
      const wanted = hasVersion ? versioned : unversioned
      const titles = naiveRows(files, hasVersion).map(({ row }) => row.title)
      expect(titles.join(' ')).toBe(wanted)
      for (const order of [files, files.toReversed()])
        expect(await titlesIn(await applied([order], hasVersion))).toBe(wanted)
      for (const order of permutations(files)) {
        const ids = order.map(({ id }) => id).join(' ')
        const inMany = order.map(each => [each])
        expect([ids, await titlesIn(await applied(inMany, hasVersion))]).toEqual([ids, wanted])
      }
    })
  })
})

const KEYS = ['a', 'A', ' a', 'a ', 'é', 'e\u0301', '01', '1', '1.0', '\uffe6', '\u{1f600}']
const row: fc.Arbitrary<SmallRow> = fc.record({
  sku: fc.constantFrom(...KEYS),
  spelling: fc.constantFrom('quoted' as const, undefined),
  revision: fc.integer({ min: -2, max: 4 }),
  gone: fc.integer({ min: 0, max: 4 }).map(n => n === 0),
  title: fc.constantFrom('x', 'y', '"z"'),
})
const someFile = fc.record({
  kind: fc.constantFrom('full' as const, 'changes' as const, 'changes' as const),
  minute: fc.integer({ min: 0, max: 6 }),
  rows: fc.array(row, { maxLength: 8 }),
})
const lists = fc
  .tuple(
    fc.uniqueArray(fc.constantFrom('1', '9', '10', 'B', 'a', 'b', '\uffe6', '\u{1f600}', 'c'), {
      minLength: 9,
    }),
    fc.array(someFile, { minLength: 1, maxLength: 9 }),
  )
  .map(([ids, files]) =>
    files.flatMap((each, n): NaiveFile[] => {
      const isRepeated = files.slice(0, n).some(({ kind, minute }) => {
        return kind === 'full' && each.kind === 'full' && minute === each.minute
      })
      return isRepeated ? [] : [{ ...each, id: ids[n]! }]
    }),
  )

/** Cuts a list into the parts that arrive run by run. */
function cut<T>(all: readonly T[], places: readonly number[]): T[][] {
  const ends = [...new Set(places.map(place => place % all.length)), all.length]
  ends.sort((a, b) => a - b)
  return ends.map((end, n) => all.slice(ends[n - 1] ?? 0, end)).filter(part => part.length > 0)
}

describe('random lists of files, equal times, late files and removals', () => {
  const cuts = fc.array(fc.nat(), { maxLength: 9 })
  const pauses = fc.array(fc.boolean(), { minLength: 9, maxLength: 9 })

  test('fault 132: have the rows of a naive merge behind each run, however they are cut into runs', async () => {
    await fc.assert(
      fc.asyncProperty(
        lists,
        cuts,
        pauses,
        fc.boolean(),
        async (files, places, merges, hasVersion) => {
          const machine = new SimulatedMachine(0)
          const feed = new SmallFeed()
          const known: NaiveFile[] = []
          for (const [n, group] of cut(files, places).entries()) {
            for (const each of group) feed.add(each)
            known.push(...group)
            const source = sourceOf(feed, hasVersion)
            await feed.sync(machine.start(), { source, maxRemovedShare: 1 }).summary
            expect(await rowsIn(machine.start())).toEqual(naiveMerge(known, hasVersion))
            if (merges[n]) await mergeRunsOf(source, machine.start())
          }
          expect(await rowsIn(machine.start())).toEqual(naiveMerge(files, hasVersion))
          const inOne = await applied([files], hasVersion)
          expect(await rowsIn(inOne.start())).toEqual(naiveMerge(files, hasVersion))
        },
      ),
      { numRuns: 120 },
    )
  })

  test('fault 132: are counted and told as they change the rows, file by file', async () => {
    await fc.assert(
      fc.asyncProperty(lists, cuts, fc.boolean(), async (files, places, hasVersion) => {
        const told = new Map<string, string>()
        const write = (changes: readonly StateChange[]) => {
          for (const { kind, id, row: after } of changes) {
            expect([id, kind === 'inserted']).toEqual([id, !told.has(id)])
            if (after === null) told.delete(id)
            else {
              const [sku, title] = [after.text('sku'), after.text('title')]
              const revision = Number(after.text('revision'))
              told.set(id, lineOf({ sku, revision, gone: false, title }))
            }
          }
        }
        const changesFirst = files.toSorted((a, b) => a.kind.localeCompare(b.kind))
        if (changesFirst[0]?.kind === 'full') return
        const [first, ...rest] = changesFirst
        const machine = await applied([[first!], ...cut(rest, places)], hasVersion, { write })
        const rows = await rowsIn(machine.start())
        expect([...told.values()].sort()).toEqual(rows.toSorted())
        const state = await openState(FOLDER, { environment: machine.start() })
        const { files: ledger } = state.feed(new SmallFeed().source())
        await state.close()
        const counted = ledger.reduce((sum, { rows: r }) => sum + r.inserted - r.deleted, 0)
        expect(counted).toBe(rows.length)
      }),
      { numRuns: 60 },
    )
  })
})
