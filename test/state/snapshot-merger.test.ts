// Long: its properties merge files in memory and on disk.

import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { crc32 } from '../../src/engine/codec/gzip/crc32'
import type { ChangeKind } from '../../src/engine/codec/merge/register'
import type { Row, RowBatch } from '../../src/engine/codec/row-batch'
import type { Columns, FeedFile } from '../../src/engine/schema/feed-schema'
import {
  itemPrioritySchema,
  itemSchema,
  itemSnapshotSchema,
  schemaOf,
} from '../../src/engine/schema/feed-schemas'
import type { MergeChange, MergedItem } from '../../src/state/merge/merged-item'
import { SnapshotMerger, type SnapshotMergerOptions } from '../../src/state/snapshot-merger'
import { batchesOf, collect, cutBatches, outputsOf } from '../rows-from-text'
import { written } from '../tsv-text'

type Lines = readonly (readonly string[])[]

const at = (hour: number, minute = 0) => new Date(Date.UTC(2024, 4, 1, hour, minute))
const iso = (hour: number, minute = 0) => at(hour, minute).toISOString()

const bootstrap = (...rows: Lines) =>
  batchesOf(itemSchema, { feed: 'item', scope: 'ALL_ACTIVE', lastModified: at(0) }, [
    ['itemId', 'title', 'primaryItemGroupId'],
    ...rows,
  ])
const snapshot = (hour: number, ...rows: Lines) =>
  batchesOf(itemSnapshotSchema, { feed: 'item_snapshot', hour: at(hour) }, [
    ['itemId', 'availability', 'title', 'itemSnapshotDate'],
    ...rows,
  ])
const priority = (date: string, ...rows: Lines) =>
  batchesOf(itemPrioritySchema, { feed: 'item_priority', date }, [
    ['itemId', 'priorityListingPayload'],
    ...rows,
  ])

async function merge(batches: readonly RowBatch<Columns>[], options: SnapshotMergerOptions = {}) {
  const merger = new SnapshotMerger(options)
  const outputs = await outputsOf(merger, batches)
  const entries = await collect(merger.entries())
  return { merger, outputs, changes: outputs.flat(), entries }
}

const kinds = (changes: readonly { kind: ChangeKind; itemId: string }[]) =>
  changes.map(({ kind, itemId }) => `${itemId} ${kind}`)
const titles = (entries: Awaited<ReturnType<typeof merge>>['entries']) =>
  entries.map(({ itemId, row }) => `${itemId} ${row.get('title')}`)

