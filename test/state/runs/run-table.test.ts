// Runs against a naive merge in a map: rows of several files, with repeated keys, removals, floors of
// bootstraps and merges of some of the runs into one.

import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  type ChangeKind,
  defineSchema,
  type FeedFile,
  machineFiles,
  type Row,
  type RowBatch,
  text,
  timestamp,
} from '../../../src/engine'
import { versionOfRow } from '../../../src/engine/codec/merge/version-order'
import { TsvParser } from '../../../src/engine/codec/tsv/parser'
import { closing, orUndo } from '../../../src/engine/disk/closing'
import { BlockCache } from '../../../src/state/runs/block-cache'
import { tellChanges } from '../../../src/state/runs/changed-rows'
import { compactRuns } from '../../../src/state/runs/compact-runs'
import { type ArrivedRuns, countRows, tallyRuns } from '../../../src/state/runs/judge-runs'
import { compareStandings, type Floor, type SequencedRun } from '../../../src/state/runs/merge-runs'
import { appendKey, keyOf, newHeads, REMOVED } from '../../../src/state/runs/row-heads'
import { RowSorter } from '../../../src/state/runs/row-sorter'
import type { WrittenRun } from '../../../src/state/runs/run-format'
import { type Block, type KeyedBlocks, Run } from '../../../src/state/runs/run-reader'
import { RunTable } from '../../../src/state/runs/run-table'
import { RunWriter } from '../../../src/state/runs/run-writer'
import { SortedRuns } from '../../../src/state/runs/sorted-runs'
import { headOf, keyedRowsOf } from '../keyed-rows-of'

const schema = defineSchema({
  name: 'item_snapshot',
  columns: {
    itemId: text(),
    title: text(),
    availability: text(),
    itemSnapshotDate: timestamp(),
  },
})
const START_MS = Date.UTC(2026, 2, 1)

const MOST_FILES = 5

let folder: string
let names = 0
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'feedmill-runs-'))
})
afterAll(() => rm(folder, { recursive: true, force: true }))

interface Line {
  readonly key: string
  readonly title: string
  readonly minute: number
  readonly removes: boolean
}

/** A file with columns in one of two orders, so that runs have several header lines. */
interface File {
  readonly sequence: number
  readonly lines: readonly Line[]
  readonly isTurned: boolean
  /** The minute at which a bootstrap was made. */
  readonly madeAt?: number
}

function feedFileOf({ sequence, madeAt }: File): FeedFile {
  const madeMs = madeAt === undefined ? sequence : madeAt * 60_000
  return { feed: 'item_snapshot', lastModified: new Date(START_MS + madeMs) }
}

function batchesOf(feedFile: File): RowBatch[] {
  const { lines, isTurned } = feedFile
  const columns = ['itemId', 'title', 'availability', 'itemSnapshotDate']
  const rows = lines.map(({ key, title, minute, removes }) => [
    key,
    removes ? '' : title,
    removes ? 'UNAVAILABLE' : 'AVAILABLE',
    new Date(START_MS + minute * 60_000).toISOString(),
  ])
  const all = [columns, ...rows].map(cells => (isTurned ? cells.toReversed() : cells).join('\t'))
  const file = feedFileOf(feedFile)
  const parser = new TsvParser({ schema, file, batchBytes: 256 })
  return [...parser.push(Buffer.from(`${all.join('\n')}\n`)), ...parser.end()] as RowBatch[]
}

function arrivals(file: File) {
  return batchesOf(file).map(batch => {
    const keys = Array.from(batch, row => row.text('itemId'))
    const heads = Array.from(batch, row => headOf(row, versionOfRow(row, '')))
    return { batch, keys, heads, rows: keyedRowsOf(batch, keys, heads) }
  })
}

async function written(
  isCompressed: boolean,
  fill: (writer: RunWriter) => Promise<void>,
  blockBytes?: number,
): Promise<WrittenRun> {
  const path = join(folder, `${names++}.run`)
  const writer = await RunWriter.create(machineFiles, path, isCompressed, blockBytes)
  await orUndo(
    () => fill(writer),
    () => writer.abort(),
  )
  return writer.end()
}

