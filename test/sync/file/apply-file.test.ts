// Applies one file to the state of a category, and looks at the store after each commit.

import { gzipSync } from 'node:zlib'
import fc from 'fast-check'
import { beforeAll, describe, expect, test } from 'vitest'
import type { RowQuarantine } from '../../../src/engine/codec/quarantine/row-quarantine'
import { TsvParser } from '../../../src/engine/codec/tsv/parser'
import type { DurableFile } from '../../../src/engine/disk/durable-files'
import { text } from '../../../src/engine/schema/column-kinds'
import { defineSchema } from '../../../src/engine/schema/feed-schema'
import type { StoreOp } from '../../../src/state/keyed-store'
import { MemoryStore } from '../../../src/state/memory/memory-store'
import { AppliedRows, applyFile } from '../../../src/sync/file/apply-file'
import { commitFile } from '../../../src/sync/file/finish-file'
import type { FileId } from '../../../src/sync/file-id'
import { CategoryState } from '../../../src/sync/folder/category-state'
import type { ChangeLog, StateChange } from '../../../src/sync/folder/change-log'
import { type LedgerEntry, NOTHING_APPLIED } from '../../../src/sync/folder/ledger'
import { NO_ROWS } from '../../../src/sync/target/target'
import { tsv } from '../../tsv-text'
import { SimulatedMachine } from '../simulated-machine'

const CATEGORY = { marketplace: 'MKT_US', categoryId: '220' }
const HOUR = '2026-03-01T07:00:00.000Z'
const SNAPSHOT: FileId = { ...CATEGORY, feed: 'item_snapshot', hour: HOUR }
const BOOTSTRAP: FileId = { ...CATEGORY, feed: 'item', scope: 'ALL_ACTIVE', generation: HOUR }
const ROWS = 300
/** Sizes that give several commits in a file of some kilobytes. */
const SMALL = {
  commitBytes: 5_000,
  readBytes: 500,
  batchBytes: 1_000,
  signal: new AbortController().signal,
}

const snapshotLines = [
  ['itemId', 'availability', 'title', 'itemSnapshotDate'],
  ...Array.from({ length: ROWS }, (_, n) => [
    `v1|${1000 + n}|0`,
    'AVAILABLE',
    `title ${n} of ${n * 7919}`,
    '2026-03-01T07:30:00.000Z',
  ]),
]

async function fileOf(bytes: Uint8Array): Promise<DurableFile> {
  const file = await new SimulatedMachine(0).start().files.edit('/file')
  await file.write(0, bytes)
  return file
}

/**
 * A store that records its writes, so that a test can repeat the first of them on another store.
 */
class RecordedStore extends MemoryStore {
  readonly writes: (readonly StoreOp[])[] = []

  override write(ops: readonly StoreOp[]): void {
    this.writes.push(ops.map(({ key, value }) => ({ key, value: value && Uint8Array.from(value) })))
    super.write(ops)
  }

  /** Returns the store after so many of the writes, as the next process finds it. */
  after(count: number): MemoryStore {
    const store = new MemoryStore()
    for (const ops of this.writes.slice(0, count)) store.write(ops)
    return store
  }
}

class Log implements ChangeLog {
  readonly keepsRows = true
  readonly flushed: string[] = []
  #added: string[] = []

  async add(changes: readonly StateChange[]): Promise<void> {
    for (const { kind, id } of changes) this.#added.push(`${kind} ${id}`)
  }

