// `feedmill convert IN OUT`: writes what is in a feed file in another format, or into a table.

import { NodeTransport, type PipelineSummary } from '../../index'
import { inferSchema } from '../../inspect'
import { inspectablePlace, readablePlace } from '../bucket-place'
import { byteSizeText } from '../byte-size'
import { dialectOf } from '../command-options'
import { leftOutIn, rowsOf, STANDARD_INPUT } from '../feed-file-rows'
import { printError } from '../output'
import { progressBar } from '../progress-bar'
import { type DescribedFile, describedByOptions } from '../schema-file'
import { untilSignal } from '../sync/stop-signals'
import { usageError } from '../usage-error'
import type { ConvertCommand } from './convert-command'
import { outputOf, tableNameOf } from './output-form'

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
      const place = await readablePlace(from, transport)
      const rows = rowsOf(place.from, place.transport, { onProgress, signal }, file, options)
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
  const { schema, dialect } = await inferSchema(await inspectablePlace(from), {
    ...(Object.keys(asked).length > 0 && { dialect: asked }),
  })
  return { schema, dialect: { delimiter: '\t', quoting: 'backslash', ...dialect } }
}

function lineOf(summary: PipelineSummary): string {
  const leftOut = leftOutIn(summary)
  const { rowsOut } = summary.stages.at(-1)!
  return `${rowsOut} rows written${leftOut > 0 ? `, ${leftOut} left out` : ''}`
}
