// Writes the files that are measured, once, and describes them. A file's name holds the seed, the
// size and a digest of the file's first block, so a world that has learned to write something else
// gets a file of its own.

import { createHash } from 'node:crypto'
import { createReadStream, createWriteStream } from 'node:fs'
import { access, mkdir, readFile, rename, stat, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createGunzip, createGzip, gunzipSync } from 'node:zlib'
import { createWorld, tsvBytes } from '../src/emulator'
import type { BenchFeed } from './bench-feed'

/** Rows have about 670 bytes, and about nine items in ten are a row. */
const ITEMS_PER_MB = 1650
const NEWLINE = 0x0a
const WRITE_BYTES = 1024 * 1024

export function itemsFor(megabytes: number): number {
  return Math.ceil(megabytes * ITEMS_PER_MB)
}

/** The world of a file and the file's content before compression, made anew on every call. */
export function feedContent(seed: number, items: number): Generator<Uint8Array, void, void> {
  const world = createWorld({ seed, items })
  const place = {
    marketplaceId: world.options.marketplaces[0]!,
    categoryId: world.options.categories[0]!,
  }
  return tsvBytes(world, {
    feed: 'item',
    content: 'bootstrap',
    ...place,
    from: world.start,
    to: world.start,
  })
}

/** The file from the cache, or written now. */
export async function prepareFeed(
  seed: number,
  items: number,
  directory: string,
): Promise<BenchFeed> {
  const path = join(directory, `item-seed${seed}-${items}-${firstBlockDigest(seed, items)}.tsv.gz`)
  return cachedFeed(path, unfinished => writeFeed(seed, items, unfinished))
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

function firstBlockDigest(seed: number, items: number): string {
  const hash = createHash('sha256')
  for (const block of feedContent(seed, items)) return hash.update(block).digest('hex').slice(0, 12)
  return 'empty'
}

async function writeFeed(
  seed: number,
  items: number,
  path: string,
): Promise<Omit<BenchFeed, 'path'>> {
  const hash = createHash('sha256')
  let rawBytes = 0
  let lines = 0
  function* counted(): Generator<Uint8Array, void, void> {
    for (const block of feedContent(seed, items)) {
      hash.update(block)
      rawBytes += block.length
      for (const byte of block) if (byte === NEWLINE) lines++
      yield block
    }
  }
  await pipeline(Readable.from(counted()), createGzip(), createWriteStream(path))
  const { size } = await stat(path)
  // The world writes no line ends inside cells; the header is a line too.
  return {
    seed,
    items,
    copies: 1,
    columns: createWorld({ seed, items }).itemColumns,
    rows: lines - 1,
    rawBytes,
    gzipBytes: size,
    rawSha256: hash.digest('hex'),
  }
}

async function writeCopies(
  feed: BenchFeed,
  copies: number,
  path: string,
): Promise<Omit<BenchFeed, 'path'>> {
  const raw = gunzipSync(await readFile(feed.path))
  const rows = raw.subarray(raw.indexOf(NEWLINE) + 1)
  const hash = createHash('sha256')
  function* repeated(): Generator<Uint8Array, void, void> {
    for (let copy = 0; copy < copies; copy++) {
      const content = copy === 0 ? raw : rows
      hash.update(content)
      for (let at = 0; at < content.length; at += WRITE_BYTES)
        yield content.subarray(at, at + WRITE_BYTES)
    }
  }
  await pipeline(Readable.from(repeated()), createGzip(), createWriteStream(path))
  const { size } = await stat(path)
  return {
    ...feed,
    copies,
    rows: feed.rows * copies,
    rawBytes: raw.length + (copies - 1) * rows.length,
    gzipBytes: size,
    rawSha256: hash.digest('hex'),
  }
}

function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  )
}