const opened = (run: WrittenRun) => Run.open(machineFiles, join(folder, run.name), run)

const NOT_SAVED = { save: async () => {} }

/** @param mended the number of the mending that the rows are of */
async function runOf(
  file: File,
  isCompressed = true,
  mended?: number,
  blockBytes?: number,
): Promise<SequencedRun> {
  const sorter = new RowSorter(mended === undefined ? {} : { mended })
  for (const { rows } of arrivals(file)) sorter.add(rows)
  const run = await written(isCompressed, writer => sorter.writeTo(writer), blockBytes)
  return { run: await opened(run), sequence: file.sequence }
}

async function tallied(
  arrived: readonly SequencedRun[],
  standing: readonly SequencedRun[],
): Promise<unknown> {
  const files = arrived.flatMap(({ run }) => run.origins.files)
  const { tallies } = await tallyRuns({ arrived, standing, floors: [] }, files)
  return tallies[0]
}

type Kept = ReturnType<typeof headOf> & {
  readonly mended: number
  readonly row: readonly unknown[]
}

/** The newest row of each key, as a map has them that takes one file after the other. */
function naive(files: readonly File[], floors: readonly Floor[]): Map<string, Kept> {
  const newest = new Map<string, Kept>()
  for (let sequence = 0; sequence <= MOST_FILES; sequence++) {
    const file = files.find(each => each.sequence === sequence)
    for (const { batch, keys, heads } of file ? arrivals(file) : []) {
      keys.forEach((key, n) => {
        const row = batch.row(n)
        const shown = [row.get('title' as string), row.position.line, row.position.byteOffset]
        const kept = {
          ...heads[n]!,
          mended: 0,
          row: [...shown, batch.file.lastModified?.getTime()],
        }
        const standing = newest.get(key)
        if (standing === undefined || compareStandings(kept, standing) > 0) newest.set(key, kept)
      })
    }
    for (const { timeMs } of floors.filter(floor => floor.sequence === sequence))
      for (const [key, { version }] of newest)
        if (!version.removed && version.timeMs < timeMs)
          newest.set(key, {
            version: { timeMs, removed: true, generatedMs: timeMs },
            checksum: 0,
            mended: 0,
            row: [],
          })
  }
  return newest
}

/** A change as text: its kind, key, time, and the titles of the row before and after. */
type Told = readonly [string, string, number, unknown, unknown]

/**
 * Takes a file and its floor into the newest rows. Returns the number of keys that the floor removes, and
 * the changes in the order of the keys, those of one key in the order in which they were made.
 */
function naiveChanges(newest: Map<string, Kept>, file: File, floor: Floor | undefined) {
  const title = (kept: Kept | undefined) => (kept?.version.removed ? null : (kept?.row[0] ?? null))
  const changes: Told[] = []
  const arrive = (key: string, kept: Kept) => {
    const stood = newest.get(key)
    if (stood !== undefined && compareStandings(kept, stood) <= 0) return
    newest.set(key, kept)
    const [isThere, wasThere] = [kept, stood].map(each => each && !each.version.removed)
    if (!isThere && !wasThere) return
    if (isThere && wasThere && kept.checksum === stood!.checksum) return
    const kind = !wasThere ? 'inserted' : isThere ? 'updated' : 'deleted'
    changes.push([kind, key, kept.version.timeMs, title(kept), title(stood)])
  }
  for (const { batch, keys, heads } of arrivals(file))
    for (const [n, key] of keys.entries())
      arrive(key, { ...heads[n]!, mended: 0, row: [batch.row(n).get('title' as string)] })
  let lacking = 0
  for (const [key, { version }] of newest)
    if (floor !== undefined && !version.removed && version.timeMs < floor.timeMs) {
      lacking++
      const { timeMs } = floor
      const removal = { timeMs, removed: true, generatedMs: timeMs }
      arrive(key, { version: removal, checksum: 0, mended: 0, row: [] })
    }
  changes.sort((a, b) => Buffer.compare(Buffer.from(a[1]), Buffer.from(b[1])))
  return { changes, lacking }
}

