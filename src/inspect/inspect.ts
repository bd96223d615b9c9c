// `inspect`: reads a file once, whatever it holds, and reports what is in it.

import type { Dialect, GzipFacts, PipelineOptions } from '../engine/index'
import {
  byteBlock,
  ChunkReassembler,
  checkedSchema,
  Decompress,
  FeedError,
  type FeedSchema,
  FileSource,
  familyOf,
  is,
  type OptionTable,
  type Pipeline,
  type PipelineSource,
  pipeline,
  printableUrl,
  RangeFetcher,
  readOptions,
  requestUrl,
  Secrets,
} from '../engine/index'
import { NodeTransport } from '../service/index'
import { FileInspector } from './file-inspector'
import { type FailureReport, type GzipReport, type InspectReport, REPORT_VERSION } from './report'

/**
 * A path, an http or https URL without user info, or a source of byte blocks: an iterable, a stream
 * or a pipeline.
 */
export type InspectSource = string | URL | PipelineSource<Uint8Array>

export interface InspectOptions {
  /**
   * The schema to hold the file against; null for none. Default: that of the four feeds that knows
   * most of the column names, or none where no feed knows two of them.
   */
  readonly schema?: FeedSchema | null
  /** How the file is written. Default: the documented dialect. */
  readonly dialect?: Dialect
  /** The number of rows in the sample, 0 to 1,000. Default: 3. */
  readonly sampleRows?: number
  /** The name of the source in the report. Default: its path or URL. */
  readonly name?: string
  /** Aborting the signal ends the inspection with ABORTED. Default: none. */
  readonly signal?: AbortSignal
}

const OPTIONS = {
  schema: [(option, schema) => schema && checkedSchema(option, schema)],
  dialect: is.any,
  sampleRows: [is.wholeNumber(0, 1000), 3],
  name: [is.filledText],
  signal: is.any,
} satisfies OptionTable<InspectOptions>

/**
 * Reads a feed file once, plain or as Decompress unpacks it, and reports what is in it: what the
 * file is, the facts of gzip, the header against the schema, a profile of each column, bad rows, and a sample.
 *
 * The file is never refused for its content. A file that cannot be read to its end has a `failure`
 * in its report, with the figures up to there; a failure of the source itself, such as a missing
 * file or an answer of HTTP, is thrown. Rows of compressed data are unconfirmed until `failure` is null.
 *
 * The memory does not depend on the size of the file: beside the blocks of the stages it is about
 * 17 KiB for each column, of which a file has at most 4,096.
 *
 * @param source a path, an http or https URL without user info, or a source of byte blocks, which
 * belong to the inspection until it ends
 * @throws FeedError OPTION_INVALID, STAGE_FAILED, STAGE_INPUT_INVALID, HTTP_\*, RANGE_\*, ABORTED
 * @example
 * ```ts
 * import { inspect } from 'feedmill/inspect'
 * // given: path
 *
 * const { rows, badRows, columns } = await inspect(path)
 * console.log(rows, badRows.count, columns[1]?.name, columns[1]?.distinct)
 * // => 2 0 title 2
 * ```
 */
export async function inspect(
  source: InspectSource,
  options: InspectOptions = {},
): Promise<InspectReport> {
  const { name, signal, ...reading } = readOptions(options, OPTIONS)
  const inspector = new FileInspector(reading)
  const running = signal === undefined ? {} : { signal }
  const from = byteSource(source, running)
  const unpacked = new Decompress()
  const text = pipeline<Uint8Array>(from.blocks, running).to(unpacked)
  const read = () => text.to(inspector).forEach(() => {})
  const failure = await contentFailure(read, from.secrets)
  const { gzipFacts, format = 'plain' } = unpacked
  return {
    version: REPORT_VERSION,
    source: name ?? from.name,
    sourceBytes: unpacked.counters.bytesIn,
    textBytes: inspector.counters.bytesIn,
    format,
    gzip: gzipFacts === undefined ? null : gzipReport(gzipFacts),
    ...inspector.report,
    failure,
  }
}

type Blocks = AsyncGenerator<Uint8Array, void, void>

/**
 * Returns why the content of the file cannot be read: an error of its compression or of TSV, or a Node
 * that cannot decompress it.
 * @throws FeedError any other failure
 */
async function contentFailure(
  read: () => Promise<unknown>,
  secrets: Secrets,
): Promise<FailureReport | null> {
  try {
    await read()
    return null
  } catch (thrown) {
    if (!FeedError.is(thrown)) throw thrown
    const error = secrets.covered(thrown)
    const family = familyOf(error.code)
    const isOfContent = family === 'gzip' || family === 'unpack' || family === 'tsv'
    if (!isOfContent && error.code !== 'DEPENDENCY_UNSUPPORTED') throw error
    const { code, message, context } = error
    return { code, message, context: { ...context } }
  }
}

function gzipReport(facts: GzipFacts): GzipReport {
  const { outputBytes, compressedBytes, name, modifiedAt, ...others } = facts
  return {
    ...others,
    compressedBytes,
    outputBytes,
    ratio: compressedBytes === 0 ? 0 : outputBytes / compressedBytes,
    name: name ?? null,
    modifiedAt: modifiedAt?.toISOString() ?? null,
  }
}

/**
 * Returns the source as reports name it, its blocks, which can be read once, and the values of an
 * address, which a server may repeat in its page.
 * @throws FeedError OPTION_INVALID
 */
function byteSource(source: InspectSource, options: PipelineOptions) {
  const secrets = new Secrets()
  if (source instanceof URL || (typeof source === 'string' && /^https?:\/\//i.test(source))) {
    const url = requestUrl('source', source)
    secrets.rememberUrl(url)
    return { name: printableUrl(url), secrets, blocks: remoteBlocks(url, secrets, options) }
  }
  const [name, from] =
    typeof source === 'string'
      ? [source, new FileSource(is.filePath('source', source))]
      : ['bytes', source as () => AsyncIterable<Uint8Array>]
  return { name, secrets, blocks: checkedBlocks(pipeline<Uint8Array>(from, options)) }
}

async function* checkedBlocks(source: Pick<Pipeline<Uint8Array>, 'batches'>): Blocks {
  for await (const block of source.batches()) yield byteBlock('inspect', block)
}

async function* remoteBlocks(url: URL, secrets: Secrets, options: PipelineOptions): Blocks {
  const transport = new NodeTransport()
  try {
    yield* pipeline(new RangeFetcher({ url, transport, secrets }), options)
      .to(new ChunkReassembler())
      .batches()
  } finally {
    await transport.close()
  }
}
