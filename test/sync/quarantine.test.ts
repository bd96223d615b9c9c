// The quarantine of a state folder: each byte of a damaged file is in the state or in the quarantine
// once, whatever kills the run; and mended rows give the state of the undamaged file.
// Long: it kills a replay at every call.

import { gzipSync } from 'node:zlib'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { FeedError } from '../../src/engine/errors'
import { FileRows } from '../../src/sync/file/file-rows'
import { categoryKey, type FileId, fileIdKey, localNameOf } from '../../src/sync/file-id'
import type { Environment } from '../../src/sync/folder/environment'
import { statePaths } from '../../src/sync/folder/state-paths'
import {
  type ReplaySummary,
  replayFiles,
  replayIntoState,
} from '../../src/sync/run/replay-into-state'
import { CategoryRuns } from '../../src/sync/runs/category-runs'
import { CategoryView } from '../../src/sync/runs/category-view'
import { fileChanges } from '../../src/sync/runs/file-changes'
import { openStateFolder } from '../../src/sync/runs/state-folder'
import type { AppliedFile, TargetCategory } from '../../src/sync/target/target'
import { joined } from '../engine/quarantine/damaged'
import { SimulatedMachine } from './simulated-machine'

const CATEGORY = { marketplace: 'MKT_US', categoryId: '220' }
const ORIGIN = { marketplace: 'MKT_US', service: 'https://feeds.example' }
const HOUR_MS = 3_600_000
/** Memory for sorting that makes several runs of a file. */
const SORT_BYTES = 2_000
const START = Date.parse('2026-03-01T07:00:00.000Z')
const FOLDER = '/state'
const PATHS = statePaths(FOLDER)

const hourId = (hour: number): FileId => ({
  ...CATEGORY,
  feed: 'item_snapshot',
  hour: new Date(START + hour * HOUR_MS).toISOString(),
})
const bootstrapId = (hour: number): FileId => ({
  ...CATEGORY,
  feed: 'item',
  scope: 'ALL_ACTIVE',
  generation: new Date(START + hour * HOUR_MS).toISOString(),
})

interface Ingested {
  readonly id: FileId
  readonly hour: number
  readonly bytes: Uint8Array
  readonly changes?: 'files' | 'none'
}

/** Applies a file, or finds that it was applied. */
async function ingestInto(
  category: TargetCategory,
  { files }: Environment,
  { id, hour, bytes }: Ingested,
): Promise<AppliedFile> {
  const applied = category.files.find(each => fileIdKey(each.id) === fileIdKey(id))
  if (applied !== undefined) return applied
  const data = await files.edit(`/data-${hour}`)
  await data.write(0, gzipSync(bytes))
  await data.close()
  const identity = {
    totalBytes: gzipSync(bytes).length,
    lastModified: lastModifiedOf(hour),
  }
  const rows = new FileRows(
    { id, identity },
    {
      open: async () => (await files.open(`/data-${hour}`))!,
      maxRemovedShare: 1,
      signal: new AbortController().signal,
      quarantine: { files, folder: PATHS.quarantine },
    },
  )
  return category.apply(rows)
}

async function ingest(environment: Environment, file: Ingested): Promise<AppliedFile> {
  const { changes = 'none' } = file
  const folder = await openStateFolder({
    folder: FOLDER,
    origin: ORIGIN,
    sortBytes: SORT_BYTES,
    environment,
    changes: changes === 'none' ? undefined : { changes },
  })
  try {
    return await ingestInto(await folder.category(CATEGORY), environment, file)
  } finally {
    await folder.close()
  }
}

/** The live items of the folder, with their cells and versions. */
async function itemsIn({ files }: Environment): Promise<string[]> {
  const view = await CategoryView.open(files, PATHS.runsOf(CATEGORY))
  try {
    const rows: string[] = []
    for await (const block of view!.items())
      for (const { itemId, row, version } of block)
        rows.push(JSON.stringify([itemId, row.toStrings(), version]))
    return rows
  } finally {
    await view?.close()
  }
}

const lastModifiedOf = (hour: number) => new Date(START + hour * HOUR_MS).toUTCString()