/**
 * Expects what a file does to the newest rows of the files before, which get its rows: the changes,
 * their numbers, and the keys that stood and that stand no more.
 */
async function expectJudged(judged: ArrivedRuns, newest: Map<string, Kept>, file: File) {
  const stood = standing(newest).map(([key]) => key)
  const { changes, lacking } = naiveChanges(newest, file, judged.floor)
  const told: Told[] = []
  await tellChanges(judged, { schema, isBeforeWanted: true }, async all => {
    for (const { kind, itemId, version, row, before } of all) {
      const titles = [row, before].map(each => each?.get('title' as string) ?? null)
      told.push([kind, itemId, version.timeMs, titles[0], titles[1]])
    }
  })
  expect(told).toEqual(changes)
  const { tallies, before, removed } = await tallyRuns(judged, [feedFileOf(file)])
  const { unchanged, stale, ...effective } = tallies[0]!
  const count = (wanted: ChangeKind) => changes.filter(([kind]) => kind === wanted).length
  const [inserted, updated, deleted] = [count('inserted'), count('updated'), count('deleted')]
  expect(effective).toEqual({ inserted, updated, deleted })
  const gone = stood.filter(key => newest.get(key)!.version.removed)
  expect(removed).toBe(gone.length)
  if (judged.floor !== undefined) expect(before).toBe(stood.length)
  expect(unchanged + stale + changes.length).toBe(file.lines.length + lacking)
}

function standing(newest: ReadonlyMap<string, Kept>): [string, readonly unknown[]][] {
  return [...newest]
    .filter(([, { version }]) => !version.removed)
    .sort(([a], [b]) => Buffer.compare(Buffer.from(a), Buffer.from(b)))
    .map(([key, { row }]) => [key, row])
}

async function listed(table: RunTable<typeof schema.columns>, isLent = false) {
  const rows: [string, readonly unknown[]][] = []
  for await (const places of table.places(isLent))
    for (const place of places) {
      const row = table.rowAt(place)
      const { line, byteOffset } = row.position
      const title = row.get('title')
      expect(table.bareRowAt(place).get('title')).toBe(title)
      const key = keyOf(place.block.heads, place.n)
      rows.push([key, [title, line, byteOffset, row.batch.file.lastModified?.getTime()]])
    }
  return rows
}

async function closed(runs: readonly SequencedRun[]): Promise<void> {
  for (const { run } of runs) await run.close()
}

const KEYS = ['v1|1|0', 'v1|1|00', 'v1|2|0', 'v1|10|0', 'é', '\u{1f600}', 'z'.repeat(300)]
const line = fc.record({
  key: fc.constantFrom(...KEYS),
  title: fc.constantFrom('one', 'two', '"a\nb"', '"tab\there"', ''),
  minute: fc.nat(6),
  removes: fc.boolean(),
})
const files = fc
  .array(
    fc.record({ lines: fc.array(line, { minLength: 1, maxLength: 12 }), isTurned: fc.boolean() }),
    {
      minLength: 1,
      maxLength: MOST_FILES,
    },
  )
  .map(all => all.map((file, n): File => ({ ...file, sequence: n + 1 })))
const floors = fc
  .array(
    fc.record({ sequence: fc.nat(MOST_FILES), timeMs: fc.nat(7).map(n => START_MS + n * 60_000) }),
    {
      maxLength: 4,
    },
  )
  .map(all => all.sort((a, b) => a.sequence - b.sequence))

