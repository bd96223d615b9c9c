// The benchmarks of this package for `feedmill bench`: what `bench:compare`, `bench:gate` and the
// workflow run. They use public names only, so that the same file drives an earlier version too.
// The files that they read are written once: from a seeded world whose rows are known, and of the
// shape `varied`.

import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { createWriteStream, existsSync, readFileSync } from 'node:fs'
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { join, resolve } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline as streamed } from 'node:stream/promises'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { createGzip } from 'node:zlib'
import {
  concat,
  FileSource,
  GroupJoiner,
  Gunzip,
  itemGroupSchema,
  itemSchema,
  itemSnapshotSchema,
  pipeline,
  SnapshotMerger,
  ndjsonSink,
  NodeTransport,
  RangeFetcher,
  ChunkReassembler,
  TsvColumnParser,
  TsvObjectParser,
  TsvRowParser,
} from 'feedmill'

// The gate counts the processor time of one thread. With a worker beside it, a tenth more work in a
// stage is less than a tenth of the whole, and the two threads disturb each other.
const inflation = { worker: process.env.FEEDMILL_BENCH_THREADS !== '1' }

/** The size of the file of items before compression, about, in 10^6 bytes. */
const MEGABYTES = Number(process.env.FEEDMILL_BENCH_MB ?? 30)
/** A row has about 670 bytes, and about nine items in ten are a row. */
const ITEMS = Math.ceil(MEGABYTES * 1650)
const SNAPSHOTS = 6
const HOUR_MS = 3_600_000
const FIVE_COLUMNS = ['itemId', 'title', 'priceValue', 'priceCurrency', 'itemEndDate']
const WORLD = join('.tmp/bench-data', `own-${ITEMS}`)
const VARIED = join('.tmp/bench-data', `own-varied-${MEGABYTES}`)
const VARIED_SEED = 1

const pathOf = (folder, name) => join(folder, `${name}.tsv.gz`)
const known = new Map()
/** What is known of the files of a folder. It never went through a parser. */
function facts(folder) {
  if (!known.has(folder))
    known.set(folder, JSON.parse(readFileSync(join(folder, 'facts.json'), 'utf8')))
  return known.get(folder)
}
const inflated = (folder, name) =>
  pipeline(new FileSource(pathOf(folder, name))).to(new Gunzip(inflation))

/** Writes the files of a folder, unless files that begin with the same block are there. */
async function prepareFolder(folder, firstBlock, write) {
  const path = join(folder, 'facts.json')
  const digest = createHash('sha256').update(firstBlock).digest('hex')
  if (existsSync(path) && facts(folder).digest === digest) return
  known.delete(folder)
  await rm(folder, { recursive: true, force: true })
  await mkdir(folder, { recursive: true })
  await writeFile(`${path}.new`, JSON.stringify({ digest, ...(await write()) }))
  await rename(`${path}.new`, path)
}

/** Writes a gzip file. @returns its lines */
async function writeGzip(path, blocks) {
  let lines = 0
  function* counted() {
    for (const block of blocks) {
      for (let at = block.indexOf(10); at >= 0; at = block.indexOf(10, at + 1)) lines++
      yield block
    }
  }
  await streamed(Readable.from(counted()), createGzip(), createWriteStream(path))
  return lines
}

async function prepareWorld() {
  const { createWorld, tsvBytes } = await import('feedmill/emulator')
  const world = createWorld({ seed: 1, items: ITEMS })
  const place = {
    marketplaceId: world.options.marketplaces[0],
    categoryId: world.options.categories[0],
  }
  const { start } = world
  const hour = n => new Date(start.getTime() + n * HOUR_MS)
  const files = {
    items: { feed: 'item', content: 'bootstrap', ...place, from: start, to: start },
    groups: { feed: 'item_group', content: 'bootstrap', ...place, from: start, to: start },
    ...Object.fromEntries(
      Array.from({ length: SNAPSHOTS }, (_, n) => [
        `snapshot-${n}`,
        { feed: 'item_snapshot', content: 'span', ...place, from: hour(n), to: hour(n + 1) },
      ]),
    ),
  }
  const [firstBlock] = tsvBytes(world, files.items)
  await prepareFolder(WORLD, firstBlock, async () => {
    const written = { start: start.getTime(), rows: 0, titleLetters: 0, changes: 0 }
    for (const [name, file] of Object.entries(files)) {
      const lines = await writeGzip(pathOf(WORLD, name), tsvBytes(world, file))
      if (name.startsWith('snapshot')) written.changes += Math.max(0, lines - 1)
    }
    for (const { cells } of world.truthAt(start, {}, ['title'])) {
      written.rows++
      written.titleLetters += cells[0].length
    }
    return written
  })
}

