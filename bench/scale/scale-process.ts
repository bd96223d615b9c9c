// What runs in a fresh process: the writing of the files, a merge, or the digest of a state.

import { createReadStream } from 'node:fs'
import { rm } from 'node:fs/promises'
import { createInterface } from 'node:readline'
import { createGunzip } from 'node:zlib'
import { answerTask } from '../../src/bench/answer-task'
import type { Digest } from './digest'
import type { ColumnsOf } from './duckdb-merge'
import type { ScaleFile, ScaleFiles } from './scale-files'

export type Engine = 'feedmill' | 'duckdb'

export type ScaleTask =
  | { readonly kind: 'prepare'; readonly items: number; readonly directory: string }
  | {
      readonly kind: 'merge' | 'digest'
      readonly engine: Engine
      readonly files: ScaleFiles
      readonly folder: string
    }

export interface ScaleMeasurement {
  /**
   * From the first file's opening to the closing of the result; loading the code is not counted.
   */
  readonly seconds: number
  /** The CPU time of all threads, user and system. */
  readonly cpuSeconds: number
  /** The peak of the whole process, in MiB. */
  readonly peakRssMb: number
}

export interface ScaleResults {
  readonly prepare: ScaleFiles
  readonly merge: ScaleMeasurement
  readonly digest: Digest
}

async function run(task: ScaleTask): Promise<unknown> {
  if (task.kind === 'prepare') {
    const { prepareScaleFiles } = await import('./scale-files')
    return prepareScaleFiles(task.items, task.directory)
  }
  return task.kind === 'merge'
    ? measure(task.engine, task.files, task.folder)
    : digest(task.engine, task.files, task.folder)
}

async function measure(
  engine: Engine,
  files: ScaleFiles,
  folder: string,
): Promise<ScaleMeasurement> {
  await rm(folder, { recursive: true, force: true })
  const merge = await mergeBy(engine, files)
  const cpuBefore = process.cpuUsage()
  const startedAt = performance.now()
  await merge(folder)
  const seconds = (performance.now() - startedAt) / 1000
  const { user, system } = process.cpuUsage(cpuBefore)
  // cpuUsage is in microseconds, maxRSS in KiB.
  return {
    seconds,
    cpuSeconds: (user + system) / 1e6,
    peakRssMb: process.resourceUsage().maxRSS / 1024,
  }
}

async function mergeBy(
  engine: Engine,
  files: ScaleFiles,
): Promise<(folder: string) => Promise<void>> {
  if (engine === 'feedmill') {
    const { mergeFiles } = await import('./feedmill-merge')
    return folder => mergeFiles(files, folder)
  }
  const { mergeFiles } = await import('./duckdb-merge')
  const columnsOf = await headersOf(files)
  return folder => mergeFiles(files, folder, columnsOf)
}

async function digest(engine: Engine, files: ScaleFiles, folder: string): Promise<Digest> {
  const { digestOf } =
    engine === 'feedmill' ? await import('./feedmill-merge') : await import('./duckdb-merge')
  return digestOf(folder, (await headersOf(files)).item)
}

async function headersOf({ files }: ScaleFiles): Promise<ColumnsOf> {
  const header = async (feed: ScaleFile['feed']) => {
    const lines = createInterface(
      createReadStream(files.find(file => file.feed === feed)!.path).pipe(createGunzip()),
    )
    for await (const line of lines) return line.split('\t')
    return []
  }
  return {
    item: await header('item'),
    item_snapshot: await header('item_snapshot'),
    item_priority: await header('item_priority'),
  }
}

await answerTask(run)