describe('The rows of runs', () => {
  test('are the newest of each key, listed, looked up and counted.', async () => {
    await fc.assert(
      fc.asyncProperty(files, floors, fc.boolean(), async (all, down, isCompressed) => {
        const runs = await Promise.all(all.map(file => runOf(file, isCompressed)))
        const table = new RunTable(schema, runs, down)
        const expected = standing(naive(all, down))
        expect(await listed(table)).toEqual(expected)
        expect(await listed(table, true)).toEqual(expected)
        expect(await countRows(runs, down)).toBe(expected.length)
        for (const key of KEYS) {
          const row = (await table.find(key))?.row
          const [, kept] = expected.find(([other]) => other === key) ?? []
          expect(row?.get('title')).toEqual(kept?.[0])
        }
        await closed(runs)
      }),
      { numRuns: 60 },
    )
  })

  test('are found at once as they are one by one, in any order, repeated or missing, within the bytes of the cache.', async () => {
    const keys = fc.array(fc.constantFrom(...KEYS, '', 'none', '\u{10ffff}'), { maxLength: 40 })
    const mostBytes = fc.constantFrom(0, 300, 2_000, 2 ** 20)
    const options = fc.record({ keys, mostBytes, isCompressed: fc.boolean() })
    await fc.assert(
      fc.asyncProperty(files, floors, options, async (all, down, { isCompressed, ...given }) => {
        const runs = await Promise.all(all.map(file => runOf(file, isCompressed, undefined, 100)))
        const cache = new BlockCache(given.mostBytes)
        const table = new RunTable(schema, runs, down, cache)
        const rows = new Map<string, Row>()
        for await (const block of table.rows())
          for (const row of block) rows.set(row.text('itemId'), row)
        const found = await Promise.all(given.keys.map(key => table.find(key)))
        expect(cache.byteLength).toBeLessThanOrEqual(given.mostBytes)
        const alone = new RunTable(schema, runs, down, new BlockCache(0))
        for (const [n, key] of given.keys.entries()) {
          const row = rows.get(key)
          for (const each of [found[n], await alone.find(key)]) {
            expect(each?.row.toStrings()).toEqual(row?.toStrings())
            expect(each?.row.position).toEqual(row?.position)
            expect(each?.row.batch.file).toEqual(row?.batch.file)
          }
          expect(found[n]?.version).toEqual((await alone.find(key))?.version)
        }
        await closed(runs)
      }),
      { numRuns: 60 },
    )
  })

  test('are the same in memory that is used again, in runs of several blocks.', async () => {
    const all = [1, 2, 3].map((sequence): File => {
      const keys = Array.from({ length: 9_000 }, (_, n) => n).filter(n => n % 7 >= sequence)
      const lines = keys.map(n => ({
        ...at(`v1|${100_000 + n}|0`, `${sequence} of ${n}`, n % (2 * sequence)),
        removes: n % 11 === sequence,
      }))
      // Keys that begin otherwise than all blocks do.
      lines.push({ ...at('v2', `of ${sequence}`, 1), removes: false })
      lines.push({ ...at(`w|${sequence % 2}`, `of ${sequence}`, sequence), removes: false })
      return { sequence, lines, isTurned: sequence === 2 }
    })
    const expected = standing(naive(all, []))
    for (const isCompressed of [true, false]) {
      const runs = await Promise.all(all.map(file => runOf(file, isCompressed)))
      expect(runs.every(({ run }) => run.index.blocks.length > 1)).toBe(true)
      expect(await listed(new RunTable(schema, runs, []), true)).toEqual(expected)
      await closed(runs)
    }
  })

  test('stay the same where some runs are merged into one.', async () => {
    await fc.assert(
      fc.asyncProperty(files, floors, fc.infiniteStream(fc.boolean()), async (all, down, picks) => {
        const runs = await Promise.all(all.map(file => runOf(file)))
        // A floor needs all rows of the files before it.
        const some = runs.filter(() => down.length > 0 || picks.next().value)
        const rest = runs.filter(run => !some.includes(run))
        const run = await written(true, writer =>
          compactRuns({ runs: some, floors: down, schema, forgottenMs: 0 }, writer),
        )
        const sequence = Math.max(0, ...some.map(run => run.sequence))
        const merged = [...rest, { run: await opened(run), sequence }]
        const kept = rest.length === 0 ? [] : down
        const table = new RunTable(schema, merged, kept)
        expect(await listed(table)).toEqual(standing(naive(all, down)))
        await closed([...runs, ...merged])
      }),
      { numRuns: 60 },
    )
  })

  test('are counted by file alike where the files arrive together and one by one.', async () => {
    await fc.assert(
      fc.asyncProperty(files, fc.constantFrom(1, 300, 1 << 20), async (all, sortBytes) => {
        const made: SequencedRun[] = []
        const runsOf = async (some: readonly File[]) => {
          const runs = new SortedRuns({
            sortBytes,
            memory: [],
            create: () => RunWriter.create(machineFiles, join(folder, `${names++}.run`), false),
            ...NOT_SAVED,
          })
          for (const file of some) for (const { rows } of arrivals(file)) await runs.add(rows)
          const ended = await runs.end()
          const { sequence } = some.at(-1)!
          const sequenced = await Promise.all(
            ended.map(async run => ({ run: await opened(run), sequence })),
          )
          made.push(...sequenced)
          return sequenced
        }
        const apart: unknown[] = []
        const before: SequencedRun[] = []
        for (const file of all) {
          const arrived = await runsOf([file])
          apart.push(await tallied(arrived, before))
          before.push(...arrived)
        }
        const arrived = await runsOf(all)
        const judged = { arrived, standing: [], floors: [] }
        const { tallies: together } = await tallyRuns(judged, all.map(feedFileOf))
        expect(together).toEqual(apart)
        expect(await listed(new RunTable(schema, arrived, []))).toEqual(standing(naive(all, [])))
        await closed(made)
      }),
      { numRuns: 60 },
    )
  })

  test('tell each change of a file once, with the rows before and after, and count it.', async () => {
    await fc.assert(
      fc.asyncProperty(files, floors, async (all, some) => {
        const down = all.flatMap(({ sequence }) =>
          some.filter(floor => floor.sequence === sequence).slice(0, 1),
        )
        const runs = await Promise.all(all.map(file => runOf(file)))
        for (const [n, file] of all.entries()) {
          const floors = down.filter(({ sequence }) => sequence < file.sequence)
          const floor = down.find(({ sequence }) => sequence === file.sequence)
          const judged = { arrived: [runs[n]!], standing: runs.slice(0, n), floors, floor }
          await expectJudged(judged, naive(all.slice(0, n), floors), file)
        }
        await closed(runs)
      }),
      { numRuns: 60 },
    )
  })

  test('are judged alike where bad rows of bootstraps are mended and where runs are merged.', async () => {
    const step = fc.record({
      isBootstrap: fc.boolean(),
      lines: fc.array(line, { maxLength: 12 }),
      mended: fc.array(line, { maxLength: 4 }),
      isMerged: fc.boolean(),
      isTurned: fc.boolean(),
    })
    let undone = 0
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 2, maxLength: 6 }), async steps => {
        const newest = new Map<string, Kept>()
        const made: SequencedRun[] = []
        let runs: SequencedRun[] = []
        let floors: Floor[] = []
        const merge = async () => {
          const writing = { runs, floors, schema, forgottenMs: 0 }
          const merged = await written(true, writer => compactRuns(writing, writer))
          runs = [{ run: await opened(merged), sequence: runs.at(-1)!.sequence }]
          floors = []
          made.push(...runs)
        }
        for (const [n, { isBootstrap, lines, mended, isMerged, isTurned }] of steps.entries()) {
          const sequence = n + 1
          // Other files have rows that are older and newer than the bootstraps beside them.
          const madeAt = 3 * sequence
          const dated = (some: readonly Line[]) =>
            some.map(each =>
              isBootstrap
                ? { ...each, minute: madeAt, removes: false }
                : { ...each, minute: each.minute + madeAt - 3 },
            )
          const file = { sequence, isTurned, lines: dated(lines), ...(isBootstrap && { madeAt }) }
          const timeMs = START_MS + madeAt * 60_000
          const floor = isBootstrap && runs.length > 0 ? { sequence, timeMs } : undefined
          const arrived = [await runOf(file)]
          made.push(...arrived)
          await expectJudged({ arrived, standing: runs, floors, floor }, newest, file)
          runs.push(...arrived)
          if (floor !== undefined) floors.push(floor)
          if (isMerged) await merge()
          if (isBootstrap && mended.length > 0) {
            const late = { ...file, lines: dated(mended) }
            runs.push(await runOf(late, true, n + 1))
            made.push(runs.at(-1)!)
            for (const { batch, keys, heads } of arrivals(late))
              for (const [at, key] of keys.entries()) {
                const row = [batch.row(at).get('title' as string)]
                const kept = { ...heads[at]!, mended: n + 1, row }
                const stood = newest.get(key)
                // The bootstrap has removed the key only because its row was bad.
                const { removed = false, generatedMs } = stood?.version ?? {}
                const isUndone = removed && generatedMs === timeMs
                if (isUndone) undone++
                if (!stood || isUndone || compareStandings(kept, stood) > 0) newest.set(key, kept)
              }
          }
          const titles = (rows: [string, readonly unknown[]][]) =>
            rows.map(([key, [title]]) => [key, title])
          const listing = await listed(new RunTable(schema, runs, floors))
          expect(titles(listing)).toEqual(titles(standing(newest)))
        }
        await closed(made)
      }),
      { numRuns: 40 },
    )
    expect(undone).toBeGreaterThan(5)
  })

  test('of a file in the order of its keys are one run.', async () => {
    const names: number[] = []
    const runs = new SortedRuns({
      sortBytes: 1,
      memory: [],
      create: number => {
        names.push(number)
        return RunWriter.create(machineFiles, join(folder, `in-order-${number}.run`), true)
      },
      ...NOT_SAVED,
    })
    const inOrder = ['a', 'b', 'c', 'd', 'b', 'e'].map(key => at(key, 'x', 1))
    for (const [n, line] of inOrder.entries())
      for (const { rows } of arrivals({ sequence: n, isTurned: false, lines: [line] }))
        await runs.add(rows)
    expect((await runs.end()).map(({ rows }) => rows)).toEqual([4, 2])
    expect(names).toEqual([0, 1])
  })

  test('are counted by their effect, in the order in which they arrived.', async () => {
    const before = { sequence: 1, isTurned: false, lines: [at('a', 'one', 1), at('b', 'one', 3)] }
    const after = {
      sequence: 2,
      isTurned: false,
      lines: [
        at('c', 'x', 1),
        at('c', 'y', 2),
        at('b', 'two', 2),
        at('a', 'two', 2),
        gone('a', 3),
        gone('d', 1),
      ],
    }
    const [old, arrived] = [await runOf(before), await runOf(after)]
    const tally = { inserted: 1, updated: 2, deleted: 1, unchanged: 1, stale: 1 }
    expect(await tallied([arrived], [old])).toEqual(tally)
    expect(await tallied([old], [])).toMatchObject({
      inserted: 2,
      unchanged: 0,
    })
    await closed([old, arrived])
  })

  test('that repeat the content of others are unchanged, in runs of several header lines.', async () => {
    const keys = Array.from({ length: 5_000 }, (_, n) => `key ${n}`)
    const lines = (some: readonly string[], minute: number) => some.map(key => at(key, 'x', minute))
    const [plain, turned] = [0, 1].map(part => keys.filter((_, n) => Number(n % 3 === 1) === part))
    const before = await Promise.all([
      runOf({ sequence: 1, isTurned: false, lines: lines(plain!, 1) }),
      runOf({ sequence: 2, isTurned: true, lines: lines(turned!, 1) }),
    ])
    const run = await written(true, writer =>
      compactRuns({ runs: before, floors: [], schema, forgottenMs: 0 }, writer),
    )
    const merged = { run: await opened(run), sequence: 2 }
    for (const [isTurned, some] of [
      [false, plain!],
      [true, turned!],
    ] as const) {
      const arrived = await runOf({ sequence: 3, isTurned, lines: lines(some, 1) })
      expect(await tallied([arrived], [merged])).toMatchObject({ unchanged: some.length })
      await closed([arrived])
    }
    await closed([...before, merged])
  })

  test('of several blocks are all there.', async () => {
    const many = Array.from({ length: 6_000 }, (_, n) =>
      at(`key ${(n * 7_919) % 5_000}`, `t${n}`, n % 7),
    )
    const file = { sequence: 1, isTurned: true, lines: many }
    const run = await runOf(file)
    expect(run.run.index.blocks.length).toBeGreaterThan(2)
    const table = new RunTable(schema, [run], [])
    const expected = standing(naive([file], []))
    expect(await listed(table)).toEqual(expected)
    for (const [key, [title]] of expected.filter((_, n) => n % 97 === 0))
      expect((await table.find(key))?.row.get('title')).toBe(title)
    await closed([run])
  })
})

