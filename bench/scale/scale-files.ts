// The files of the scale benchmark, written once from a world: a bootstrap of so many items, 24
// hourly snapshots of about 50,000 rows each (fewer of a small bootstrap), and one priority file of
// a day. Their folder is named after what they are made from.

import { createWriteStream } from 'node:fs'
import { access, mkdir, readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createGzip } from 'node:zlib'
import {
  createWorld,
  type FeedFile as EmulatedFile,
  tsvBytes,
  type World,
} from '../../src/emulator/index'

/** A file and what its reader has to know of it. Times are milliseconds since 1970 UTC. */
export interface ScaleFile {
  readonly path: string
  readonly feed: 'item' | 'item_snapshot' | 'item_priority'
  readonly lastModifiedMs: number
  readonly hourMs?: number
  readonly date?: string
  readonly rawBytes: number
  readonly gzipBytes: number
  readonly rows: number
}

export interface ScaleFiles {
  readonly items: number
  readonly files: readonly ScaleFile[]
}

const HOUR_MS = 3_600_000
const SNAPSHOTS = 24
const SNAPSHOT_ROWS = 50_000
/** The largest part of a small bootstrap that one snapshot changes. */
const MOST_CHANGED = 1 / 20
/** The part of a world's items that is there from the start. */
const PRESENT = 0.9
/** Items of a world that is asked how lively it is. */
const SAMPLE_ITEMS = 50_000
const SEED = 5
const NEWLINE = 0x0a

export async function prepareScaleFiles(items: number, directory: string): Promise<ScaleFiles> {
  const folder = join(directory, `scale-${items}-seed${SEED}`)
  const description = join(folder, 'files.json')
  if (await exists(description))
    return JSON.parse(await readFile(description, 'utf8')) as ScaleFiles
  await mkdir(folder, { recursive: true })
  const world = createWorld({
    seed: SEED,
    items: Math.round(items / PRESENT),
    churn: churnFor(items),
    start: START,
    hours: SNAPSHOTS,
  })
  const files: ScaleFile[] = []
  for (const file of filesOf(world)) files.push(await writeFeedFile(world, file, folder))
  const written = { items, files }
  await writeFile(description, JSON.stringify(written, null, 1))
  return written
}

/** A midnight at UTC-7: the snapshots are those of one day of it. */
const START = new Date('2026-03-01T07:00:00Z')

function filesOf(world: World): EmulatedFile[] {
  const place = {
    marketplaceId: world.options.marketplaces[0]!,
    categoryId: world.options.categories[0]!,
  }
  const { start, end } = world
  const hours = Array.from({ length: SNAPSHOTS }, (_, n): EmulatedFile => {
    const from = new Date(start.getTime() + n * HOUR_MS)
    return {
      feed: 'item_snapshot',
      content: 'span',
      ...place,
      from,
      to: new Date(from.getTime() + HOUR_MS),
    }
  })
  return [
    { feed: 'item', content: 'bootstrap', ...place, from: start, to: start },
    ...hours,
    { feed: 'item_priority', content: 'span', ...place, from: start, to: end },
  ]
}

async function writeFeedFile(world: World, file: EmulatedFile, folder: string): Promise<ScaleFile> {
  const feed = file.feed as ScaleFile['feed']
  const path = join(folder, `${feed}-${file.from.toISOString().slice(0, 13)}.tsv.gz`)
  let rawBytes = 0
  let lines = 0
  function* counted(): Generator<Uint8Array, void, void> {
    for (const block of tsvBytes(world, file)) {
      rawBytes += block.length
      for (let at = block.indexOf(NEWLINE); at !== -1; at = block.indexOf(NEWLINE, at + 1)) lines++
      yield block
    }
  }
  await pipeline(Readable.from(counted()), createGzip(), createWriteStream(path))
  const { size: gzipBytes } = await stat(path)
  const about = {
    path,
    feed,
    lastModifiedMs: file.to.getTime(),
    rawBytes,
    gzipBytes,
    rows: lines - 1,
  }
  if (feed === 'item_snapshot') return { ...about, hourMs: file.from.getTime() }
  return { ...about, date: START.toISOString().slice(0, 10).replaceAll('-', '') }
}

/**
 * How lively a world has to be for snapshots of {@link SNAPSHOT_ROWS}: tried out on a small one.
 */
function churnFor(items: number): number {
  const wanted = Math.min(SNAPSHOT_ROWS / items, MOST_CHANGED)
  let churn = 1
  for (let round = 0; round < 4; round++) churn *= wanted / shareChanged(churn)
  return churn
}

function shareChanged(churn: number): number {
  const sample = createWorld({
    seed: SEED,
    items: SAMPLE_ITEMS,
    churn,
    start: START,
    hours: SNAPSHOTS,
  })
  const from = new Date(START.getTime() + 6 * HOUR_MS)
  let changed = 0
  for (const _ of sample.changesWithin(from, new Date(from.getTime() + HOUR_MS))) changed++
  return changed / (SAMPLE_ITEMS * PRESENT)
}

function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  )
}
