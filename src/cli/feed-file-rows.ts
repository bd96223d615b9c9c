// The rows of a feed file that a user names: a path, an address, or standard input.

import {
  ChunkReassembler,
  ColumnDecoder,
  type Columns,
  Decompress,
  type Dialect,
  FileSource,
  type Pipeline,
  type PipelineOptions,
  type PipelineSummary,
  pipeline,
  quarantine,
  RangeFetcher,
  type RangeTransport,
  type RowBatch,
  TsvRowParser,
} from '../index'
import { dialectOf, type FEED_FILE_OPTIONS, type Values } from './command-options'
import { given } from './given'
import type { DescribedFile } from './schema-file'

export const STANDARD_INPUT = '-'
const ADDRESS = /^https?:\/\//i
/** A file of this name has commas and doubled quotes (RFC 4180), unless the options say otherwise. */
const CSV = /\.csv(?:\.\w+)?(?:[?#]|$)/i

export interface FeedFileReading extends Values<typeof FEED_FILE_OPTIONS> {
  readonly columns?: readonly string[]
  readonly badRows: 'fail' | 'skip'
  readonly badCells?: 'fail' | 'null'
  readonly quarantine?: string
}

/** @param file what is known of it before it is read; undefined for nothing */
export function rowsOf(
  from: string,
  transport: RangeTransport,
  running: PipelineOptions,
  file: DescribedFile | undefined,
  options: FeedFileReading,
): Pipeline<RowBatch<Columns>> {
  const { columns, badRows, badCells } = options
  const left = options.quarantine === undefined ? undefined : quarantine(options.quarantine)
  // A dialect that says one of these is that of the file: its delimiter may be a tab.
  const isTold = file?.dialect.quoting !== undefined || file?.dialect.delimiter !== undefined
  const byName: Dialect = CSV.test(from) && !isTold ? { delimiter: ',', quoting: 'doubled' } : {}
  const dialect = dialectOf(options, { ...byName, ...file?.dialect })
  const rows = blocksOf(from, transport, running, dialect)
    .to(new Decompress())
    .to(
      new TsvRowParser<Columns>({
        dialect,
        content: 'table-or-json-lines',
        onBadRow: left ?? (badRows === 'skip' ? 'skip' : 'throw'),
        ...given({ schema: file?.schema, columns }),
      }),
    )
  const onBadCell = left ?? (badCells === 'null' ? 'null' : undefined)
  return onBadCell === undefined ? rows : rows.to(new ColumnDecoder({ onBadCell }))
}

function blocksOf(
  from: string,
  transport: RangeTransport,
  running: PipelineOptions,
  { quoting }: Dialect,
): Pipeline<Uint8Array> {
  if (from === STANDARD_INPUT) return pipeline<Uint8Array>(process.stdin, running)
  if (!ADDRESS.test(from)) return pipeline(new FileSource(from), running)
  // Where JSON is asked for, its label says nothing against the file.
  const labels = quoting === 'json-lines' ? ({ content: 'table' } as const) : {}
  const fetcher = new RangeFetcher({ url: from, transport, ...labels })
  return pipeline(fetcher, running).to(new ChunkReassembler())
}

/** Returns the number of rows that could not be read. */
export function leftOutIn({ stages }: PipelineSummary): number {
  return stages.reduce((sum, { rowsLeftOut }) => sum + rowsLeftOut, 0)
}

/** Returns the place for people: an address without what may be a credential. */
export function shownPlace(from: string): string {
  if (from === STANDARD_INPUT) return 'standard input'
  if (!ADDRESS.test(from) || !URL.canParse(from)) return from
  const { origin, pathname } = new URL(from)
  return origin + pathname
}
