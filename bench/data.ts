// Writes the files that are measured, once, and describes them. A file's name holds the shape, the
// seed, the size and a digest of the file's first block, so a shape that has learned to write
// something else gets a file of its own.

import { createHash } from 'node:crypto'
import { createReadStream, createWriteStream } from 'node:fs'
import { access, mkdir, readFile, rename, stat, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createGunzip, createGzip, gunzipSync } from 'node:zlib'
import type { BenchFeed } from './bench-feed'
import { type Shape, type ShapeName, shapes } from './shapes/shape'

const NEWLINE = 0x0a
const WRITE_BYTES = 1024 * 1024

/** Which file: about so many 10^6 bytes before compression. */
export interface WantedFeed {
  readonly shape: ShapeName
  readonly seed: number
  readonly megabytes: number
}

/** The file from the cache, or written now. */
export async function prepareFeed(wanted: WantedFeed, directory: string): Promise<BenchFeed> {
  const { shape: name, seed, megabytes } = wanted
  const shape = await shapes[name]()
  const items = Math.ceil(megabytes * shape.itemsPerMb)
  const file = `${name}-seed${seed}-${items}-${firstBlockDigest(shape, seed, items)}.tsv.gz`
  return cachedFeed(join(directory, file), async unfinished => ({
    shape: name,
    seed,
    items,
    copies: 1,
    columns: shape.columns,
    ...(await writeContent(shape.content(seed, items), unfinished)),
  }))
}

/** The same file, not compressed. */
export function prepareRaw(feed: BenchFeed): Promise<BenchFeed> {
  return cachedFeed(feed.path.replace(/\.gz$/, ''), async unfinished => {
    await pipeline(
      createReadStream(feed.path),
      createGunzip({ chunkSize: 2 ** 20 }),
      createWriteStream(unfinished),
    )
    return feed
  })
}

/**
 * The file's rows so many times after each other under one header, in one gzip member as a file of
 * that size would be.
 */
export function prepareCopies(feed: BenchFeed, copies: number): Promise<BenchFeed> {
  return cachedFeed(feed.path.replace(/\.tsv\.gz$/, `-x${copies}.tsv.gz`), unfinished =>
    writeCopies(feed, copies, unfinished),
  )
}

/** The file from the cache, or written now: under another name until it is whole. */
async function cachedFeed(
  path: string,
  write: (unfinished: string) => Promise<Omit<BenchFeed, 'path'>>,
): Promise<BenchFeed> {
  const description = `${path}.feed.json`
  if (await exists(description)) return JSON.parse(await readFile(description, 'utf8')) as BenchFeed
  await mkdir(dirname(path), { recursive: true })
  const unfinished = `${path}.${process.pid}`
  const feed = { ...(await write(unfinished)), path }
  await rename(unfinished, path)
  await writeFile(description, JSON.stringify(feed))
  return feed
}

function firstBlockDigest(shape: Shape, seed: number, items: number): string {
  const hash = createHash('sha256')
  for (const block of shape.content(seed, items))
    return hash.update(block).digest('hex').slice(0, 12)
  return 'empty'
}

/** Writes the content as one gzip member, and counts it. */
async function writeContent(
  content: Iterable<Uint8Array>,
  path: string,
): Promise<Pick<BenchFeed, 'rows' | 'rawBytes' | 'gzipBytes' | 'rawSha256'>> {
  const hash = createHash('sha256')
  let rawBytes = 0
  let lines = 0
  function* counted(): Generator<Uint8Array, void, void> {
    for (const block of content) {
      hash.update(block)
      rawBytes += block.length
      for (let at = block.indexOf(NEWLINE); at >= 0; at = block.indexOf(NEWLINE, at + 1)) lines++
      yield block
    }
  }
  await pipeline(Readable.from(counted()), createGzip(), createWriteStream(path))
  const { size } = await stat(path)
  // No shape has line ends inside cells; the header is a line too.
  return { rows: lines - 1, rawBytes, gzipBytes: size, rawSha256: hash.digest('hex') }
}

async function writeCopies(
  feed: BenchFeed,
  copies: number,
  path: string,
): Promise<Omit<BenchFeed, 'path'>> {
  const raw = gunzipSync(await readFile(feed.path))
  const rows = raw.subarray(raw.indexOf(NEWLINE) + 1)
  function* repeated(): Generator<Uint8Array, void, void> {
    for (let copy = 0; copy < copies; copy++) {
      const content = copy === 0 ? raw : rows
      for (let at = 0; at < content.length; at += WRITE_BYTES)
        yield content.subarray(at, at + WRITE_BYTES)
    }
  }
  return { ...feed, copies, ...(await writeContent(repeated(), path)) }
}

function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  )
}