async function prepareVaried() {
  const varied = await variedShape()
  const rows = Math.ceil(MEGABYTES * varied.itemsPerMb)
  const blocks = () => varied.content(VARIED_SEED, rows)
  const [firstBlock] = blocks()
  await prepareFolder(VARIED, firstBlock, async () => {
    await writeGzip(pathOf(VARIED, 'items'), blocks())
    const title = varied.columns.indexOf('title')
    let titleLetters = 0
    for (const cells of varied.rows(VARIED_SEED, rows)) titleLetters += cells[title].length
    return { rows, titleLetters }
  })
}

/** The shape, whose source Node 20 does not read. */
async function variedShape() {
  const { build } = await import('esbuild')
  const outfile = resolve('.tmp/bench-data/varied-shape.mjs')
  const source = fileURLToPath(new URL('shapes/varied.ts', import.meta.url))
  await build({ entryPoints: [source], outfile, bundle: true, platform: 'node', format: 'esm' })
  const { varied } = await import(pathToFileURL(outfile))
  return varied
}

/** Reads titles, so that a check can compare their letters with those of the folder. */
function titles(folder) {
  let letters = 0
  return {
    add: title => {
      letters += title?.length ?? 0
    },
    check: ({ count }) => count === facts(folder).rows && letters === facts(folder).titleLetters,
  }
}

const WORLD_FILES = { folder: WORLD, prepare: prepareWorld }
const VARIED_FILES = { folder: VARIED, prepare: prepareVaried }

function objectsBench(name, values, { folder, prepare }) {
  const { add, check } = titles(folder)
  return {
    name,
    pipeline: () =>
      inflated(folder, 'items')
        .to(new TsvObjectParser({ schema: itemSchema, values }))
        .tap(object => add(object.title)),
    check,
    prepare,
  }
}

function rowsBench(name, { folder, prepare }) {
  const { add, check } = titles(folder)
  return {
    name,
    pipeline: () =>
      inflated(folder, 'items')
        .to(new TsvRowParser({ schema: itemSchema, columns: FIVE_COLUMNS }))
        .tap(row => {
          for (const column of FIVE_COLUMNS) row.text(column)
          add(row.text('title'))
        }),
    check,
    prepare,
  }
}

let joiner
const joined = {
  name: 'joined',
  pipeline: () => {
    const groups = inflated(WORLD, 'groups').to(new TsvRowParser({ schema: itemGroupSchema }))
    joiner = new GroupJoiner({ groups: groups.batches() })
    return inflated(WORLD, 'items')
      .to(new TsvRowParser({ schema: itemSchema, columns: ['itemId', 'primaryItemGroupId'] }))
      .to(joiner)
  },
  check: ({ count }) => count === facts(WORLD).rows && joiner.tally.joined > 0,
  prepare: prepareWorld,
}

