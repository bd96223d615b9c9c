// What a full file of a feed of one's own may remove: bad rows, marks of removal, and a second full
// file of one time; and what the callbacks of a source may return.

import { writeFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { FeedError } from '../../../src/engine/errors'
import * as kinds from '../../../src/index'
import { fileIdKey } from '../../../src/sync/file-id'
import type { StateChange } from '../../../src/sync/folder/change-log'
import { statePaths } from '../../../src/sync/folder/state-paths'
import { openState } from '../../../src/sync/read/open-state'
import { replayIntoState } from '../../../src/sync/run/replay-into-state'
import { sync } from '../../../src/sync/run/sync'
import type { SyncEvent } from '../../../src/sync/run/sync-events'
import { folderFiles } from '../../../src/sync/source/folder-files'
import type { AppliedFile } from '../../../src/sync/target/target'
import { SimulatedMachine } from '../simulated-machine'
import { FOLDER } from '../small-run'
import { lineOf, rowsIn, SmallFeed, type SmallRow, textOf, timeOf } from './small-feed'

const row = (sku: string, revision = 1, title = '', gone = false): SmallRow => {
  return { sku, revision, gone, title }
}
const rows = (count: number, revision = 1, gone = 0) =>
  Array.from({ length: count }, (_, n) => row(`s${1000 + n}`, revision, '', n < gone))

async function eventsOf(run: AsyncIterable<SyncEvent>): Promise<[SyncEvent[], FeedError?]> {
  const events: SyncEvent[] = []
  try {
    for await (const event of run) events.push(event)
  } catch (error) {
    if (FeedError.is(error)) return [events, error]
    throw error
  }
  return [events]
}

async function ledgerIn(machine: SimulatedMachine): Promise<readonly AppliedFile[]> {
  const state = await openState(FOLDER, { environment: machine.start() })
  const { files } = state.feed(new SmallFeed().source())
  await state.close()
  return files
}

async function skusIn(machine: SimulatedMachine): Promise<string[]> {
  const state = await openState(FOLDER, { environment: machine.start() })
  const skus: string[] = []
  for await (const block of state.feed(new SmallFeed().source()).rows())
    for (const each of block) skus.push(each.text('sku'))
  await state.close()
  return skus
}

async function titleIn(machine: SimulatedMachine, sku: string): Promise<string | undefined> {
  const state = await openState(FOLDER, { environment: machine.start() })
  const found = await state.feed(new SmallFeed().source()).row(sku)
  await state.close()
  return found?.text('title')
}

/** The text of rows of which some are written in a way that spoils them. */
function spoilt(all: readonly SmallRow[], count: number, spoil: (line: string) => string): Buffer {
  const lines = textOf(all).trimEnd().split('\n')
  return Buffer.from(lines.map((line, n) => (n > 0 && n <= count ? spoil(line) : line)).join('\n'))
}

const SPOILERS = {
  'a version that is none': (line: string) => line.replace(/,\d+,$/, ',soon,'),
  'a version that is too great': (line: string) => line.replace(/,\d+,$/, ',9000000000000000,'),
  'no version': (line: string) => line.replace(/,\d+,$/, ',,'),
  'a mark that is none': (line: string) => line.replace(',false,', ',perhaps,'),
}
const UNREADABLE = {
  'a cell too few': (line: string) => line.replace(/,$/, ''),
  'a cell too many': (line: string) => `${line},`,
  'no key': (line: string) => line.replace(/,s\d+,/, ',,'),
  'a stray quote': (line: string) => line.replace('""', '"x"y'),
}

describe('fault 159: a bad row of a full file', () => {
  test.each(Object.entries(SPOILERS))(
    'keeps its key where that can be read: %s',
    async (_, spoil) => {
      for (const isFirst of [true, false]) {
        const machine = new SimulatedMachine(0)
        const feed = new SmallFeed()
        const options = { quarantine: 'files' } as const
        if (!isFirst) {
          feed.add({ kind: 'full', minute: 0, rows: rows(200) })
          await feed.sync(machine.start(), options).summary
        }
        feed.add({ kind: 'full', minute: 3, rows: [] }, spoilt(rows(200, 2), 10, spoil))
        const [events] = await eventsOf(feed.sync(machine.start(), options))
        expect(events.map(({ type }) => type)).not.toContain('removedByBadRows')
        expect(await skusIn(machine)).toEqual(rows(200).map(({ sku }) => sku))
        const entry = (await ledgerIn(machine)).at(-1)!
        expect([entry.badRows, entry.badCells ?? 0, entry.removedByBadRows]).toEqual([
          10,
          0,
          undefined,
        ])
        // Each is in quarantine once, is bad as long as nobody mends it, and loses to any other row.
        const [path] = [...machine.filesUnder(statePaths(FOLDER).quarantine).keys()].slice(-1)
        const replay = { folder: FOLDER, files: [path!], source: feed.source() }
        const replayed = await replayIntoState({ ...replay, environment: machine.start() })
        expect(replayed).toEqual({ rowsRead: 10, merged: 0, stale: 0, stillBad: 10, tooOld: 0 })
        feed.add({ kind: 'changes', minute: 4, rows: [row('s1000', -5, 'other')] })
        await feed.sync(machine.start(), options).summary
        expect(await titleIn(machine, 's1000')).toBe('other')
        machine.damage(path!, bytes => Buffer.from(mended(bytes.toString())))
        const merged = await replayIntoState({ ...replay, environment: machine.start() })
        expect(merged).toMatchObject({ merged: 10, stillBad: 0 })
        expect(await rowsIn(machine.start())).toEqual(rows(200, 2).map(lineOf))
      }
    },
  )

  const mended = (text: string) =>
    text.replace(/,(soon|9000000000000000|),(\\n|")/g, ',2,$2').replaceAll(',perhaps,', ',false,')

  test.each(Object.entries(UNREADABLE))(
    'is counted apart where it cannot: %s',
    async (_, spoil) => {
      const machine = new SimulatedMachine(0)
      const feed = new SmallFeed()
      feed.add({ kind: 'full', minute: 0, rows: rows(200) })
      await feed.sync(machine.start()).summary
      // Of 30 keys that go, the bad rows may have had 10.
      feed.add({ kind: 'full', minute: 3, rows: [] }, spoilt(rows(180, 2), 9, spoil))
      const [events] = await eventsOf(feed.sync(machine.start()))
      const told = events.find(event => event.type === 'removedByBadRows')
      expect(told).toMatchObject({ entry: { removedByBadRows: 9, badRows: 9 } })
      const entry = (await ledgerIn(machine)).at(-1)!
      expect([entry.removedByBadRows, entry.rows.deleted]).toEqual([9, 29])
      expect((await rowsIn(machine.start())).length).toBe(171)
      // Bad rows without a key that went are none of them, and keys that are marked did not go so. The
      // versions of the files before count no more.
      const marked = rows(171 + 9).map((each, n) => ({ ...each, gone: n >= 170 }))
      feed.add({ kind: 'full', minute: 5, rows: [] }, spoilt(marked, 9, spoil))
      await feed.sync(machine.start()).summary
      const { rows: tally, removedByBadRows } = (await ledgerIn(machine)).at(-1)!
      const updated = 171 - 10
      expect(tally).toEqual({ inserted: 0, updated, deleted: 10, unchanged: 0, stale: 0 })
      expect(removedByBadRows).toBeUndefined()
    },
  )

  test.each([...Object.entries(SPOILERS), ...Object.entries(UNREADABLE)])(
    'is refused with the whole file above maxBadShare: %s',
    async (_, spoil) => {
      for (const isFirst of [true, false]) {
        const machine = new SimulatedMachine(0)
        const feed = new SmallFeed()
        if (!isFirst) feed.add({ kind: 'full', minute: 0, rows: rows(200) })
        if (!isFirst) await feed.sync(machine.start()).summary
        const before = isFirst ? [] : await rowsIn(machine.start())
        feed.add({ kind: 'full', minute: 3, rows: [] }, spoilt(rows(200, 2), 11, spoil))
        feed.add({ kind: 'changes', minute: 4, rows: [row('later')] })
        const [events, error] = await eventsOf(feed.sync(machine.start(), { quarantine: 'files' }))
        expect(error).toMatchObject({
          code: 'SYNC_BAD_ROWS_REFUSED',
          retryable: false,
          message: expect.stringContaining('maxBadShare: 1'),
          context: {
            file: expect.stringContaining('full-3'),
            rowsRead: 200,
            badRows: 11,
            maxBadShare: 0.05,
          },
        })
        expect(events.some(({ type }) => type === 'done')).toBe(false)
        if (!isFirst) expect(await rowsIn(machine.start())).toEqual(before)
        expect((await ledgerIn(machine)).length).toBe(isFirst ? 0 : 1)
        const allowed = feed.sync(machine.start(), { maxBadShare: 0.055 })
        expect((await allowed.summary).files).toBe(2)
      }
    },
  )

  test('is in no share of a file of changes, nor of a file of fewer than 100 rows', async () => {
    const machine = new SimulatedMachine(0)
    const feed = new SmallFeed()
    const spoil = UNREADABLE['no key']
    feed.add({ kind: 'full', minute: 1, rows: [] }, spoilt(rows(99), 60, spoil))
    feed.add({ kind: 'changes', minute: 3, rows: [] }, spoilt(rows(200), 190, spoil))
    const { rowsLeftOut } = await feed.sync(machine.start()).summary
    expect(rowsLeftOut).toBe(250)
    expect(() => feed.sync(machine.start(), { maxBadShare: 2 })).toThrow(/maxBadShare must be/)
  })
})

describe('fault 159: marks of removal', () => {
  test.each([
    ['a full file of marks', 'full', rows(200, 2, 101)],
    ['a full file that marks some and lacks others', 'full', rows(150, 2, 51)],
    ['a file of changes', 'changes', rows(101, 2, 101)],
  ] as const)('count for maxRemovedShare: %s', async (_, kind, removing) => {
    const machine = new SimulatedMachine(0)
    const feed = new SmallFeed()
    feed.add({ kind: 'full', minute: 0, rows: rows(200) })
    await feed.sync(machine.start()).summary
    feed.add({ kind: 'changes', minute: 1, rows: [row('first')] })
    feed.add({ kind, minute: kind === 'full' ? 1 : 2, rows: removing })
    feed.add({ kind: 'changes', minute: 3, rows: [row('behind')] })
    const told: string[] = []
    const write = (changes: readonly StateChange[]) => {
      told.push(...changes.map(({ id }) => id))
    }
    const [, error] = await eventsOf(feed.sync(machine.start(), { changes: { write } }))
    // The refused file tells a sink nothing.
    expect(told).toEqual(kind === 'full' ? [] : ['first'])
    const rowsBefore = kind === 'full' ? 200 : 201
    expect(error).toMatchObject({
      code: 'SYNC_REMOVAL_REFUSED',
      context: {
        file: expect.stringContaining(`${kind}-`),
        rowsBefore,
        rowsRemoved: 101,
        maxRemovedShare: 0.5,
      },
    })
    const ids = (await ledgerIn(machine)).map(({ id }) => fileIdKey(id).split('/').at(-1))
    expect(ids).toEqual(kind === 'full' ? ['full-0-0'] : ['full-0-0', 'changes-1-1'])
    const { files } = await feed.sync(machine.start(), { maxRemovedShare: 0.506 }).summary
    expect(files).toBe(kind === 'full' ? 3 : 2)
    expect((await rowsIn(machine.start())).length).toBe(99 + 2)
  })

  test('count once, and not where a later row of the file brings the key back', async () => {
    const machine = new SimulatedMachine(0)
    const feed = new SmallFeed()
    feed.add({ kind: 'full', minute: 0, rows: rows(200) })
    await feed.sync(machine.start()).summary
    const repeated = [...rows(90, 2, 90), ...rows(90, 3, 90), ...rows(90, 4, 90)]
    feed.add({ kind: 'changes', minute: 1, rows: [...rows(150, 2, 150), ...rows(150, 3)] })
    feed.add({ kind: 'full', minute: 2, rows: [...repeated, ...rows(200, 1)] })
    const strangers = Array.from({ length: 300 }, (_, n) => row(`t${n}`, 1, '', true))
    feed.add({ kind: 'changes', minute: 3, rows: strangers })
    expect((await feed.sync(machine.start()).summary).files).toBe(2)
    expect((await rowsIn(machine.start())).length).toBe(110)
  })
})

describe('fault 159: two full files of one time', () => {
  test('are refused with both ids, in one list and against the ledger', async () => {
    const machine = new SimulatedMachine(0)
    const feed = new SmallFeed()
    feed.add({ kind: 'full', minute: 1, id: 'export.csv', rows: [row('a')] })
    await feed.sync(machine.start()).summary
    const first = feed.files[0]!
    feed.add({ kind: 'full', minute: 1, id: 'corrected.csv', rows: [row('b')] })
    const second = feed.files[1]!
    feed.add({ kind: 'full', minute: 5, rows: [row('c')] })
    const third = feed.files[2]!
    for (const files of [[first, second], [second], [third, second], [second, third, first]]) {
      const run = feed.sync(machine.start(), { source: feed.source({ files: () => files }) })
      const error = await run.summary.catch(cause => cause)
      expect([error.code, error.message]).toEqual(['OPTION_INVALID', expect.any(String)])
      for (const id of ['export.csv', 'corrected.csv']) expect(error.message).toContain(id)
    }
    expect(await rowsIn(machine.start())).toEqual([lineOf(row('a'))])
    feed.files = [{ ...second, kind: 'changes' }, first, third]
    await feed.sync(machine.start()).summary
    expect(await rowsIn(machine.start())).toEqual([lineOf(row('c'))])
    // The full file from before the newest one is refused as well: somebody meant it to count.
    feed.files = [second, third]
    await expect(feed.sync(machine.start()).summary).rejects.toMatchObject({
      code: 'OPTION_INVALID',
    })
  })
})

describe('fault 159: a callback that returns almost the right thing is refused', () => {
  const answers = [1, 0, 'y', '', 'false', null, undefined, {}, [], Object(true), () => true]
  test.each(answers)('isRemoved with file and row: %s', async answer => {
    const machine = new SimulatedMachine(0)
    const feed = new SmallFeed()
    feed.add({ kind: 'full', minute: 0, id: 'export.csv', rows: rows(5) })
    const isRemoved = (each: { get(name: 'sku'): string }) =>
      (each.get('sku') === 's1003' ? answer : false) as boolean
    const error = await feed
      .sync(machine.start(), { source: feed.source({ isRemoved }) })
      .summary.catch(cause => cause)
    expect([error.code, error.context.option]).toEqual(['OPTION_INVALID', 'source.isRemoved()'])
    expect(error.message).toContain('row 4 of the file export.csv')
    expect(await ledgerIn(machine)).toEqual([])
  })

  const times = [
    null,
    undefined,
    '2026-03-01',
    1.7e12,
    new Date('soon'),
    Promise.resolve(timeOf(1)),
  ]
  test.each(times)('timeOf with the name of the file: %s', async time => {
    const feed = new SmallFeed()
    writeFileSync(`${feed.folder}/stock.csv`, 'x')
    const files = folderFiles({ folder: feed.folder, full: '*.csv', timeOf: () => time as Date })
    await expect(files()).rejects.toMatchObject({
      code: 'OPTION_INVALID',
      context: { option: "timeOf('stock.csv')" },
    })
    const run = feed.sync(new SimulatedMachine(0).start(), { source: feed.source({ files }) })
    await expect(run.summary).rejects.toMatchObject({ code: 'OPTION_INVALID' })
  })
})

describe('fault 133: only text columns are keys', () => {
  const { boolean, date, decimal, defineSchema, float64, int32, int64, json, list, oneOf } = kinds
  const { text, timestamp } = kinds
  test.each(
    Object.entries({
      int32: int32(),
      int64: int64(),
      decimal: decimal(),
      float64: float64(),
      boolean: boolean(),
      date: date(),
      timestamp: timestamp(),
      json: json(),
      oneOf: oneOf('a', 'b'),
      list: list(';'),
    }),
  )('%s is OPTION_INVALID at the call', (_, sku) => {
    const columns = { sku, title: text() }
    const source = { name: 'typed', schema: defineSchema({ name: 'typed', columns }), files: [] }
    for (const call of [
      () => sync({ source: { ...source, key: 'sku' }, folder: '/none' } as never),
      () => sync({ source: { ...source, key: 'sku', version: 'title' }, folder: '/none' } as never),
    ])
      expect(call).toThrow(/^source.key must be a column of the schema of the kind text/)
    const { text: asText } = kinds
    const columnsAsText = { ...columns, sku: asText() }
    const ofText = { ...source, schema: defineSchema({ name: 'typed', columns: columnsAsText }) }
    expect(() => sync({ source: { ...ofText, key: 'sku' }, folder: '' } as never)).toThrow(/folder/)
  })
})