/** The logs of replays. */
function logsOf(machine: SimulatedMachine): [string, string][] {
  const logs = machine.filesUnder(`${FOLDER}/changes`)
  return [...logs].filter(([path]) => path.endsWith('.replay.ndjson'))
}

interface Record {
  readonly row: number
  readonly byteOffset: number
  readonly code: string
  text?: string
  base64?: string
}

/** The paths of the quarantines, and their records. */
function quarantines(machine: SimulatedMachine): { path: string; records: Record[] }[] {
  return [...machine.filesUnder(`${FOLDER}/quarantine`)].map(([path]) => ({
    path,
    records: Buffer.from(textOf(machine, path))
      .toString()
      .trim()
      .split('\n')
      .map(line => JSON.parse(line))
      .filter(record => 'row' in record),
  }))
}

function textOf(machine: SimulatedMachine, path: string): string {
  return machine.filesUnder(FOLDER).get(path) ?? ''
}

const bytesOf = ({ text, base64 }: Record) =>
  text === undefined ? Buffer.from(base64!, 'base64') : Buffer.from(text)

/** Writes the undamaged rows into the records of a file. */
async function mend(machine: SimulatedMachine, path: string, rows: readonly string[]) {
  const lines = textOf(machine, path).trim().split('\n')
  const mended = lines.map(line => {
    const { base64: _, ...record } = JSON.parse(line)
    return JSON.stringify('row' in record ? { ...record, text: rows[record.row - 1] } : record)
  })
  const { files } = machine.start()
  const file = await files.edit(path)
  await file.truncate(0)
  await file.write(0, Buffer.from(`${mended.join('\n')}\n`))
  await file.sync()
  await file.close()
}

const SNAPSHOT_COLUMNS = 'itemId\tavailability\ttitle\titemSnapshotDate\n'
const ITEM_COLUMNS = 'itemId\ttitle\tpriceValue\n'

function snapshotRows(hour: number, numbers: readonly number[]): string[] {
  const date = new Date(START + hour * HOUR_MS + 1).toISOString()
  return numbers.map(n => `v1|${n}|0\tAVAILABLE\ttitle ${n} of hour ${hour}\t${date}\n`)
}

const itemRows = (hour: number, numbers: readonly number[]) =>
  numbers.map(n => `v1|${n}|0\titem ${n} of hour ${hour}\t${n}.5\n`)

const FAULTS: readonly ((row: string) => Buffer)[] = [
  row => Buffer.from(row.replace('\t', '')),
  row => Buffer.from(row.replace('\t', '\t"\\"')),
  row => Buffer.from(`more\t\t\t\tcells\t${row}`),
  row => Buffer.concat([Buffer.of(0xff), Buffer.from(row)]),
  // The price of this row is no number. A row without a price is as it was.
  row => Buffer.from(row.replace(/\t[\d.]+\n$/, '\t12,50\n')),
  // This row lacks its key.
  row => Buffer.from(row.replace(/^[^\t]*/, '')),
]
const faults = fc.array(fc.option(fc.nat(FAULTS.length - 1), { nil: undefined, freq: 3 }), {
  minLength: 60,
  maxLength: 60,
})

const damagedFile = (
  header: string,
  rows: readonly string[],
  faultOf: readonly (number | undefined)[],
) => {
  const lines = rows.map((row, n) => FAULTS[faultOf[n] ?? -1]?.(row) ?? Buffer.from(row))
  return { lines, bytes: Buffer.concat([Buffer.from(header), ...lines]) }
}

const NUMBERS = Array.from({ length: 60 }, (_, n) => n)
const ROWS = snapshotRows(1, NUMBERS)