describe('changes', () => {
  test('say what each row did', async () => {
    const { changes, merger } = await merge([
      ...bootstrap(['a', 'A0', ''], ['b', 'B0', '']),
      ...snapshot(
        2,
        ['a', 'AVAILABLE', 'A2', iso(2, 5)],
        ['b', 'UNAVAILABLE', '', ''],
        ['n', 'AVAILABLE', 'N2', iso(2, 6)],
      ),
      ...snapshot(1, ['a', 'AVAILABLE', 'A1', iso(1, 5)], ['b', 'AVAILABLE', 'B1', iso(1, 5)]),
      ...snapshot(2, ['a', 'AVAILABLE', 'A2', iso(2, 5)], ['b', 'UNAVAILABLE', '', '']),
      ...snapshot(3, ['b', 'AVAILABLE', 'B3', iso(3, 1)], ['gone', 'UNAVAILABLE', '', '']),
      ...snapshot(2, ['gone', 'AVAILABLE', 'late', iso(2, 1)]),
    ])
    expect(kinds(changes)).toEqual([
      'a inserted',
      'b inserted',
      'a updated',
      'b deleted',
      'n inserted',
      'a stale',
      'b stale',
      'a unchanged',
      'b unchanged',
      'b inserted',
      'gone unchanged',
      'gone stale',
    ])
    expect(merger.tally.item).toEqual({
      inserted: 4,
      updated: 1,
      deleted: 1,
      unchanged: 3,
      stale: 3,
    })
  })

  test('carry the kept row, typed, with the source’s place beside it', async () => {
    const { changes } = await merge([
      ...bootstrap(['a', 'A0', 'g']),
      ...snapshot(2, ['a', 'AVAILABLE', 'A2', iso(2, 5)]),
      ...snapshot(1, ['a', 'AVAILABLE', 'A1', iso(1)]),
      ...snapshot(4, ['a', 'UNAVAILABLE', '', '']),
    ])
    expect(changes.map(({ row }) => row?.text('title' as string) ?? null)).toEqual([
      'A0',
      'A2',
      'A2',
      null,
    ])
    const [first, second, stale] = changes
    if (first?.part !== 'item' || second?.part !== 'item')
      throw new TypeError('item changes expected')
    const date: Date | null | undefined = first.row?.get('itemSnapshotDate')
    expect(date).toBeNull()
    expect(second.row?.get('itemSnapshotDate')).toEqual(at(2, 5))
    expect(stale?.version.timeMs).toBe(at(2, 5).getTime())
    expect(stale?.source?.batch.file).toMatchObject({ feed: 'item_snapshot', hour: at(1) })
    expect(stale?.source?.position).toMatchObject({ row: 1, line: 2 })
    expect(stale?.source?.batch.confirmed).toBe(true)
  })

  test('of newer rows with the same content are `unchanged`, and the version moves on', async () => {
    const row = ['a', 'A', '']
    const older = batchesOf(itemSchema, { feed: 'item', lastModified: at(1) }, [
      ['itemId', 'title', 'x'],
      row,
    ])
    const newer = batchesOf(itemSchema, { feed: 'item', lastModified: at(5) }, [
      ['itemId', 'title', 'x'],
      row,
    ])
    const { changes, entries } = await merge([
      ...older,
      ...newer,
      ...snapshot(3, ['a', 'AVAILABLE', 'A3', iso(3)]),
    ])
    expect(kinds(changes)).toEqual(['a inserted', 'a unchanged', 'a stale'])
    expect(entries[0]?.version.timeMs).toBe(at(5).getTime())
  })

  test('of priority rows are reported for their own part, and do not change the item row', async () => {
    const { changes, entries, merger } = await merge([
      ...priority('20240502', ['a', 'p2'], ['z', 'only priority']),
      ...bootstrap(['a', 'A0', ''], ['b', 'B0', '']),
      ...priority('20240501', ['a', 'p1']),
      ...priority('20240503', ['a', 'p3']),
    ])
    expect(changes.map(({ part, kind, itemId }) => `${part} ${itemId} ${kind}`)).toEqual([
      'priority a inserted',
      'priority z inserted',
      'item a inserted',
      'item b inserted',
      'priority a stale',
      'priority a updated',
    ])
    expect(
      entries.map(({ itemId, priority }) => [
        itemId,
        priority?.get('priorityListingPayload') ?? null,
      ]),
    ).toEqual([
      ['a', 'p3'],
      ['b', null],
    ])
    expect(merger.tally.priority).toEqual({
      inserted: 2,
      updated: 1,
      deleted: 0,
      unchanged: 0,
      stale: 1,
    })
  })

  test.each([
    ['all', 3],
    ['effective', 2],
    ['none', 0],
  ] as const)('changes: %s', async (changes, count) => {
    const row = ['a', 'AVAILABLE', 'A', iso(1)]
    const run = await merge(
      [...snapshot(1, row), ...snapshot(1, row), ...snapshot(2, ['b', 'AVAILABLE', 'B', iso(2)])],
      { changes },
    )
    expect(run.changes).toHaveLength(count)
    expect(run.outputs.every(output => output.length > 0)).toBe(true)
    expect(titles(run.entries)).toEqual(['a A', 'b B'])
  })
})

