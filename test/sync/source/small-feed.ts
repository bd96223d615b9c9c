// A feed of one's own with small files on a disk, a state folder of it on a simulated machine, and
// what a reader sees there.

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { onTestFinished } from 'vitest'
import { closing } from '../../../src/engine/disk/closing'
import { boolean, defineSchema, int64, text } from '../../../src/index'
import { OWN } from '../../../src/sync/file-id'
import type { Environment } from '../../../src/sync/folder/environment'
import { statePaths } from '../../../src/sync/folder/state-paths'
import { openState } from '../../../src/sync/read/open-state'
import { type SyncRun, sync } from '../../../src/sync/run/sync'
import { CategoryRuns } from '../../../src/sync/runs/category-runs'
import { fileChanges } from '../../../src/sync/runs/file-changes'
import type { MergeSizes } from '../../../src/sync/runs/runs-to-merge'
import { openStateFolder } from '../../../src/sync/runs/state-folder'
import {
  type FeedSource,
  rulesOfSource,
  type SourceFile,
} from '../../../src/sync/source/feed-source'
import type { FeedSyncOptions } from '../../../src/sync/sync-options'
import { FOLDER } from '../small-run'

export const schema = defineSchema({
  name: 'stock',
  columns: { sku: text({ notNull: true }), revision: int64(), gone: boolean(), title: text() },
})
export type Stock = FeedSource<typeof schema.columns>

/** A row: its key, its version, whether it removes its key, and its text. */
export interface SmallRow {
  readonly sku: string
  readonly revision: number
  readonly gone: boolean
  readonly title: string
  /** How the file writes the key. Default: without quotes. */
  readonly spelling?: 'quoted' | undefined
  /** What is wrong with the row in its file. Default: nothing. */
  readonly fault?: 'version' | 'mark' | 'extra' | 'cell' | undefined
}

export interface SmallFile {
  /** What the list calls the file. Default: its kind, its minute and its number. */
  readonly id?: string
  readonly kind: SourceFile['kind']
  /** Minutes after a start. */
  readonly minute: number
  readonly rows: readonly SmallRow[]
}

const START_MS = Date.UTC(2026, 2, 1)
const HEADINGS = ['title', 'sku', 'gone', 'revision', 'extra']
const QUICK = { patienceMs: 4, backoffBaseMs: 0, backoffCapMs: 1 }
/** Shares that give several pieces and runs in a file of some kilobytes. */
const SHARES = { pieceBytes: 300, chunkBytes: 200, windowBytes: 800, sortBytes: 600 }

/** Returns the line of a row as its file has it. */
export function lineOf(row: SmallRow): string {
  const [title, sku, ...others] = cellsOf(row)
  const key = row.spelling === undefined ? sku : `"${sku}"`
  return [`"${title!.replaceAll('"', '""')}"`, key, ...others].join(',')
}

/** Returns the texts of the cells of a row as its file has them. */
export function cellsOf({ sku, revision, gone, title, fault }: SmallRow): string[] {
  const cells = [title, sku, String(gone), String(revision), '']
  if (fault === 'mark') cells[2] = 'maybe'
  if (fault === 'version') cells[3] = '12x'
  if (fault === 'extra') cells[4] = 'soon'
  return fault === 'cell' ? [...cells, ''] : cells
}

export function textOf(rows: readonly SmallRow[]): string {
  return `${[HEADINGS.join(','), ...rows.map(lineOf)].join('\n')}\n`
}

export function timeOf(minute: number): Date {
  return new Date(START_MS + 60_000 * minute)
}

/** The files of a feed in a folder that goes when the test has ended. */
export class SmallFeed {
  readonly folder = mkdtempSync(join(tmpdir(), 'feedmill-feed-'))
  files: SourceFile[] = []
  #added = 0

  /** @param atEnd takes what removes the folder */
  constructor(atEnd: (remove: () => void) => void = onTestFinished) {
    atEnd(() => rmSync(this.folder, { recursive: true }))
  }

  /** Adds a file to the list. */
  add(file: SmallFile, bytes?: Uint8Array): SourceFile {
    const { kind, minute, rows } = file
    const name = `${kind}-${minute}-${this.#added++}`
    const { id = name } = file
    const from = join(this.folder, name)
    const content = Buffer.from(textOf(rows))
    writeFileSync(from, bytes ?? (minute % 2 === 0 ? gzipSync(content) : content))
    const listed = { id, from, kind, time: timeOf(minute) }
    this.files.push(listed)
    return listed
  }

  source(options: Partial<Stock> = {}): Stock {
    return {
      name: 'stock',
      schema,
      key: 'sku',
      version: 'revision',
      isRemoved: row => row.get('gone') === true,
      dialect: { delimiter: ',', quoting: 'doubled' },
      files: () => this.files,
      ...options,
    }
  }

  sync(
    environment: Environment,
    options: Partial<FeedSyncOptions<typeof schema.columns>> = {},
  ): SyncRun {
    const { retry, source = this.source(), ...rest } = options
    return sync({
      folder: FOLDER,
      environment,
      parallelFiles: 1,
      shares: SHARES,
      retry: { ...QUICK, ...retry },
      ...rest,
      source,
    })
  }
}

/** Merges the runs of the state, as a run that follows does in its pauses. */
export async function mergeRunsOf(
  source: Stock,
  environment: Environment,
  sizes: Partial<MergeSizes> = {},
): Promise<void> {
  const sortBytes = 600
  const target = await openStateFolder({
    folder: FOLDER,
    origin: undefined,
    sortBytes,
    environment,
  })
  await closing(target, async () => {
    const category = { marketplace: OWN, categoryId: source.name }
    const own = rulesOfSource(source as never)
    const paths = statePaths(FOLDER)
    const { files } = target
    const changes = fileChanges(files, paths, undefined)
    const options = { files, folder: paths.runsOf(category), own, changes, sortBytes, ...sizes }
    const runs = await CategoryRuns.open(category, options)
    await closing(runs, () => runs.compact(new AbortController().signal))
  })
}

/** Returns the rows of a state as their lines, in the order of their keys. */
export async function rowsIn(environment: Environment): Promise<string[]> {
  const state = await openState(FOLDER, { environment })
  try {
    const feed = state.feed({ name: 'stock', schema })
    const lines: string[] = []
    for await (const block of feed.rows()) {
      for (const row of block) {
        const [sku, revision] = [row.get('sku'), Number(row.get('revision'))]
        lines.push(lineOf({ sku, revision, gone: false, title: row.get('title') ?? '' }))
        if ((await feed.row(sku))?.get('title') !== row.get('title')) lines.push('another row')
      }
    }
    return lines
  } finally {
    await state.close()
  }
}
