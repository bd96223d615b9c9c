// What runs in a fresh process: the making of a state by an engine, or the digest of one.

import { createReadStream } from 'node:fs'
import { rm } from 'node:fs/promises'
import { createInterface } from 'node:readline'
import { createGunzip } from 'node:zlib'
import { answerTask } from '../../src/bench/fresh-process'
import type { Digest } from './digest'
import type { ColumnsOf } from './duckdb-merge'
import type { ScaleFile } from './scale-files'
import type { ServiceAddress } from './scale-service'

export type Engine = 'feedmill' | 'duckdb'

export interface ScaleTask {
  readonly kind: 'make' | 'digest'
  readonly engine: Engine
  readonly address: ServiceAddress
  readonly files: readonly ScaleFile[]
  /** The folder of the state. */
  readonly folder: string
}

export interface ScaleMeasurement {
  /**
   * From the first file's opening, or request, to the closing of the result. Loading the code is not
   * counted.
   */
  readonly seconds: number
  /** The CPU time of all threads, user and system. */
  readonly cpuSeconds: number
  /** The peak of the whole process, in 10⁶ bytes. */
  readonly peakRssMb: number
}

export interface ScaleResults {
  readonly make: ScaleMeasurement
  readonly digest: Digest
}

async function measure(task: ScaleTask): Promise<ScaleMeasurement> {
  await rm(task.folder, { recursive: true, force: true })
  const make = await makerOf(task)
  const cpuBefore = process.cpuUsage()
  const startedAt = performance.now()
  await make()
  const seconds = (performance.now() - startedAt) / 1000
  const { user, system } = process.cpuUsage(cpuBefore)
  // cpuUsage is in microseconds, maxRSS in KiB.
  return {
    seconds,
    cpuSeconds: (user + system) / 1e6,
    peakRssMb: (process.resourceUsage().maxRSS * 1024) / 1e6,
  }
}

async function makerOf(task: ScaleTask): Promise<() => Promise<void>> {
  const { engine, address, files, folder } = task
  if (engine === 'feedmill') {
    const { synchronise } = await import('./feedmill-sync')
    return () => synchronise(address, folder)
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

async function headersOf(files: readonly ScaleFile[]): Promise<ColumnsOf> {
  const header = async (feed: ScaleFile['feed']) => {
    const lines = createInterface(
      createReadStream(files.find(file => file.feed === feed)!.path).pipe(createGunzip()),
    )
    for await (const line of lines) return line.split('\t')
    return []
  }
  return {
    item: await header('item'),
    item_group: await header('item_group'),
    item_snapshot: await header('item_snapshot'),
    item_priority: await header('item_priority'),
  }
}

await answerTask((task: ScaleTask) => (task.kind === 'make' ? measure(task) : digest(task)))