describe('the state', () => {
  test('fault 74: snapshots late, repeated and out of order give the same final state', async () => {
    const files: RowBatch<Columns>[][] = [
      bootstrap(['a', 'A0', ''], ['b', 'B0', ''], ['c', 'C0', '']),
      snapshot(
        1,
        ['a', 'AVAILABLE', 'A1', iso(1, 10)],
        ['b', 'UNAVAILABLE', '', ''],
        ['d', 'AVAILABLE', 'D1', iso(1, 30)],
      ),
      snapshot(
        2,
        ['a', 'AVAILABLE', 'A2', iso(2, 10)],
        ['b', 'AVAILABLE', 'B2', iso(2, 59)],
        ['d', 'UNAVAILABLE', '', ''],
      ),
      snapshot(3, ['b', 'UNAVAILABLE', '', ''], ['a', 'AVAILABLE', 'A3', iso(3, 0)]),
    ]
    const orders = [
      [0, 1, 2, 3],
      [3, 2, 1, 0],
      [3, 0, 2, 1],
      [1, 1, 3, 0, 2, 2, 3, 0, 1],
    ]
    for (const order of orders) {
      const { entries } = await merge(order.flatMap(n => files[n]!))
      expect(titles(entries), String(order)).toEqual(['a A3', 'c C0'])
    }
  })

  test('fault 74: an older row that comes after the removal does not bring the item back, not even one never seen before', async () => {
    const { entries, changes } = await merge([
      ...snapshot(5, ['a', 'UNAVAILABLE', '', '']),
      ...bootstrap(['a', 'A0', '']),
      ...snapshot(5, ['a', 'AVAILABLE', 'A5', iso(5, 59)]),
    ])
    expect(entries).toEqual([])
    expect(kinds(changes)).toEqual(['a unchanged', 'a stale', 'a stale'])
  })

  test('every merged row has all columns of the schema, whichever file it came from, and knows that file', async () => {
    const { entries } = await merge([
      ...bootstrap(['a', 'A0', 'g']),
      ...snapshot(2, ['b', 'AVAILABLE', 'B2', iso(2, 5)]),
    ])
    const [a, b] = entries.map(({ row }) => row.toObject())
    expect(a).toMatchObject({
      itemId: 'a',
      primaryItemGroupId: 'g',
      itemSnapshotDate: null,
      changeMetadata: [],
    })
    expect(b).toMatchObject({
      itemId: 'b',
      primaryItemGroupId: null,
      itemSnapshotDate: at(2, 5),
      availability: 'AVAILABLE',
    })
    expect(Object.keys(a!).sort()).toEqual(Object.keys(b!).sort())
    expect(entries[1]?.row.batch.file).toEqual({ feed: 'item_snapshot', hour: at(2) })
    expect(entries[1]?.row.batch.confirmed).toBe(true)
  })

  test('is the same where the rows went to disk, and their changes come at the end in key order', async () => {
    const rows = Array.from({ length: 300 }, (_, n) => [
      `i${String(n).padStart(3, '0')}`,
      `title ${n} `.repeat(20),
      '',
    ])
    const merger = new SnapshotMerger({ memoryBytes: 1000, changes: 'effective', before: true })
    const outputs = await outputsOf(merger, [
      ...cutBatches(bootstrap(...rows), 50),
      ...snapshot(
        3,
        ['i002', 'AVAILABLE', 'new', iso(3)],
        ['i001', 'UNAVAILABLE', '', ''],
        ['i002', 'AVAILABLE', 'old', iso(0)],
        ['i001', 'UNAVAILABLE', '', ''],
      ),
    ])
    expect(outputs[0]).toHaveLength(50)
    const changes = outputs.flat().filter(({ kind }) => kind !== 'inserted')
    expect(kinds(changes)).toEqual(['i001 deleted', 'i002 updated'])
    expect(changes.map(({ source }) => source?.position.row)).toEqual([2, 1])
    expect(changes.map(({ before }) => before?.text('title' as string))).toEqual([
      'title 1 '.repeat(20),
      'title 2 '.repeat(20),
    ])
    expect(merger.tally.item).toEqual({
      inserted: 300,
      updated: 1,
      deleted: 1,
      unchanged: 1,
      stale: 1,
    })
    expect(await collect(merger.entries())).toHaveLength(299)
    await merger.close()
  })

  test('stays in memory where rows replace each other many times, and takes no more of it', async () => {
    const title = (n: number) => `${n} `.repeat(400)
    const merger = new SnapshotMerger({ memoryBytes: 4 * 2 ** 20, before: true })
    const batches = Array.from({ length: 300 }, (_, n) =>
      snapshot(
        Math.floor(n / 60) + 1,
        ...Array.from({ length: 40 }, (_, item) => [
          `i${(item * 7 + n) % 97}`,
          item === 39 ? 'UNAVAILABLE' : 'AVAILABLE',
          item === 39 ? '' : title(n),
          iso(Math.floor(n / 60) + 1, n % 60),
        ]),
      ),
    ).flat()
    const outputs = await outputsOf(merger, batches)
    // On disk there would be one output of all changes at the end.
    expect(outputs.map(({ length }) => length)).toEqual(batches.map(() => 40))
    const oracle = new Map<string, string | null>()
    for (const { itemId, kind, row, before } of outputs.flat()) {
      expect(before?.text('title' as string) ?? null).toBe(oracle.get(itemId) ?? null)
      if (kind !== 'unchanged') oracle.set(itemId, row?.text('title' as string) ?? null)
    }
    const entries = await collect(merger.entries())
    const standing = [...oracle].filter(([, text]) => text !== null)
    expect(titles(entries).sort()).toEqual(standing.map(([id, text]) => `${id} ${text}`).sort())
    expect(entries).not.toHaveLength(0)
  })

  test('cannot be listed before the stage has ended', async () => {
    const merger = new SnapshotMerger()
    await expect(merger.entries().next()).rejects.toMatchObject({ code: 'STAGE_NOT_ENDED' })
    merger.destroy()
    await expect(merger.blocks().next()).rejects.toMatchObject({ code: 'STAGE_NOT_ENDED' })
  })

  test('is empty for empty input', async () => {
    expect(await merge([])).toMatchObject({ changes: [], entries: [] })
  })
})