test('Any changed or missing byte of a run is STATE_CORRUPT.', async () => {
  const sorter = new RowSorter()
  const lines = [at('a', 'one', 1), gone('b', 2)]
  for (const { rows } of arrivals({ sequence: 1, isTurned: false, lines })) sorter.add(rows)
  const run = await written(true, writer => sorter.writeTo(writer))
  const bytes = await readFile(join(folder, run.name))
  const path = join(folder, 'damaged.run')
  const damaged = [
    ...Array.from(bytes, (_, n) => bytes.map((byte, at) => (at === n ? byte ^ 0x10 : byte))),
    ...Array.from(bytes, (_, n) => bytes.subarray(0, n)),
  ]
  for (const content of damaged) {
    await writeFile(path, content)
    const reading = (async () => {
      const damagedRun = await Run.open(machineFiles, path, run)
      try {
        return await listed(new RunTable(schema, [{ run: damagedRun, sequence: 1 }], []))
      } finally {
        await damagedRun.close()
      }
    })()
    await expect(reading).rejects.toMatchObject({ code: 'STATE_CORRUPT' })
  }
})

function at(key: string, title: string, minute: number): Line {
  return { key, title, minute, removes: false }
}

function gone(key: string, minute: number): Line {
  return { key, title: '', minute, removes: true }
}

