// Writes the file that is measured, once, and describes it. Its name holds the seed, the size and a digest of the file's first block,
// so a world that has learned to write something else gets a file of its own.

import { createHash } from 'node:crypto'
import { createWriteStream } from 'node:fs'
import { access, mkdir, readFile, rename, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createGzip } from 'node:zlib'
import { createWorld, tsvBytes } from '../src/emulator/index'
import type { BenchFeed } from './bench-feed'

/** Rows have about 670 bytes, and about nine items in ten are a row. */
const ITEMS_PER_MB = 1650
const NEWLINE = 0x0a

export function itemsFor(megabytes: number): number {
  return Math.ceil(megabytes * ITEMS_PER_MB)
}

/** The world of a file and the file's content before compression, made anew on every call. */
export function feedContent(seed: number, items: number): Generator<Uint8Array, void, void> {
  const world = createWorld({ seed, items })
  const place = { marketplaceId: world.options.marketplaces[0]!, categoryId: world.options.categories[0]! }
  return tsvBytes(world, { feed: 'item', content: 'bootstrap', ...place, from: world.start, to: world.start })
}

/** The file from the cache, or written now. */
export async function prepareFeed(seed: number, items: number, directory: string): Promise<BenchFeed> {
  const path = join(directory, `item-seed${seed}-${items}-${firstBlockDigest(seed, items)}.tsv.gz`)
  const description = `${path}.json`
  if (await exists(description)) return JSON.parse(await readFile(description, 'utf8')) as BenchFeed
  await mkdir(directory, { recursive: true })
  const feed = await writeFeed(seed, items, path)
  await writeFile(description, JSON.stringify(feed))
  return feed
}

function firstBlockDigest(seed: number, items: number): string {
  const hash = createHash('sha256')
  for (const block of feedContent(seed, items)) return hash.update(block).digest('hex').slice(0, 12)
  return 'empty'
}

async function writeFeed(seed: number, items: number, path: string): Promise<BenchFeed> {
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
  const unfinished = `${path}.${process.pid}`
  await pipeline(Readable.from(counted()), createGzip(), createWriteStream(unfinished))
  await rename(unfinished, path)
  const { size } = await stat(path)
  // The world writes no line ends inside cells; the header is a line too.
  return {
    seed,
    items,
    path,
    columns: createWorld({ seed, items }).itemColumns,
    rows: lines - 1,
    rawBytes,
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