  async flush(): Promise<number> {
    this.flushed.push(...this.#added)
    this.#added = []
    return this.flushed.length
  }

  async close(): Promise<void> {}
}

const proven = (id: FileId, bytes: Uint8Array) => ({
  id,
  identity: { totalBytes: bytes.length, lastModified: 'Sun, 01 Mar 2026 08:10:00 GMT' },
  rawBytes: 0,
})

async function begin(store: MemoryStore, id: FileId, bytes: Uint8Array): Promise<CategoryState> {
  const state = await CategoryState.open(CATEGORY, store)
  await commitFile(state, proven(id, bytes), {
    changes: 'none',
    changeRows: 'after',
    keep: false,
    quarantine: false,
  })
  return state
}

async function goOn(store: MemoryStore, bytes: Uint8Array, log?: ChangeLog): Promise<LedgerEntry> {
  const state = await CategoryState.open(CATEGORY, store)
  return applyFile({
    ...SMALL,
    state,
    entry: state.ledger.applying!,
    data: await fileOf(bytes),
    log,
  })
}

async function contentOf(
  store: MemoryStore,
): Promise<{ items: string[]; ledger: readonly LedgerEntry[] }> {
  const { items, ledger } = await CategoryState.open(CATEGORY, store)
  const rows: string[] = []
  for await (const block of items.entries())
    for (const { row, version } of block) rows.push(JSON.stringify([row.toStrings(), version]))
  return { items: rows, ledger: ledger.entries }
}

describe('a snapshot in several commits', () => {
  const bytes = gzipSync(tsv(snapshotLines))
  const store = new RecordedStore()
  let whole: Awaited<ReturnType<typeof contentOf>>

  beforeAll(async () => {
    await begin(store, SNAPSHOT, bytes)
    const done = await goOn(store, bytes)
    expect(done).toMatchObject({ state: 'done', rows: { ...NO_ROWS, inserted: ROWS }, badRows: 0 })
    whole = await contentOf(store)
    expect(whole.items).toHaveLength(ROWS)
    expect(store.writes.length).toBeGreaterThan(6)
  })

  const everyWrite = () => store.writes.map((_, n) => n + 1)

  test('fault 81: after each write the store has as many rows as its ledger counts', async () => {
    const lengths: number[] = []
    for (const count of everyWrite()) {
      const { items, ledger } = await contentOf(store.after(count))
      expect([count, ledger[0]!.rowsRead, ledger[0]!.rows.inserted]).toEqual([
        count,
        items.length,
        items.length,
      ])
      lengths.push(items.length)
    }
    expect(lengths[0]).toBe(0)
    expect(lengths.at(-1)).toBe(ROWS)
    expect(new Set(lengths).size).toBeGreaterThan(5)
  })

  test('a restart after any write ends with the same state', async () => {
    for (const count of everyWrite().slice(0, -1)) {
      const found = store.after(count)
      await goOn(found, bytes)
      expect([count, await contentOf(found)]).toEqual([count, whole])
    }
  })

  test('fault 82: a repeated write that seemed to fail changes nothing', async () => {
    const found = store.after(store.writes.length)
    const state = await CategoryState.open(CATEGORY, found)
    const again = { ...whole.ledger[0]!, ...NOTHING_APPLIED }
    await state.commit(again)
    const log = new Log()
    const done = await goOn(found, bytes, log)
    expect(done.rows).toEqual({ ...NO_ROWS, unchanged: ROWS })
    expect(log.flushed).toEqual([])
    expect((await contentOf(found)).items).toEqual(whole.items)
  })

  test('each change is told once, and repetitions after the committed length are removed', async () => {
    for (const count of everyWrite().slice(0, -1)) {
      const found = store.after(count)
      const told = (await contentOf(found)).items.length
      const log = new Log()
      await goOn(found, bytes, log)
      expect([count, log.flushed.length]).toEqual([count, ROWS - told])
    }
  })

  test('a stop takes effect after a commit', async () => {
    const found = store.after(1)
    const state = await CategoryState.open(CATEGORY, found)
    const stop = new AbortController()
    const onRows = () => {
      if (state.ledger.applying!.rows.inserted > 100) stop.abort(new RangeError('stopped'))
    }
    const data = await fileOf(bytes)
    const stopped = applyFile({
      ...SMALL,
      signal: stop.signal,
      state,
      entry: state.ledger.applying!,
      data,
      onRows,
    })
    await expect(stopped).rejects.toThrow('stopped')
    const left = await contentOf(found)
    expect(left.items.length).toBe(left.ledger[0]!.rows.inserted)
    expect(left.items.length).toBeLessThan(ROWS)
    await goOn(found, bytes)
    expect(await contentOf(found)).toEqual(whole)
  })
})

test('rows that cannot be read, and rows without a readable key or date, are left out and counted', async () => {
  const text = tsv([
    ['itemId', 'availability', 'title', 'itemSnapshotDate'],
    ['v1|1|0', 'AVAILABLE', 'good', '2026-03-01T07:30:00.000Z'],
    ['', 'AVAILABLE', 'no key', '2026-03-01T07:30:00.000Z'],
    ['v1|2|0', 'AVAILABLE', 'no date', 'yesterday'],
    ['v1|3|0', 'AVAILABLE'],
    ['v1|4|0', 'AVAILABLE', 'good too', '2026-03-01T07:30:00.000Z'],
  ])
  const bytes = gzipSync(text)
  const store = new MemoryStore()
  await begin(store, SNAPSHOT, bytes)
  expect(await goOn(store, bytes)).toMatchObject({ rows: { ...NO_ROWS, inserted: 2 }, badRows: 3 })
  expect((await contentOf(store)).items).toHaveLength(2)
})

test('a first bootstrap has nothing to remove, and reads none of its rows again', async () => {
  const bytes = gzipSync(tsv(snapshotLines))
  const store = new RecordedStore()
  await begin(store, BOOTSTRAP, bytes)
  let listedRows = 0
  const entries = store.entries.bind(store)
  store.entries = (range, options) => {
    if (range?.from === 'i') listedRows++
    return entries(range, options)
  }
  expect((await goOn(store, bytes)).rows).toEqual({ ...NO_ROWS, inserted: ROWS })
  expect(listedRows).toBe(0)
})

test('a bootstrap removes the items that it lacks and that are older, also after an interruption', async () => {
  const old = gzipSync(tsv(snapshotLines))
  const store = new RecordedStore()
  await begin(store, { ...SNAPSHOT, hour: '2026-03-01T05:00:00.000Z' }, old)
  // The test removes the rows' own dates, which are later than the bootstrap.
  const dated = gzipSync(tsv(snapshotLines.map(cells => cells.slice(0, 3))))
  await goOn(store, dated)
  const kept = [
    ['itemId', 'title'],
    ...Array.from({ length: 20 }, (_, n) => [`v1|${1000 + n * 10}|0`, 'of the bootstrap']),
  ]
  const bytes = gzipSync(tsv(kept))
  await begin(store, BOOTSTRAP, bytes)
  const before = store.writes.length
  const done = await goOn(store, bytes)
  expect(done.rows).toMatchObject({ updated: 20, deleted: ROWS - 20 })
  const whole = await contentOf(store)
  expect(whole.items).toHaveLength(20)
  for (let count = before; count < store.writes.length; count++) {
    const found = store.after(count)
    await goOn(found, bytes)
    expect(await contentOf(found)).toEqual(whole)
  }
})

describe('rows that were applied', () => {
  const schema = defineSchema({ name: 'item', columns: { itemId: text(), title: text() } })
  const COLUMNS = 'itemId\ttitle\n'
  /** The parser gives a good row, leaves an unreadable one out, and gives one that the merge leaves out. */
  type Kind = 'good' | 'unreadable' | 'unmerged'
  const kinds = fc.array(fc.constantFrom<Kind>('good', 'good', 'unreadable', 'unmerged'), {
    minLength: 1,
    maxLength: 40,
  })

  const lineOf = (kind: Kind, row: number) =>
    kind === 'unreadable' ? `${row}\n` : `${kind === 'good' ? row : ''}\ttitle\n`

  /** Records the numbers of the rows that it takes. */
  class TakenRows implements RowQuarantine {
    readonly rows: number[] = []
    take({ position }: Parameters<RowQuarantine['take']>[0]): void {
      this.rows.push(position.row)
    }
    settle(): undefined {}
    async flush(): Promise<void> {}
  }

  /** Reads the file with so many rows applied, in blocks of `blockBytes`. */
  function read(file: readonly Kind[], rowsRead: number, blockBytes: number) {
    const badRows = file.slice(0, rowsRead).filter(kind => kind !== 'good').length
    const applied = new AppliedRows({ rowsRead, badRows })
    const quarantine = new TakenRows()
    const parser = new TsvParser({
      schema,
      batchBytes: 64,
      onBadRow: applied.quarantineOfRest(quarantine),
    })
    const bytes = Buffer.from(COLUMNS + file.map((kind, n) => lineOf(kind, n + 1)).join(''))
    const given: number[] = []
    const take = (batches: Iterable<Parameters<typeof applied.rest>[0]>) => {
      for (const batch of batches)
        for (const row of applied.rest(batch) ?? []) given.push(row.position.row)
    }
    for (let at = 0; at < bytes.length; at += blockBytes)
      take(parser.push(bytes.subarray(at, at + blockBytes)))
    take(parser.end())
    return { given, quarantined: quarantine.rows, unmerged: applied.unmerged }
  }

  test('the rows behind the applied ones are given, and the bad rows before them are counted again', () => {
    fc.assert(
      fc.property(kinds, fc.nat(40), fc.integer({ min: 1, max: 200 }), (file, some, blockBytes) => {
        const rowsRead = Math.min(some, file.length)
        const { given, quarantined, unmerged } = read(file, rowsRead, blockBytes)
        const rows = file.map((kind, n) => ({ kind, row: n + 1 }))
        const rest = rows.slice(rowsRead)
        const numbers = (of: typeof rows) => of.map(({ row }) => row)
        expect(given).toEqual(numbers(rest.filter(({ kind }) => kind !== 'unreadable')))
        expect(quarantined).toEqual(numbers(rest.filter(({ kind }) => kind === 'unreadable')))
        expect(unmerged).toBe(rows.slice(0, rowsRead).filter(r => r.kind === 'unmerged').length)
      }),
      { numRuns: 150 },
    )
  })

  test('a file of which nothing was applied is given as it is', () => {
    const applied = new AppliedRows({ rowsRead: 0, badRows: 0 })
    const quarantine = new TakenRows()
    expect(applied.quarantineOfRest(quarantine)).toBe(quarantine)
    const parser = new TsvParser({ schema })
    const [batch] = [...parser.push(Buffer.from(`${COLUMNS}1\ttitle\n`)), ...parser.end()]
    expect(applied.rest(batch!)).toBe(batch)
    expect(applied.unmerged).toBe(0)
  })
})