describe('failures', () => {
  const failure = (batches: readonly RowBatch<Columns>[], options: SnapshotMergerOptions = {}) =>
    merge(batches, options).then(
      () => 'no failure',
      error => error,
    )

  test('a row without itemId is KEY_MISSING with its position', async () => {
    const error = await failure(bootstrap(['a', 'A', ''], ['', 'B', '']))
    expect(error).toMatchObject({
      code: 'KEY_MISSING',
      context: { column: 'itemId', row: 2, line: 3 },
    })
  })

  test('a row without any date is VERSION_MISSING', async () => {
    expect(
      await failure(batchesOf(itemSchema, { feed: 'item' }, [['itemId'], ['a']])),
    ).toMatchObject({
      code: 'VERSION_MISSING',
      context: { key: 'a' },
    })
  })

  test('a temporary folder that cannot be made is STATE_IO, and one is made only where it is needed', async () => {
    const parent = await mkdtemp(join(tmpdir(), 'feedmill-test-'))
    const before = process.env.TMPDIR
    process.env.TMPDIR = join(parent, 'missing')
    try {
      const rows = bootstrap(['a', 'A', ''])
      expect((await merge(rows, {})).entries).toHaveLength(1)
      expect(await failure(rows, { memoryBytes: 0 })).toMatchObject({
        code: 'STATE_IO',
        context: { reason: 'ENOENT' },
      })
      process.env.TMPDIR = parent
      expect((await merge(rows, { memoryBytes: 0 })).entries).toHaveLength(1)
      expect(await readdir(parent)).toEqual([])
    } finally {
      if (before === undefined) delete process.env.TMPDIR
      else process.env.TMPDIR = before
      await rm(parent, { recursive: true })
    }
  })

  test('an unknown value of `changes` is OPTION_INVALID', () => {
    expect(() => new SnapshotMerger({ changes: 'some' as 'all' })).toThrow(
      expect.objectContaining({ code: 'OPTION_INVALID' }),
    )
  })
})

// The oracle does not read rows: it sorts the model's versions of each item and takes the last.
interface ModelFile {
  readonly file: FeedFile
  readonly header: readonly string[]
  readonly rows: readonly {
    readonly itemId: string
    readonly title: string
    readonly minute: number | null
    readonly removed: boolean
  }[]
}

