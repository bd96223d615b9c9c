// What runs in a fresh process: the making of a state by an engine, or the digest of one; and of a
// state folder one hour more, the merge of its runs, and look-ups.

import { createReadStream } from 'node:fs'
import { rm } from 'node:fs/promises'
import { createInterface } from 'node:readline'
import { createGunzip } from 'node:zlib'
import { answerTask } from '../../src/bench/fresh-process'
import type { Digest } from './digest'
import type { ColumnsOf } from './duckdb-merge'
import type { StateLook } from './feedmill-sync'
import { measure, type ScaleMeasurement } from './measure'
import type { ScaleFile } from './scale-files'
import { END, NEXT_END, type ServiceAddress } from './scale-service'

export type Engine = 'feedmill' | 'duckdb'

export interface ScaleTask {
  /** Only a state folder has the last three. */
  readonly kind: 'make' | 'digest' | 'hour' | 'pause' | 'look'
  readonly engine: Engine
  readonly address: ServiceAddress
  readonly files: readonly ScaleFile[]
  /** The folder of the state. */
  readonly folder: string
}

export interface ScaleResults {
  readonly make: ScaleMeasurement
  readonly digest: Digest
  readonly hour: ScaleMeasurement
  readonly pause: ScaleMeasurement
  readonly look: StateLook
}

/** Each hundredth row of the last hour is looked up, most of which are items. */
const LOOK_UP_EACH = 100

async function makerOf({ kind, engine, address, files, folder }: ScaleTask) {
  if (kind === 'make') await rm(folder, { recursive: true, force: true })
  if (engine === 'feedmill') {
    const { followThroughPause, synchronise } = await import('./feedmill-sync')
    if (kind === 'pause') return () => followThroughPause(address, folder)
    return () => synchronise(address, folder, kind === 'make' ? END : NEXT_END)
  }
  const { mergeFiles } = await import('./duckdb-merge')
  const columnsOf = await headersOf(files)
  return () => mergeFiles(files, folder, columnsOf)
}

async function digest({ engine, files, folder }: ScaleTask): Promise<Digest> {
  const { digestOf } =
    engine === 'feedmill' ? await import('./feedmill-sync') : await import('./duckdb-merge')
  return digestOf(folder, await headersOf(files))
}

async function look({ files, folder }: ScaleTask): Promise<StateLook> {
  const { lookInto } = await import('./feedmill-sync')
  const keys: string[] = []
  let rows = 0
  for await (const line of linesOf(files.findLast(({ feed }) => feed === 'item_snapshot')!))
    if (rows++ % LOOK_UP_EACH === 1) keys.push(line.slice(0, line.indexOf('\t')))
  return lookInto(folder, keys, (await headersOf(files)).item)
}

async function headersOf(files: readonly ScaleFile[]): Promise<ColumnsOf> {
  const header = async (feed: ScaleFile['feed']) => {
    for await (const line of linesOf(files.find(file => file.feed === feed)!))
      return line.split('\t')
    return []
  }
  return {
    item: await header('item'),
    item_group: await header('item_group'),
    item_snapshot: await header('item_snapshot'),
    item_priority: await header('item_priority'),
  }
}

function linesOf({ path }: ScaleFile): AsyncIterable<string> {
  return createInterface(createReadStream(path).pipe(createGunzip()))
}

await answerTask(async (task: ScaleTask) => {
  if (task.kind === 'digest') return digest(task)
  if (task.kind === 'look') return look(task)
  return measure(await makerOf(task))
})
