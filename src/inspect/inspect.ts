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
import { guessedDialect } from './dialect-guess'
import { FileInspector } from './file-inspector'
import { type GzipReport, type InferredSchema, type InspectReport, REPORT_VERSION } from './report'
import { inferredSchema } from './schema/inferred-schema'

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
  /**
   * How the file is written. Default: the documented dialect, or one with another delimiter and
   * doubled quotes where the header line looks like that, or lines of JSON where the first lines are
   * that. A dialect without a delimiter or a quoting leaves that to the first lines too.
   */
  readonly dialect?: Dialect
  /** The number of rows in the sample, 0 to 1,000. Default: 3. */
  readonly sampleRows?: number
  /** True to find the schema that the file proves, in `inferred`. Default: false. */
  readonly infer?: boolean
  /** The name of the source in the report. Default: its path or URL. */
  readonly name?: string
  /** Aborting the signal ends the inspection with ABORTED. Default: none. */
  readonly signal?: AbortSignal
}

const OPTIONS = {
  schema: [(option, schema) => schema && checkedSchema(option, schema)],
  dialect: is.any,
  sampleRows: [is.wholeNumber(0, 1000), 3],
  infer: [is.flag, false],
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
  return (await inspected(source, options)).report
}

/** The options of {@link inferSchema}. */
export type InferOptions = Pick<InspectOptions, 'dialect' | 'name' | 'signal'>

/**
 * Reads a file once, to its end, and returns the schema that it proves: each column has the narrowest
 * kind whose values are written again as the texts of all its filled cells. Bad rows prove nothing.
 *
 * No column is `required` or `notNull`, and words such as `NULL` make a column text.
 *
 * @param source as of {@link inspect}
 * @throws FeedError the error of a file that cannot be read to its end, GZIP_\* or TSV_\*; the
 * errors of {@link inspect}
 * @example
 * ```ts
 * import { pipeline, TsvRowParser } from 'feedmill'
 * import { inferSchema } from 'feedmill/inspect'
 *
 * const file = [Buffer.from('sku;price\nA-1;9.90\nA-2;12.5\n')]
 * const { schema, dialect } = await inferSchema(file)
 * console.log(schema.columns, dialect)
 * // => { sku: { type: 'text' }, price: { type: 'decimal', scale: 2 } } { delimiter: ';', quoting: 'doubled' }
 * const [row] = await pipeline(file).to(new TsvRowParser({ schema, dialect })).toArray()
 * console.log(`${row?.get('price')}`)
 * // => 9.90
 * ```
 */
export async function inferSchema(
  source: InspectSource,
  options: InferOptions = {},
): Promise<InferredSchema> {
  const settings = { ...options, schema: null, sampleRows: 0, infer: true }
  const { report, error } = await inspected(source, settings)
  if (error !== undefined) throw error
  return report.inferred!
}

/** The bytes of a file that its dialect is chosen by. */
const START_BYTES = 2 ** 16

async function inspected(source: InspectSource, options: InspectOptions) {
  const { name, signal, ...reading } = readOptions(options, OPTIONS)
  let inspector = new FileInspector(reading)
  let guess: Dialect | undefined
  const running = signal === undefined ? {} : { signal }
  const from = byteSource(source, running)
  const unpacked = new Decompress()
  const text = pipeline<Uint8Array>(from.blocks, running).to(unpacked)
  const read = async () => {
    const table = checkedBlocks(text)
    const start = await firstBytes(table, START_BYTES)
    guess = guessedDialect(start, start.length < START_BYTES, reading.dialect, from.name)
    if (guess !== undefined) inspector = new FileInspector({ ...reading, dialect: guess })
    const all = pipeline<Uint8Array>(joined(start, table), running)
    await all.to(inspector).forEach(() => {})
  }
  const error = await contentError(read, from.secrets)
  const { gzipFacts, format = 'plain' } = unpacked
  const dialect = guess ?? reading.dialect ?? {}
  const shown = name ?? from.name
  const report: InspectReport = {
    version: REPORT_VERSION,
    source: shown,
    dialect,
    dialectIsGuess: guess !== undefined,
    sourceBytes: unpacked.counters.bytesIn,
    textBytes: inspector.counters.bytesIn,
    format,
    gzip: gzipFacts === undefined ? null : gzipReport(gzipFacts),
    ...inspector.report,
    failure: error === undefined ? null : failureReport(error),
    ...(reading.infer && {
      inferred: error === undefined ? inferredSchema(shown, dialect, inspector.kinds) : null,
    }),
  }
  return { report, error }
}

type Blocks = AsyncGenerator<Uint8Array, void, void>

/** Reads until there are so many bytes, or until the end. */
async function firstBytes(blocks: Blocks, least: number): Promise<Uint8Array> {
  let first: Uint8Array = Buffer.alloc(0)
  while (first.length < least) {
    const { done, value } = await blocks.next()
    if (done) break
    // A block may be filled again when the next one is asked for.
    first = Buffer.concat([first, value])
  }
  return first
}

async function* joined(first: Uint8Array, rest: Blocks): Blocks {
  try {
    if (first.length > 0) yield first
    yield* rest
  } finally {
    await rest.return()
  }
}

/**
 * Returns why the content of the file cannot be read: an error of its compression or of TSV, or a Node
 * that cannot decompress it.
 * @throws FeedError any other failure
 */
async function contentError(
  read: () => Promise<unknown>,
  secrets: Secrets,
): Promise<FeedError | undefined> {
  try {
    await read()
    return undefined
  } catch (thrown) {
    if (!FeedError.is(thrown)) throw thrown
    const error = secrets.covered(thrown)
    const family = familyOf(error.code)
    const isOfContent = family === 'gzip' || family === 'unpack' || family === 'tsv'
    if (!isOfContent && error.code !== 'DEPENDENCY_UNSUPPORTED') throw error
    return error
  }
}

function failureReport({ code, message, context }: FeedError): InspectReport['failure'] {
  return { code, message, context: { ...context } }
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
