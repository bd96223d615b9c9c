// What runs in a fresh process: a run of `sync` over one large file, which may be killed, or the
// digest of what the state folder has, or of what the file has.

import { createReadStream } from 'node:fs'
import { createInterface } from 'node:readline'
import { createGunzip } from 'node:zlib'
import { answerTask } from '../../src/bench/fresh-process'
import { limitHeapGrowth } from '../../src/cli/sync/heap-growth'
import { defineSchema, text } from '../../src/index'
import { openState, sync } from '../../src/sync'
import type { BenchFeed } from '../bench-feed'
import { type Digest, TextSum } from '../scale/digest'
import { measure, type ScaleMeasurement } from '../scale/measure'

export interface KilledTask {
  readonly kind: 'sync' | 'digest' | 'truth'
  readonly feed: Pick<BenchFeed, 'path' | 'columns'>
  readonly folder: string
}

export interface KilledResults {
  readonly sync: ScaleMeasurement
  readonly digest: { readonly digest: Digest; readonly storeBytes: number }
  readonly truth: Digest
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

function synchronise({ feed, folder }: KilledTask): Promise<ScaleMeasurement> {
  limitHeapGrowth()
  return measure(async () => {
    await sync({ source: sourceOf(feed), folder, memoryBytes: MEMORY_BYTES }).summary
  })
}

async function digest({ feed, folder }: KilledTask): Promise<KilledResults['digest']> {
  const sum = new TextSum()
  const state = await openState(folder)
  for await (const block of state.feed(sourceOf(feed)).rows())
    for (const row of block) sum.add(feed.columns.map(name => row.text(name)).join('\t'))
  const { store: storeBytes } = await state.sizes()
  await state.close()
  return { digest: sum.digest, storeBytes }
}

/** Reads the file without this package. It has each key once, and no line end within quotes. */
async function truth({ feed: { path } }: KilledTask): Promise<Digest> {
  const sum = new TextSum()
  let isHeader = true
  for await (const line of createInterface(createReadStream(path).pipe(createGunzip()))) {
    if (!isHeader) sum.add(line.includes('"') ? line.split('\t').map(plain).join('\t') : line)
    isHeader = false
  }
  return sum.digest
}

/** A cell without quotes and escapes. */
function plain(cell: string): string {
  return cell.startsWith('"') ? cell.slice(1, -1).replace(/\\(.)/g, '$1') : cell
}

const tasks = { sync: synchronise, digest, truth }
await answerTask((task: KilledTask) => tasks[task.kind](task))
