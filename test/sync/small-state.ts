// The items of a state folder that has a few rows, for tests of what reads them.

import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { machineFiles } from '../../src/engine/disk/durable-files'
import { keyedRows } from '../../src/state/keyed-rows'
import { rowRulesOf } from '../../src/sync/file/row-rules'
import { feedFileOf, type ServiceId, schemaOfFile } from '../../src/sync/file-id'
import type { StateItem } from '../../src/sync/read/state-items'
import { CategoryRuns } from '../../src/sync/runs/category-runs'
import { CategoryView } from '../../src/sync/runs/category-view'
import { batchesOf, collect } from '../rows-from-text'

const CATEGORY = { marketplace: 'MKT_US', categoryId: '220' }
const LAST_MODIFIED = '2026-03-02T00:00:00.000Z'

export interface SmallFile {
  readonly feed: 'item' | 'item_group' | 'item_priority'
  /** The header and the rows. */
  readonly rows: readonly (readonly string[])[]
}

/** Daily files, of which none removes the rows of another. */
function idOf({ feed }: SmallFile, n: number): ServiceId {
  const date = `202603${String(n + 1).padStart(2, '0')}`
  return feed === 'item_priority'
    ? { ...CATEGORY, feed, date }
    : { ...CATEGORY, feed, scope: 'NEWLY_LISTED', date }
}

/** Applies files to the category in a folder. */
export async function applyFiles(folder: string, files: readonly SmallFile[]): Promise<void> {
  const runs = await CategoryRuns.open(CATEGORY, {
    files: machineFiles,
    folder,
    sortBytes: 1 << 20,
  })
  for (const [n, file] of files.entries()) {
    const id = idOf(file, n)
    const feedFile = feedFileOf(id, LAST_MODIFIED)
    await runs.apply({
      id,
      identity: { totalBytes: 1, lastModified: LAST_MODIFIED },
      rawBytes: 1,
      generated: undefined,
      signal: new AbortController().signal,
      badRows: 0,
      counts: {},
      checkRemoval() {},
      async accept() {},
      async *rows() {
        for (const batch of batchesOf(schemaOfFile(id), feedFile, file.rows))
          yield keyedRows(batch, rowRulesOf(id, undefined), () => {})
      },
    })
  }
  await runs.close()
}

/** Returns the items of a state with the rows of these files, which stays until the test has ended. */
export async function stateOfFiles(files: readonly SmallFile[]): Promise<StateItem[]> {
  const folder = await mkdtemp(join(tmpdir(), 'feedmill-state-'))
  await applyFiles(folder, files)
  const view = (await CategoryView.open(machineFiles, folder))!
  onTestFinished(async () => {
    await view.close()
    await rm(folder, { recursive: true })
  })
  return (await collect(view.items())).flat()
}
