// What runs in a fresh process: a run of `sync` over one large file, which may be killed, or the
// digest of what the state folder has, or of what the file has.

import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { createInterface } from 'node:readline'
import { createGunzip } from 'node:zlib'
import { answerTask } from '../../src/bench/fresh-process'
import { limitHeapGrowth } from '../../src/cli/sync/heap-growth'
import { defineSchema, text } from '../../src/index'
import { openState, sync } from '../../src/sync'
import type { BenchFeed } from '../bench-feed'

export interface KilledTask {
  readonly kind: 'sync' | 'digest' | 'truth'
  readonly feed: Pick<BenchFeed, 'path' | 'columns'>
  readonly folder: string
}

export interface SyncFigures {
  readonly seconds: number
  readonly cpuSeconds: number
  readonly peakRssMb: number
}

export interface RowsDigest {
  readonly rows: number
  /** The sum of half an MD5 of each row's cells. */
  readonly sum: string
  /** Of the state folder. */
  readonly storeBytes?: number
}

export interface KilledResults {
  readonly sync: SyncFigures
  readonly digest: RowsDigest
  readonly truth: RowsDigest
}

const MEMORY_BYTES = 256e6

function sourceOf({ path, columns }: KilledTask['feed']) {
  const schema = defineSchema({
    name: 'largest',
    columns: Object.fromEntries(columns.map(name => [name, text()])),
  })
  const time = new Date('2026-03-01T00:00:00Z')
  const files = [{ id: 'all', from: path, kind: 'full' as const, time }]
  return { name: 'largest', schema, key: 'itemId', files }
}

async function synchronise({ feed, folder }: KilledTask): Promise<SyncFigures> {
  limitHeapGrowth()
  const startedAt = performance.now()
  await sync({ source: sourceOf(feed), folder, memoryBytes: MEMORY_BYTES }).summary
  const { user, system } = process.cpuUsage()
  return {
    seconds: (performance.now() - startedAt) / 1000,
    cpuSeconds: (user + system) / 1e6,
    peakRssMb: (process.resourceUsage().maxRSS * 1024) / 1e6,
  }
}

class Sum {
  rows = 0
  #sum = 0n

  add(line: string): void {
    this.rows++
    this.#sum += createHash('md5').update(line).digest().readBigUInt64LE(8)
  }

  get result(): RowsDigest {
    return { rows: this.rows, sum: this.#sum.toString() }
  }
}

async function digest({ feed, folder }: KilledTask): Promise<RowsDigest> {
  const sum = new Sum()
  const state = await openState(folder)
  for await (const block of state.feed(sourceOf(feed)).rows())
    for (const row of block) sum.add(feed.columns.map(name => row.text(name)).join('\t'))
  const { store: storeBytes } = await state.sizes()
  await state.close()
  return { ...sum.result, storeBytes }
}

/** Reads the file without this package. It has each key once, and no line end within quotes. */
async function truth({ feed: { path } }: KilledTask): Promise<RowsDigest> {
  const sum = new Sum()
  let isHeader = true
  for await (const line of createInterface(createReadStream(path).pipe(createGunzip()))) {
    if (!isHeader) sum.add(line.includes('"') ? line.split('\t').map(plain).join('\t') : line)
    isHeader = false
  }
  return sum.result
}

/** A cell without quotes and escapes. */
function plain(cell: string): string {
  return cell.startsWith('"') ? cell.slice(1, -1).replace(/\\(.)/g, '$1') : cell
}

const tasks = { sync: synchronise, digest, truth }
await answerTask((task: KilledTask) => tasks[task.kind](task))
