// One round: it reads the file once through the stages and measures what the process spent on it.
// It is made for a process of its own.

import { measured, type RunFigures } from '../../bench/index'
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
import { messageWithPlace } from '../error-place'
import { schemaFile } from '../schema-file'
import { type CellReading, ReadCells } from './profile-cells'
import type { ProfiledFile } from './profile-file'

export interface RoundTask {
  readonly file: Pick<ProfiledFile, 'path' | 'format'>
  /** The name of the feed, or of the schema. */
  readonly feed: string
  readonly schema?: { readonly path: string }
  readonly reading: CellReading
}

export interface RoundResult extends RunFigures {
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

  const { value, figures } = await measured(() => {
    const bytes = pipeline<Uint8Array>(new FileSource(file.path), read)
    return (file.format === 'gzip' ? bytes.to(new Gunzip()) : bytes)
      .to(parser)
      .to(cells)
      .forEach(() => {})
  })
  const { stages } = value

  const firstBad = firstLeftOut ?? cells.firstBad
  return {
    ...figures,
    stages,
    columns: cells.columns,
    rows: stages.at(-1)!.rowsIn,
    badRows: leftOut + cells.badRows,
    ...(firstBad && { firstBad: `${firstBad.code}: ${messageWithPlace(firstBad)}` }),
  }
}