test('fault 126: for random damage, the bytes of the kept and of the quarantined rows are those of the file', async () => {
  await fc.assert(
    fc.asyncProperty(faults, async faultOf => {
      const { lines, bytes } = damagedFile(SNAPSHOT_COLUMNS, ROWS, faultOf)
      const machine = new SimulatedMachine(0)
      const entry = await ingest(machine.start(), { id: hourId(1), hour: 1, bytes })
      const records = quarantines(machine).flatMap(each => each.records)
      const items = await itemsIn(machine.start())
      expect(entry.rowsRead).toBe(items.length + records.length)
      expect(entry.badRows).toBe(records.length)
      const kept = lines.flatMap((line, n) => {
        const byteOffset = Buffer.concat([
          Buffer.from(SNAPSHOT_COLUMNS),
          ...lines.slice(0, n),
        ]).length
        const isKept = items.some(item => item.startsWith(`["v1|${n}|0"`))
        return isKept ? [{ byteOffset, bytes: line }] : []
      })
      const bad = records.map(record => ({
        byteOffset: record.byteOffset,
        bytes: bytesOf(record),
      }))
      const start = { byteOffset: 0, bytes: Buffer.from(SNAPSHOT_COLUMNS) }
      expect(joined([start, ...kept, ...bad])).toEqual(bytes)
    }),
    { numRuns: 30 },
  )
}, 120_000)

test('fault 127: a run that is killed at any call leaves each row in the quarantine once', async () => {
  const faultOf = NUMBERS.map(n => (n % 4 === 1 ? n % FAULTS.length : undefined))
  const { bytes } = damagedFile(SNAPSHOT_COLUMNS, ROWS, faultOf)
  const file = { id: hourId(1), hour: 1, bytes }
  const undisturbed = new SimulatedMachine(0)
  const entry = await ingest(undisturbed.start(), file)
  const calls = undisturbed.log.length
  const whole = quarantines(undisturbed).flatMap(({ records }) => records)
  const items = await itemsIn(undisturbed.start())
  expect(whole).toHaveLength(15)
  expect(calls).toBeGreaterThan(50)
  for (const kind of ['process', 'power'] as const) {
    for (let at = 1; at <= calls; at += 2) {
      for (const what of ['within', 'after'] as const) {
        const machine = new SimulatedMachine(at)
        await ingest(machine.start({ at, what }), file).catch(() => undefined)
        machine.crash(kind)
        const done = await ingest(machine.start(), file)
        const records = quarantines(machine).flatMap(each => each.records)
        const byRow = (a: Record, b: Record) => a.row - b.row
        expect([kind, at, what, [...records].sort(byRow)]).toEqual([
          kind,
          at,
          what,
          [...whole].sort(byRow),
        ])
        expect([done.rowsRead, done.badRows]).toEqual([entry.rowsRead, entry.badRows])
        expect(await itemsIn(machine.start())).toEqual(items)
      }
    }
  }
}, 300_000)

/** Where rows go. */
interface Place {
  readonly name: string
  ingest(environment: Environment, file: Ingested): Promise<unknown>
  replay(environment: Environment, files: readonly string[]): Promise<ReplaySummary>
}

const stateFolder: Place = {
  name: 'a state folder',
  ingest,
  replay: (environment, files) => replayIntoState({ folder: FOLDER, files, environment }),
}

async function inMergedRuns<T>(
  { files }: Environment,
  changes: Ingested['changes'],
  use: (runs: CategoryRuns) => Promise<T>,
): Promise<T> {
  const settings = changes === 'files' ? { changes } : undefined
  const runs = await CategoryRuns.open(CATEGORY, {
    files,
    folder: PATHS.runsOf(CATEGORY),
    sortBytes: SORT_BYTES,
    mostRuns: 1,
    changes: fileChanges(files, PATHS, settings),
  })
  try {
    return await use(runs)
  } finally {
    await runs.close()
  }
}

const mergedRuns: Place = {
  name: 'runs that are merged into one at once',
  ingest: (environment, file) =>
    inMergedRuns(environment, file.changes, runs => ingestInto(runs, environment, file)),
  replay: (environment, paths) =>
    inMergedRuns(environment, 'files', runs =>
      replayFiles(paths, {
        files: environment.files,
        signal: new AbortController().signal,
        categoryOf: async id => (categoryKey(id) === categoryKey(CATEGORY) ? runs : undefined),
      }),
    ),
}