const itemId = fc.constantFrom('a', 'b', '\uff5e', '😀')
const modelRow = fc.record({
  itemId,
  title: fc.constantFrom('', 'x', 'y\t"', 'é'),
  minute: fc.option(fc.constantFrom(0, 59), { freq: 4 }),
  removed: fc.boolean(),
})
const modelFile: fc.Arbitrary<ModelFile> = fc
  .record({
    feed: fc.constantFrom('item' as const, 'item_snapshot' as const, 'item_priority' as const),
    hour: fc.integer({ min: 0, max: 2 }),
    lastModified: fc.option(fc.constantFrom(at(1), at(2, 59))),
    swapped: fc.boolean(),
    rows: fc.array(modelRow, { maxLength: 5 }),
  })
  .map(({ feed, hour, lastModified, swapped, rows }) => {
    const file: FeedFile =
      feed === 'item_snapshot'
        ? { feed, hour: at(hour), ...(lastModified && { lastModified }) }
        : { feed, date: '20240501', lastModified: lastModified ?? at(hour) }
    const text = feed === 'item_priority' ? 'priorityListingPayload' : 'title'
    const columns = swapped ? [text, 'itemId'] : ['itemId', text]
    return {
      file,
      header: feed === 'item_snapshot' ? [...columns, 'availability', 'itemSnapshotDate'] : columns,
      rows,
    }
  })

function linesOf({ file, header, rows }: ModelFile): string[][] {
  return rows.map(row => {
    const removed = file.feed === 'item_snapshot' && row.removed
    const cells: Record<string, string> = {
      itemId: row.itemId,
      title: removed ? '' : row.title,
      priorityListingPayload: row.title,
      availability: removed ? 'UNAVAILABLE' : 'AVAILABLE',
      itemSnapshotDate:
        file.hour === undefined || removed || row.minute === null
          ? ''
          : new Date(file.hour.getTime() + row.minute * 60_000 + 59_999).toISOString(),
    }
    return header.map(column => cells[column]!)
  })
}

function oracle(files: readonly ModelFile[]): unknown[] {
  const seen = files.flatMap(({ file, header, rows }) => {
    const lines = linesOf({ file, header, rows })
    return rows.map((row, n) => {
      const removed = file.feed === 'item_snapshot' && row.removed
      const date = lines[n]![header.indexOf('itemSnapshotDate')]
      const hourEnd = file.hour ? file.hour.getTime() + 3_599_999 : 0
      const time = {
        item: file.lastModified?.getTime() ?? 0,
        item_priority: 0,
        item_snapshot: date ? Date.parse(date) : hourEnd,
      }
      const content = lines[n]!.map(written).join('\t')
      return {
        slot: `${file.feed === 'item_priority'} ${row.itemId}`,
        itemId: row.itemId,
        priority: file.feed === 'item_priority',
        removed,
        title: row.title,
        rank: [
          time[file.feed as 'item'],
          Number(removed),
          file.lastModified?.getTime() ?? 0,
          removed ? 0 : crc32(Buffer.from(content)),
        ] as const,
      }
    })
  })
  const newest = new Map<string, (typeof seen)[number]>()
  for (const row of seen) {
    const other = newest.get(row.slot)
    if (other === undefined || isAfter(row.rank, other.rank)) newest.set(row.slot, row)
  }
  return [...newest.values()]
    .filter(({ priority, removed }) => !priority && !removed)
    .sort((a, b) => Buffer.compare(Buffer.from(a.itemId), Buffer.from(b.itemId)))
    .map(({ itemId, title, rank }) => [
      itemId,
      title,
      newest.get(`true ${itemId}`)?.title ?? null,
      rank[0],
    ])
}

function isAfter(a: readonly number[], b: readonly number[]): boolean {
  for (const [n, value] of a.entries()) {
    const other = b[n]!
    const order = value - other
    if (order !== 0) return order > 0
  }
  return false
}

const batchesOfFile = (file: ModelFile) =>
  batchesOf(schemaOf(file.file.feed as 'item'), file.file, [file.header, ...linesOf(file)])

async function stateOf(
  files: readonly ModelFile[],
  rowsPerBatch: number,
  options: SnapshotMergerOptions = {},
): Promise<unknown[]> {
  const { entries } = await merge(
    files.flatMap(file => cutBatches(batchesOfFile(file), rowsPerBatch)),
    options,
  )
  return entries.map(({ itemId, row, priority, version }) => [
    itemId,
    row.text('title'),
    priority?.text('priorityListingPayload') ?? null,
    version.timeMs,
  ])
}