/** Rows of one line each and of two, in blocks of a few rows. */
async function runOfBlocks(rows = 200) {
  const lines = Array.from({ length: rows }, (_, n) =>
    at(`key ${1_000 + n}`, n % 40 < 20 ? `t${n}` : `"t\n${n}"`, 1),
  )
  const { run } = await runOf({ sequence: 1, isTurned: false, lines }, true, undefined, 200)
  const blocks: Block[] = []
  const counted: KeyedBlocks = {
    path: run.path,
    origins: run.origins,
    index: run.index,
    block: async number => {
      const block = await run.block(number)
      blocks.push(block)
      return block
    },
    blocksFrom: first => run.blocksFrom(first),
    close: () => run.close(),
  }
  const keys = lines.map((_, n) => lines[(n * 617) % rows]!.key)
  return { counted, keys, blocks }
}

test('Look-ups that wait together read each block once, and the cache has the bytes of those that it keeps.', async () => {
  const { counted, keys, blocks } = await runOfBlocks()
  const cache = new BlockCache()
  const table = new RunTable(schema, [{ run: counted, sequence: 1 }], [], cache)
  const found = await Promise.all([...keys, ...keys].map(key => table.find(key)))
  expect(found.map(each => each?.row.get('itemId'))).toEqual([...keys, ...keys])
  expect(blocks).toHaveLength(counted.index.blocks.length)
  expect(blocks.length).toBeGreaterThan(20)
  const bytes = () => blocks.reduce((sum, { byteLength }) => sum + byteLength, 0)
  expect(cache.byteLength).toBe(bytes())
  expect(bytes()).toBeGreaterThan(blocks.reduce((sum, { record }) => sum + record.headBytes, 0))
  await table.find(keys[0]!)
  expect(blocks).toHaveLength(counted.index.blocks.length)
  cache.clear()
  await table.find(keys[0]!)
  expect(blocks).toHaveLength(counted.index.blocks.length + 1)
  expect(cache.byteLength).toBe(blocks.at(-1)!.byteLength)
  await counted.close()
})

