// `feedmill convert IN OUT`: writes what is in a feed file in another format, or into a table.

import {
  ChunkReassembler,
  ColumnDecoder,
  type Columns,
  Decompress,
  type Dialect,
  FileSource,
  NodeTransport,
  type Pipeline,
  type PipelineOptions,
  type PipelineSummary,
  pipeline,
  quarantine,
  RangeFetcher,
  type RowBatch,
  TsvRowParser,
} from '../../index'
import { inferSchema } from '../../inspect'
import { byteSizeText } from '../byte-size'
import { dialectOf } from '../command-options'
import { given } from '../given'
import { printError } from '../output'
import { progressBar } from '../progress-bar'
import { type DescribedFile, describedByOptions } from '../schema-file'
import { untilSignal } from '../sync/stop-signals'
import { usageError } from '../usage-error'
import type { ConvertCommand } from './convert-command'
import { outputOf, tableNameOf } from './output-form'

const STANDARD_INPUT = '-'
const ADDRESS = /^https?:\/\//i
/** A file of this name has commas and doubled quotes (RFC 4180), unless the options say otherwise. */
const CSV = /\.csv(?:\.\w+)?(?:[?#]|$)/i

/**
 * Reads the file once, and with `--infer` twice. Standard error gets the number of rows, because
 * standard output may have the rows themselves.
 * @throws FeedError OPTION_INVALID, the errors of the source, of its content and of the sink
 */
export async function convertCommand(
  from: string,
  to: string,
  options: ConvertCommand,
): Promise<void> {
  const { table = tableNameOf(from), mode, format } = options
  const sink = await outputOf(to, format, { table, mode })
  const file = await knownFile(from, options)
  const transport = new NodeTransport()
  const bar = progressBar(0, process.stderr.isTTY === true)
  const onProgress = ({ stages, fileBytes }: PipelineSummary) => {
    const bytes = stages[0]?.bytesOut ?? 0
    bar.update(bytes, byteSizeText(bytes), fileBytes)
  }
  try {
    await untilSignal(async signal => {
      const rows = rowsOf(from, transport, { onProgress, signal }, file, options)
      const summary = await rows.run(sink)
      bar.stop()
      printError(lineOf(summary))
    })
  } finally {
    bar.stop()
    await transport.close()
  }
}

/** Returns what is known of the file before it is read; undefined for nothing. */
async function knownFile(
  from: string,
  options: ConvertCommand,
): Promise<DescribedFile | undefined> {
  if (!options.infer) return describedByOptions(options)
  if (from === STANDARD_INPUT)
    throw usageError('--infer', 'with a file or an address, which can be read twice', 'a pipe')
  const asked = dialectOf(options)
  const { schema, dialect } = await inferSchema(from, {
    ...(Object.keys(asked).length > 0 && { dialect: asked }),
  })
  return { schema, dialect: { delimiter: '\t', quoting: 'backslash', ...dialect } }
}

function rowsOf(
  from: string,
  transport: NodeTransport,
  running: PipelineOptions,
  file: DescribedFile | undefined,
  options: ConvertCommand,
): Pipeline<RowBatch<Columns>> {
  const { columns, badRows, badCells } = options
  const left = options.quarantine === undefined ? undefined : quarantine(options.quarantine)
  const byName: Dialect = CSV.test(from) ? { delimiter: ',', quoting: 'doubled' } : {}
  const rows = blocksOf(from, transport, running)
    .to(new Decompress())
    .to(
      new TsvRowParser<Columns>({
        dialect: dialectOf(options, { ...byName, ...file?.dialect }),
        onBadRow: left ?? (badRows === 'skip' ? 'skip' : 'throw'),
        ...given({ schema: file?.schema, columns }),
      }),
    )
  const onBadCell = left ?? (badCells === 'null' ? 'null' : undefined)
  return onBadCell === undefined ? rows : rows.to(new ColumnDecoder({ onBadCell }))
}

function blocksOf(
  from: string,
  transport: NodeTransport,
  running: PipelineOptions,
): Pipeline<Uint8Array> {
  if (from === STANDARD_INPUT) return pipeline<Uint8Array>(process.stdin, running)
  if (!ADDRESS.test(from)) return pipeline(new FileSource(from), running)
  return pipeline(new RangeFetcher({ url: from, transport }), running).to(new ChunkReassembler())
}

function lineOf({ stages }: PipelineSummary): string {
  const leftOut = stages.reduce((sum, { rowsLeftOut }) => sum + rowsLeftOut, 0)
  return `${stages.at(-1)?.rowsOut} rows written${leftOut > 0 ? `, ${leftOut} left out` : ''}`
}