const plainRow = (row: Row<Columns> | null | undefined) =>
  row && [row.batch.file, row.position, row.batch.confirmed, (row as Row).toStrings()]

function plainChange({ part, kind, itemId, version, source, row, before }: MergeChange): string {
  const rows = [source, row, before].map(plainRow)
  return JSON.stringify([part, kind, itemId, version, rows, before === undefined])
}

function plainItem({ itemId, version, row, priority }: MergedItem): unknown[] {
  return [itemId, version, plainRow(row), plainRow(priority)]
}

describe('properties', () => {
  const files = fc.array(modelFile, { minLength: 1, maxLength: 6 })

  test.each([2 ** 26, 1000, 0])(
    'fault 74: any order and repetition of files and rows gives the state of a naive merge, in %d bytes of memory',
    async memoryBytes => {
      await fc.assert(
        fc.asyncProperty(
          files,
          fc.infiniteStream(fc.nat(1000)),
          fc.integer({ min: 1, max: 3 }),
          async (files, draws, rowsPerBatch) => {
            const draw = () => draws.next().value as number
            const shuffled = <T>(values: readonly T[]) =>
              values
                .map(value => ({ value, by: draw() }))
                .sort((a, b) => a.by - b.by)
                .map(({ value }) => value)
            const repeated = <T>(values: readonly T[]) =>
              values.flatMap(value => (draw() % 3 === 0 ? [value, value] : [value]))
            const mixed = shuffled(repeated(files)).map(file => ({
              ...file,
              rows: shuffled(repeated(file.rows)),
            }))
            expect(await stateOf(mixed, rowsPerBatch, { memoryBytes })).toEqual(oracle(files))
          },
        ),
        { numRuns: 40 },
      )
    },
  )

  test('the changes, the counts and the items are the same on disk as in memory', async () => {
    const options = fc.record({
      memoryBytes: fc.constantFrom(0, 600, 1500, 4000),
      before: fc.boolean(),
      changes: fc.constantFrom('all' as const, 'effective' as const),
    })
    const rowsPerBatch = fc.integer({ min: 1, max: 3 })
    const orders = fc.array(fc.nat(1000), { minLength: 40, maxLength: 40 })
    await fc.assert(
      fc.asyncProperty(
        files,
        rowsPerBatch,
        options,
        orders,
        async (files, rows, options, order) => {
          // Some batches come twice, and the batches of several files come in turns.
          const batches = [...files, ...files.slice(0, 2)]
            .flatMap(file => cutBatches(batchesOfFile(file), rows))
            .map((batch, n) => ({ batch, by: order[n % order.length]! }))
            .sort((a, b) => a.by - b.by)
            .map(({ batch }) => batch)
          const { memoryBytes, ...rest } = options
          const inMemory = await merge(batches, rest)
          const onDisk = await merge(batches, options)
          expect(onDisk.changes.map(plainChange).sort()).toEqual(
            inMemory.changes.map(plainChange).sort(),
          )
          expect(onDisk.merger.tally).toEqual(inMemory.merger.tally)
          expect(onDisk.entries.map(plainItem)).toEqual(inMemory.entries.map(plainItem))
        },
      ),
      { numRuns: 80 },
    )
  })

  test('the changes do not depend on how the input is cut into batches', async () => {
    await fc.assert(
      fc.asyncProperty(files, fc.integer({ min: 1, max: 3 }), async (files, rowsPerBatch) => {
        const batches = files.flatMap(batchesOfFile)
        const whole = await merge(batches)
        const cut = await merge(cutBatches(batches, rowsPerBatch))
        const plain = (changes: typeof whole.changes) =>
          changes.map(({ part, kind, itemId, version, row }) => [
            part,
            kind,
            itemId,
            version,
            row?.toStrings() ?? null,
          ])
        expect(plain(cut.changes)).toEqual(plain(whole.changes))
      }),
      { numRuns: 60 },
    )
  })
})