test('Look-ups that wait together keep few blocks in memory.', async () => {
  const { counted, keys, blocks } = await runOfBlocks(1_000)
  const most = 30_000
  const cache = new BlockCache(most)
  const table = new RunTable(schema, [{ run: counted, sequence: 1 }], [], cache)
  for (const key of keys) {
    await table.find(key)
    expect(cache.byteLength).toBeLessThanOrEqual(most)
  }
  const oneByOne = blocks.length
  await Promise.all(keys.map(key => table.find(key)))
  // Though the cache has few of the blocks, the order of the keys reads each about once.
  expect(blocks.length - oneByOne).toBeLessThan(1.5 * counted.index.blocks.length)
  expect(oneByOne).toBeGreaterThan(3 * counted.index.blocks.length)
  await counted.close()
})

test('A row of another schema is found in a block that both look-ups read.', async () => {
  const { counted, keys } = await runOfBlocks()
  const runs = [{ run: counted, sequence: 1 }]
  const cache = new BlockCache()
  const other = defineSchema({
    name: 'item_snapshot',
    columns: { id: text({ aliases: ['itemId'] }) },
  })
  const mine = new RunTable(schema, runs, [], cache)
  const theirs = new RunTable(other, runs, [], cache)
  for (const key of keys.slice(0, 40)) {
    expect((await mine.find(key))?.row.get('itemId')).toBe(key)
    expect((await theirs.find(key))?.row.get('id')).toBe(key)
  }
  await counted.close()
})