let merger
const merged = {
  name: 'merged',
  pipeline: () => {
    const startOf = n => new Date(facts(WORLD).start + n * HOUR_MS)
    const items = inflated(WORLD, 'items').to(
      new TsvRowParser({
        schema: itemSchema,
        file: { feed: 'item', scope: 'ALL_ACTIVE', lastModified: startOf(0) },
      }),
    )
    const snapshots = Array.from({ length: SNAPSHOTS }, (_, n) =>
      inflated(WORLD, `snapshot-${n}`).to(
        new TsvRowParser({
          schema: itemSnapshotSchema,
          file: { feed: 'item_snapshot', hour: startOf(n), lastModified: startOf(n + 1) },
        }),
      ),
    )
    merger = new SnapshotMerger({ memoryBytes: 512 * 2 ** 20 })
    return concat([items, ...snapshots]).to(merger)
  },
  check: ({ count }) => {
    const { rows, changes } = facts(WORLD)
    return count === rows + changes && merger.tally.item.inserted >= rows
  },
  prepare: prepareWorld,
}

/** The columns as they come, and the number of letters of a decoded one. */
const columns = {
  name: 'columns',
  async pipeline() {
    let count = 0
    letters = 0
    const parser = new TsvColumnParser({ schema: itemSchema })
    for await (const batch of inflated(WORLD, 'items').to(parser).batches()) {
      count += batch.length
      const title = batch.column('title')
      for (let n = 0; n < batch.length; n++) letters += title.get(n)?.length ?? 0
    }
    return count
  },
  check: ({ count }) => count === facts(WORLD).rows && letters === facts(WORLD).titleLetters,
  prepare: prepareWorld,
}
let letters = 0

const ndjson = {
  name: 'ndjson',
  async pipeline() {
    const items = inflated(WORLD, 'items').to(new TsvRowParser({ schema: itemSchema }))
    const { stages } = await items.run(ndjsonSink('/dev/null'))
    return stages.at(-1).rowsOut
  },
  check: ({ count }) => count === facts(WORLD).rows,
  prepare: prepareWorld,
}

/** A server in this process, which sends slices of the file: its work is small, and always the same. */
async function served(path) {
  const file = await readFile(path)
  const server = createServer(({ headers }, response) => {
    const [, from, to] = /(\d+)-(\d+)/.exec(headers.range ?? '') ?? [0, 0, file.length - 1]
    const part = file.subarray(Number(from), Number(to) + 1)
    const range = `bytes ${from}-${Number(from) + part.length - 1}/${file.length}`
    response.writeHead(206, { etag: '"1"', 'content-range': range, 'content-length': part.length })
    response.end(part)
  }).unref()
  await once(server.listen(0, '127.0.0.1'), 'listening')
  return `http://127.0.0.1:${server.address().port}/items`
}

let overHttp
const http = {
  name: 'http',
  async pipeline() {
    overHttp = titles(WORLD)
    const url = await served(pathOf(WORLD, 'items'))
    const transport = new NodeTransport()
    return pipeline(new RangeFetcher({ url, transport, chunkBytes: 2 ** 20 }))
      .to(new ChunkReassembler())
      .to(new Gunzip(inflation))
      .to(new TsvRowParser({ schema: itemSchema, columns: FIVE_COLUMNS }))
      .tap(row => overHttp.add(row.text('title')))
  },
  check: outcome => overHttp.check(outcome),
  prepare: prepareWorld,
}

/** A full file of a feed of one's own, brought into a new state folder. */
const synced = {
  name: 'synced',
  async pipeline() {
    const { sync } = await import('feedmill/sync')
    const folder = join(WORLD, 'state')
    await rm(folder, { recursive: true, force: true })
    const from = resolve(pathOf(WORLD, 'items'))
    const files = [{ id: 'items', from, kind: 'full', time: new Date(0) }]
    const source = { name: 'bench', schema: itemSchema, key: 'itemId', files }
    const { rows } = await sync({ source, folder, changes: 'none' }).summary
    return rows
  },
  check: ({ count }) => count === facts(WORLD).rows,
  prepare: prepareWorld,
}

export default [
  rowsBench('rows-5', WORLD_FILES),
  objectsBench('objects', 'text', WORLD_FILES),
  objectsBench('typed', 'typed', WORLD_FILES),
  joined,
  merged,
  rowsBench('rows-5-varied', VARIED_FILES),
  objectsBench('objects-varied', 'text', VARIED_FILES),
  columns,
  ndjson,
  http,
  synced,
]