describe.each([stateFolder, mergedRuns])(
  'a replay of the undamaged rows into $name',
  ({ ingest, replay }) => {
    const replayed = (machine: SimulatedMachine): Promise<ReplaySummary> =>
      replay(
        machine.start(),
        quarantines(machine).map(({ path }) => path),
      )

    interface Shop {
      readonly id: FileId
      readonly hour: number
      readonly header: string
      readonly rows: readonly string[]
    }

    // Older items, a bootstrap that lacks some of them, a later hour, and a later bootstrap or none.
    const snapshot = (hour: number, numbers: readonly number[]): Shop => ({
      id: hourId(hour),
      hour,
      header: SNAPSHOT_COLUMNS,
      rows: snapshotRows(hour, numbers),
    })
    const bootstrap = (hour: number, numbers: readonly number[]): Shop => ({
      id: bootstrapId(hour),
      hour,
      header: ITEM_COLUMNS,
      rows: itemRows(hour, numbers),
    })
    const numbers = fc.shuffledSubarray(NUMBERS.slice(0, 25), { minLength: 1 })
    const shops = fc
      .tuple(numbers, numbers, numbers, fc.option(numbers))
      .map(([before, all, after, last]) => [
        bootstrap(0, before),
        snapshot(2, after),
        bootstrap(6, all),
        snapshot(8, before),
        ...(last === null ? [] : [bootstrap(12, last)]),
      ])

    test('gives the state of the undamaged files, and a second replay changes nothing', async () => {
      const several = fc.array(faults, { minLength: 5, maxLength: 5 })
      await fc.assert(
        fc.asyncProperty(shops, several, async (files, faultsOf) => {
          const right = new SimulatedMachine(0)
          const machine = new SimulatedMachine(0)
          for (const [n, { id, hour, header, rows }] of files.entries()) {
            const bytes = Buffer.from(header + rows.join(''))
            await ingest(right.start(), { id, hour, bytes })
            const broken = damagedFile(header, rows, faultsOf[n]!).bytes
            await ingest(machine.start(), { id, hour, bytes: broken })
          }
          const copies = new Map<string, string>()
          for (const { path } of quarantines(machine)) {
            const of = files.find(({ id }) => path.includes(`/${localNameOf(id)}.`))
            await mend(machine, path, of!.rows)
            copies.set(path, textOf(machine, path))
          }
          const { stillBad, tooOld } = await replayed(machine)
          expect([stillBad, tooOld, quarantines(machine)]).toEqual([0, 0, []])
          const items = await itemsIn(machine.start())
          expect(items).toEqual(await itemsIn(right.start()))
          // The same rows are replayed once more.
          for (const [path, text] of copies) {
            const file = await machine.start().files.edit(path)
            await file.write(0, Buffer.from(text))
            await file.sync()
            await file.close()
          }
          await replayed(machine)
          expect(await itemsIn(machine.start())).toEqual(items)
        }),
        { numRuns: 40 },
      )
    }, 300_000)

    test('leaves rows that are still bad in their file, with their bytes', async () => {
      const faultOf = NUMBERS.map(n => (n < 6 ? n : undefined))
      const { bytes } = damagedFile(SNAPSHOT_COLUMNS, ROWS, faultOf)
      const machine = new SimulatedMachine(0)
      await ingest(machine.start(), { id: hourId(1), hour: 1, bytes })
      const before = quarantines(machine)
      const summary = await replayed(machine)
      expect(summary).toEqual({ rowsRead: 5, merged: 0, stale: 0, stillBad: 5, tooOld: 0 })
      expect(quarantines(machine)).toEqual(before)
      await mend(machine, before[0]!.path, ROWS)
      expect(await replayed(machine)).toMatchObject({ rowsRead: 5, merged: 5, stillBad: 0 })
      expect(quarantines(machine)).toEqual([])
      expect(await itemsIn(machine.start())).toHaveLength(ROWS.length)
    })

    test('of a missing file is STATE_IO, and a file without a record is refused and stays', async () => {
      const machine = new SimulatedMachine(0)
      await ingest(machine.start(), {
        id: hourId(1),
        hour: 1,
        bytes: Buffer.from(SNAPSHOT_COLUMNS),
      })
      const replayOf = (path: string) => replay(machine.start(), [path])
      await expect(replayOf('/missing')).rejects.toMatchObject({
        code: 'STATE_IO',
        context: { path: '/missing', reason: 'ENOENT' },
      })
      for (const text of ['', '\n\n']) {
        const file = await machine.start().files.edit('/notes')
        await file.write(0, Buffer.from(text))
        await file.sync()
        await expect(replayOf('/notes')).rejects.toMatchObject({
          code: 'QUARANTINE_INVALID',
          context: { path: '/notes', line: 1 },
        })
        expect(machine.filesUnder('').get('/notes')).toBe(text)
      }
    })

    test('of a file that the folder does not have is QUARANTINE_INVALID', async () => {
      const machine = new SimulatedMachine(0)
      await ingest(machine.start(), {
        id: hourId(1),
        hour: 1,
        bytes: damagedFile(SNAPSHOT_COLUMNS, ROWS, [0]).bytes,
      })
      const [{ path } = { path: '' }] = quarantines(machine)
      const other = textOf(machine, path).replace('"name":"MKT_US/220', '"name":"MKT_US/221')
      const file = await machine.start().files.edit(path)
      await file.write(0, Buffer.from(other))
      await file.sync()
      await file.close()
      const failure = await replayed(machine).catch(error => error)
      expect(FeedError.is(failure) && failure.code).toBe('QUARANTINE_INVALID')
      expect(textOf(machine, path)).toBe(other)
    })

    test('that is killed at any call and repeated has each change in its log once', async () => {
      const faultOf = NUMBERS.map(n => (n % 10 === 1 ? n % FAULTS.length : undefined))
      const { bytes } = damagedFile(SNAPSHOT_COLUMNS, ROWS, faultOf)
      const damagedMachine = async (at: number) => {
        const machine = new SimulatedMachine(at)
        const file = { id: hourId(1), hour: 1, bytes, changes: 'files' as const }
        await ingest(machine.start(), file)
        const [{ path } = expect.fail('no quarantine')] = quarantines(machine)
        await mend(machine, path, ROWS)
        return machine
      }
      const paths = (machine: SimulatedMachine) => quarantines(machine).map(each => each.path)
      const undisturbed = await damagedMachine(0)
      await replayed(undisturbed)
      const calls = undisturbed.log.length
      expect(calls).toBeGreaterThan(20)
      const whole = logsOf(undisturbed)
      expect(whole).toEqual([
        [
          '/state/changes/MKT_US.220.00000001.replay.ndjson',
          expect.stringMatching(/^({.*}\n){6}$/),
        ],
      ])
      const items = await itemsIn(undisturbed.start())
      for (const kind of ['process', 'power'] as const) {
        for (let at = 1; at <= calls; at++) {
          for (const what of ['before', 'within', 'after'] as const) {
            const machine = await damagedMachine(at)
            const environment = machine.start({ at, what })
            await replay(environment, paths(machine)).catch(() => undefined)
            machine.crash(kind)
            await replayed(machine)
            expect([kind, at, what, logsOf(machine), paths(machine)]).toEqual([
              kind,
              at,
              what,
              whole,
              [],
            ])
            expect(await itemsIn(machine.start())).toEqual(items)
          }
        }
      }
    }, 300_000)

    test('writes its changes behind those of the files that were applied before', async () => {
      const machine = new SimulatedMachine(0)
      const file = (hour: number, faults: number[]) => ({
        id: hourId(hour),
        hour,
        bytes: damagedFile(
          SNAPSHOT_COLUMNS,
          snapshotRows(hour, NUMBERS),
          NUMBERS.map(n => (faults.includes(n) ? 0 : undefined)),
        ).bytes,
        changes: 'files' as const,
      })
      await ingest(machine.start(), file(1, [3, 4]))
      const [first] = quarantines(machine)
      await mend(machine, first!.path, snapshotRows(1, NUMBERS))
      await replayed(machine)
      await ingest(machine.start(), file(2, [5]))
      const [second] = quarantines(machine)
      await mend(machine, second!.path, snapshotRows(2, NUMBERS))
      await replayed(machine)
      const logs = logsOf(machine).map(([path, text]) => [
        path.slice(path.lastIndexOf('/') + 1),
        text
          .trimEnd()
          .split('\n')
          .map(line => JSON.parse(line).id),
      ])
      expect(logs).toEqual([
        ['MKT_US.220.00000001.replay.ndjson', ['v1|3|0', 'v1|4|0']],
        ['MKT_US.220.00000002.replay.ndjson', ['v1|5|0']],
      ])
    })
  },
)
