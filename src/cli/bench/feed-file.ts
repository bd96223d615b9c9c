// The file of `feedmill bench --file`: a feed file of the user becomes a benchmark. The processes
// that measure load the module of that benchmark, feed-file-bench.ts, and get the file from the
// environment.

import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import { basename } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type Dialect, FeedError, type FeedName } from '../../index'
import { dialectOf } from '../command-options'
import { given } from '../given'
import { describedFile } from '../schema-file'
import { usageError } from '../usage-error'
import type { BenchCommand, CellReading } from './bench-command'

/** How a file is read. */
export type FeedFileOptions = Pick<
  BenchCommand,
  'feed' | 'schema' | 'delimiter' | 'quoting' | 'header' | 'comment' | 'encoding' | 'read'
>

/** The file, as its benchmark gets it. */
export interface FeedFile {
  /** The name of the benchmark. */
  readonly name: string
  readonly path: string
  readonly isGzip: boolean
  readonly feed: FeedName
  readonly schema?: string
  readonly dialect: Dialect
  readonly read: CellReading
}

/** The variable of the environment that holds the file, as JSON. */
export const FEED_FILE_VARIABLE = 'FEEDMILL_BENCH_FILE'

const READ_BYTES = 256 * 1024
/** The first byte of a gzip file (RFC 1952, section 2.3.1). No text begins with it. */
const GZIP_FIRST_BYTE = 0x1f
/** The characters of the hash in the name, which tell files apart. */
const HASH_CHARS = 8

/**
 * Returns the module of the benchmark of the file, for processes that this one starts.
 * @throws FeedError OPTION_INVALID when the file or the schema cannot be read
 */
export async function feedFileModule(path: string, options: FeedFileOptions): Promise<string> {
  process.env[FEED_FILE_VARIABLE] = JSON.stringify(await feedFile(path, options))
  return fileURLToPath(new URL('./feed-file-bench.js', import.meta.url))
}

/**
 * Reads the whole file once, so that the first run finds it in the cache of the system, as the
 * others do. The name has a hash of the file and of how it is read: only equal benchmarks have
 * equal names, and a baseline of another file is refused.
 */
export async function feedFile(path: string, options: FeedFileOptions): Promise<FeedFile> {
  const { feed = 'item', schema, read } = options
  const described = schema === undefined ? undefined : await describedFile(schema)
  const dialect = dialectOf(options, described?.dialect)
  const hash = createHash('sha256').update(JSON.stringify(dialect))
  const name = described?.schema.name ?? feed
  if (schema !== undefined) for await (const block of blocksOf(schema)) hash.update(block)
  let isGzip: boolean | undefined
  for await (const block of blocksOf(path)) {
    isGzip ??= block[0] === GZIP_FIRST_BYTE
    hash.update(block)
  }
  const cells = typeof read === 'number' ? `${read} cells` : read
  return {
    name: `${basename(path)} ${name} ${cells} ${hash.digest('hex').slice(0, HASH_CHARS)}`,
    path,
    isGzip: isGzip ?? false,
    feed,
    ...given({ schema }),
    dialect,
    read,
  }
}

async function* blocksOf(path: string): AsyncGenerator<Buffer, void, void> {
  try {
    // Every run reads the file from its start, which is impossible with a pipe.
    if (!(await stat(path)).isFile()) throw unreadable(path, 'it is not a regular file')
    yield* createReadStream(path, { highWaterMark: READ_BYTES }) as AsyncIterable<Buffer>
  } catch (error) {
    throw FeedError.is(error) ? error : unreadable(path, String(error))
  }
}

function unreadable(path: string, reason: string): FeedError {
  const message = `${path} cannot be read: ${reason}`
  return usageError('--file', 'a file that can be read', path, message)
}
