// A reader of a category of runs beside its writer.

import { mkdtemp, rm, unlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import {
  type Columns,
  type DurableFiles,
  itemGroupSchema,
  itemSnapshotSchema,
  machineFiles,
  TsvParser,
} from '../../../src/engine'
import { versionOfRow } from '../../../src/engine/codec/merge/version-order'
import { type FileId, feedFileOf } from '../../../src/sync/file-id'
import { CategoryRuns } from '../../../src/sync/runs/category-runs'
import { CategoryView } from '../../../src/sync/runs/category-view'
import type { TargetFile, TargetRows } from '../../../src/sync/target/target'
import { headOf, keyedRowsOf } from '../../state/keyed-rows-of'

const CATEGORY = { marketplace: 'MKT_US', categoryId: '220' } as const
const START_MS = Date.UTC(2026, 2, 1)
const HOUR_MS = 3_600_000
const HEADERS = {
  item_snapshot: ['itemId', 'title', 'availability', 'itemSnapshotDate', 'primaryItemGroupId'],
  item_group: ['itemGroupId', 'itemGroupType', 'lastUpdatedDate'],
} as const

let folder: string
let writer: CategoryRuns
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'feedmill-view-'))
  writer = await CategoryRuns.open(CATEGORY, { files: machineFiles, folder, sortBytes: 1 << 20 })
})
afterEach(async () => {
  await writer.close()
  await rm(folder, { recursive: true, force: true })
})

function fileOf(id: FileId, lines: readonly (readonly string[])[]): TargetFile {
  const lastModified = new Date(START_MS).toUTCString()
  const isGroup = id.feed === 'item_group'
  const header = HEADERS[isGroup ? 'item_group' : 'item_snapshot']
  const tsv = [header, ...lines].map(cells => `${cells.join('\t')}\n`).join('')
  return {
    id,
    identity: { totalBytes: 1, lastModified },
    rawBytes: tsv.length,
    generated: undefined,
    signal: new AbortController().signal,
    badRows: 0,
    counts: {},
    async *rows(): AsyncGenerator<TargetRows, void, void> {
      const schema = isGroup ? itemGroupSchema : itemSnapshotSchema
      const parser = new TsvParser<Columns>({ schema, file: feedFileOf(id, lastModified) })
      for (const batch of [...parser.push(Buffer.from(tsv)), ...parser.end()]) {
        const keys = Array.from(batch, row => row.text(header[0]))
        const heads = Array.from(batch, row => headOf(row, versionOfRow(row, '')))
        yield keyedRowsOf(batch, keys, heads)
      }
    },
    checkRemoval() {},
    async accept() {},
  }
}

/** An hour with one new item, and a new title of the item `v1|0|0`. */
function hour(n: number): TargetFile {
  const time = new Date(START_MS + n * HOUR_MS).toISOString()
  const row = (key: string) => [key, `of hour ${n}`, 'AVAILABLE', time, 'g1']
  return fileOf({ ...CATEGORY, feed: 'item_snapshot', hour: time }, [
    row('v1|0|0'),
    row(`v1|${n + 1}|0`),
  ])
}

async function titles(view: CategoryView): Promise<string[]> {
  const all: string[] = []
  for await (const block of view.items())
    for (const { itemId, row } of block) all.push(`${itemId} ${row.text('title')}`)
  return all
}

function opened(files: DurableFiles = machineFiles) {
  return CategoryView.open(files, folder)
}

test('A reader keeps what it has opened while later files replace the runs.', async () => {
  await writer.apply(hour(0))
  const first = (await opened())!
  for (let n = 1; n < 40; n++) await writer.apply(hour(n))
  const second = (await opened())!
  expect(await titles(first)).toEqual(['v1|0|0 of hour 0', 'v1|1|0 of hour 0'])
  expect(first.files).toHaveLength(1)
  const later = await titles(second)
  expect([later.length, later[0], second.files.length]).toEqual([41, 'v1|0|0 of hour 39', 40])
  await first.close()
  await second.close()
})

test('A reader that reads the manifest before its runs are replaced reads the next one.', async () => {
  for (let n = 0; n < 32; n++) await writer.apply(hour(n))
  let isReplaced = false
  const files: DurableFiles = {
    ...machineFiles,
    open: async path => {
      if (path.endsWith('.run') && !isReplaced) {
        isReplaced = true
        await writer.apply(hour(32))
      }
      return machineFiles.open(path)
    },
  }
  const view = (await opened(files))!
  expect([isReplaced, view.files.length]).toEqual([true, 33])
  expect(await titles(view)).toHaveLength(34)
  await view.close()
})

test('A run that is missing is STATE_CORRUPT.', async () => {
  await writer.apply(hour(0))
  await unlink(join(folder, 'item-1-0.run'))
  await expect(opened()).rejects.toMatchObject({
    code: 'STATE_CORRUPT',
    message: expect.stringContaining('a run that it names is missing'),
  })
})

test('An item is found by its key, with its group, and so is a group.', async () => {
  await writer.apply(hour(0))
  const group = {
    ...CATEGORY,
    feed: 'item_group',
    scope: 'NEWLY_LISTED',
    date: '20260301',
  } as const
  await writer.apply(fileOf(group, [['g1', 'VARIATION', '2026-03-01T00:00:00Z']]))
  const view = (await opened())!
  expect(view.category).toEqual(CATEGORY)
  const item = await view.item('v1|1|0')
  expect([item?.row.text('title'), item?.priority]).toEqual(['of hour 0', null])
  expect(item?.group?.text('itemGroupType')).toBe('VARIATION')
  expect((await view.group('g1'))?.text('itemGroupId')).toBe('g1')
  expect([await view.item('v1|2|0'), await view.group('g2')]).toEqual([undefined, undefined])
  await view.close()
})

test('A folder without a manifest has no category yet.', async () => {
  expect(await CategoryView.open(machineFiles, join(folder, 'other'))).toBeUndefined()
})