test('A look-up whose read of rows fails is made again by the next one.', async () => {
  const sorter = new RowSorter()
  for (const { rows } of arrivals({ sequence: 1, isTurned: false, lines: [at('A-1', 'one', 1)] }))
    sorter.add(rows)
  const made = await written(true, writer => sorter.writeTo(writer))
  let left = Number.POSITIVE_INFINITY
  const open = async (path: string) => {
    const file = (await machineFiles.open(path))!
    const read: typeof file.read = (...given) =>
      left-- === 0 ? Promise.reject(new Error('EIO')) : file.read(...given)
    return { ...file, read }
  }
  const run = await Run.open({ open }, join(folder, made.name), made)
  const table = new RunTable(schema, [{ run, sequence: 1 }], [])
  // Behind the heads.
  left = 1
  await expect(table.find('A-1')).rejects.toThrow('EIO')
  expect((await table.find('A-1'))?.row.get('title')).toBe('one')
  await run.close()
})

test('A look-up whose read fails is made again by the next one.', async () => {
  const { run: made } = await runOf({ sequence: 1, isTurned: false, lines: [at('A-1', 'one', 1)] })
  let fails = true
  const flaky: typeof made = {
    path: made.path,
    origins: made.origins,
    index: made.index,
    block: number => (fails ? Promise.reject(new Error('EIO')) : made.block(number)),
    blocksFrom: first => made.blocksFrom(first),
    close: () => made.close(),
  }
  const table = new RunTable(schema, [{ run: flaky, sequence: 1 }], [])
  await expect(table.findSome(['A-1'])).rejects.toThrow('EIO')
  fails = false
  expect((await table.findSome(['A-1']))[0]?.row.get('title')).toBe('one')
  await made.close()
})

test('A merge keeps so many rows of one key that a late full file may leave, and no more.', async () => {
  const [file, later] = [4097, 4098].map(rows =>
    written(false, async writer => {
      const heads = newHeads(1, 3)
      appendKey(heads, 0, Buffer.from('A-1'), 0, 3)
      for (let n = 0; n < rows; n++) {
        const from = { feed: 'stock', id: `c${n}`, kind: 'changes', lastModified: n } as const
        const origin = writer.originOf({ header: { headings: ['itemId'] }, file: from })
        heads.timeMs[0] = -n
        await writer.add(heads, 0, (origin | REMOVED) >>> 0, new Uint8Array(), 0, 0)
      }
    }),
  )
  // A full file takes away the first row.
  const floors = [{ sequence: 2, timeMs: 1, byFile: true }] as const
  const merged = async (of: WrittenRun) => {
    const run = await opened(of)
    const options = { runs: [{ run, sequence: 1 }], floors, schema, forgottenMs: -1e9 }
    const { rows } = await closing(run, () => written(true, writer => compactRuns(options, writer)))
    return rows
  }
  expect(await merged(await file!)).toBe(4096)
  await expect(merged(await later!)).rejects.toMatchObject({
    code: 'STATE_LIMIT',
    message: expect.stringMatching(/^feed stock: .* the key A-1 .* list a full file/),
    context: { option: 'source.files', limit: 4096 },
  })
})
