// One round: it reads the file once through the stages and measures what the process spent on it.
// It is made for a process of its own.

import {
  type BadRow,
  type Columns,
  type FeedError,
  type FeedName,
  type FeedSchema,
  FileSource,
  Gunzip,
  type PipelineSummary,
  pipeline,
  type StageCounters,
  schemaOf,
  TsvRowParser,
} from '../../index'
import { schemaFile } from '../schema-file'
import { messageWithPlace } from './error-place'
import { type CellReading, ReadCells } from './profile-cells'
import type { ProfiledFile } from './profile-file'

export interface RoundTask {
  readonly file: Pick<ProfiledFile, 'path' | 'format'>
  /** The name of the feed, or of the schema. */
  readonly feed: string
  readonly schema?: { readonly path: string }
  readonly reading: CellReading
}

export interface RoundResult {
  /**
   * The time from opening the file to its end. It includes the warm-up of the code, but not the
   * loading.
   */
  readonly elapsedMs: number
  /** The idle time of the event loop of this thread. */
  readonly idleMs: number
  /** The CPU time of all threads, user and system. */
  readonly cpuMs: number
  /** The peak memory of the whole process, in MiB. */
  readonly peakRssMb: number
  readonly stages: readonly StageCounters[]
  readonly columns: number
  readonly rows: number
  /** Rows that are left out, and rows with an invalid cell. */
  readonly badRows: number
  /** The error of the first of them, with its position. */
  readonly firstBad?: string
}

const PROGRESS_MS = 500

/** @param onProgress receives from time to time how many bytes of the file have been read */
export async function profileRound(
  { file, feed, schema: own, reading }: RoundTask,
  onProgress: (bytesRead: number) => void,
): Promise<RoundResult> {
  let leftOut = 0
  let firstLeftOut: FeedError | undefined
  const onBadRow = ({ error }: BadRow) => {
    leftOut++
    firstLeftOut ??= error
  }
  const cells = new ReadCells(reading)
  const schema: FeedSchema = own ? await schemaFile(own.path) : schemaOf(feed as FeedName)
  const parser = new TsvRowParser<Columns>({ schema, onBadRow })
  const read = {
    onProgress: ({ stages }: PipelineSummary) => onProgress(stages[0]!.bytesOut),
    progressMs: PROGRESS_MS,
  }

  const cpuBefore = process.cpuUsage()
  const loopBefore = performance.eventLoopUtilization()
  const startedAt = performance.now()
  const bytes = pipeline<Uint8Array>(new FileSource(file.path), read)
  const { stages } = await (file.format === 'gzip' ? bytes.to(new Gunzip()) : bytes)
    .to(parser)
    .to(cells)
    .forEach(() => {})
  const elapsedMs = performance.now() - startedAt
  const { idle } = performance.eventLoopUtilization(loopBefore)
  const { user, system } = process.cpuUsage(cpuBefore)

  const firstBad = firstLeftOut ?? cells.firstBad
  return {
    elapsedMs,
    idleMs: idle,
    cpuMs: (user + system) / 1000,
    // maxRSS is in kilobytes.
    peakRssMb: process.resourceUsage().maxRSS / 1024,
    stages,
    columns: cells.columns,
    rows: stages.at(-1)!.rowsIn,
    badRows: leftOut + cells.badRows,
    ...(firstBad && { firstBad: `${firstBad.code}: ${messageWithPlace(firstBad)}` }),
  }
}
