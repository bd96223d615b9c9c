// The benchmarks of this package for `feedmill bench`: what `bench:compare`, `bench:gate` and the
// workflow run. They use public names only, so that the same file drives an earlier version too.
// The files that they read are written once, from a seeded world whose rows are known.

import { createHash } from 'node:crypto'
import { createWriteStream, existsSync, readFileSync } from 'node:fs'
import { mkdir, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline as streamed } from 'node:stream/promises'
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
const DATA = join('.tmp/bench-data', `own-${ITEMS}`)
const FACTS = join(DATA, 'facts.json')

const pathOf = name => join(DATA, `${name}.tsv.gz`)
let known
/** What the world says about its files. It never went through a parser. */
const facts = () => (known ??= JSON.parse(readFileSync(FACTS, 'utf8')))
const inflated = name => pipeline(new FileSource(pathOf(name))).to(new Gunzip(inflation))

/** Writes the files, unless files of the same world are there. */
async function prepare() {
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
  const digest = createHash('sha256').update(firstBlock).digest('hex')
  if (existsSync(FACTS) && facts().digest === digest) return
  known = undefined
  await rm(DATA, { recursive: true, force: true })
  await mkdir(DATA, { recursive: true })
  const written = { digest, start: start.getTime(), rows: 0, titleLetters: 0, changes: 0 }
  for (const [name, file] of Object.entries(files)) {
    let lines = 0
    function* counted() {
      for (const block of tsvBytes(world, file)) {
        for (let at = block.indexOf(10); at >= 0; at = block.indexOf(10, at + 1)) lines++
        yield block
      }
    }
    await streamed(Readable.from(counted()), createGzip(), createWriteStream(pathOf(name)))
    if (name.startsWith('snapshot')) written.changes += Math.max(0, lines - 1)
  }
  for (const { cells } of world.truthAt(start, {}, ['title'])) {
    written.rows++
    written.titleLetters += cells[0].length
  }
  await writeFile(`${FACTS}.new`, JSON.stringify(written))
  await rename(`${FACTS}.new`, FACTS)
}

/** Reads titles, so that a check can compare their letters with those of the world. */
function titles() {
  let letters = 0
  return {
    add: title => {
      letters += title?.length ?? 0
    },
    check: ({ count }) => count === facts().rows && letters === facts().titleLetters,
  }
}

function objectsBench(name, values) {
  const { add, check } = titles()
  return {
    name,
    pipeline: () =>
      inflated('items')
        .to(new TsvObjectParser({ schema: itemSchema, values }))
        .tap(object => add(object.title)),
    check,
    prepare,
  }
}

const fiveTitles = titles()
const rows5 = {
  name: 'rows-5',
  pipeline: () =>
    inflated('items')
      .to(new TsvRowParser({ schema: itemSchema, columns: FIVE_COLUMNS }))
      .tap(row => {
        for (const column of FIVE_COLUMNS) row.text(column)
        fiveTitles.add(row.text('title'))
      }),
  check: fiveTitles.check,
  prepare,
}

let joiner
const joined = {
  name: 'joined',
  pipeline: () => {
    const groups = inflated('groups').to(new TsvRowParser({ schema: itemGroupSchema }))
    joiner = new GroupJoiner({ groups: groups.batches() })
    return inflated('items')
      .to(new TsvRowParser({ schema: itemSchema, columns: ['itemId', 'primaryItemGroupId'] }))
      .to(joiner)
  },
  check: ({ count }) => count === facts().rows && joiner.tally.joined > 0,
  prepare,
}

let merger
const merged = {
  name: 'merged',
  pipeline: () => {
    const startOf = n => new Date(facts().start + n * HOUR_MS)
    const items = inflated('items').to(
      new TsvRowParser({
        schema: itemSchema,
        file: { feed: 'item', scope: 'ALL_ACTIVE', lastModified: startOf(0) },
      }),
    )
    const snapshots = Array.from({ length: SNAPSHOTS }, (_, n) =>
      inflated(`snapshot-${n}`).to(
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
    const { rows, changes } = facts()
    return count === rows + changes && merger.tally.item.inserted >= rows
  },
  prepare,
}

export default [rows5, objectsBench('objects', 'text'), objectsBench('typed', 'typed'), joined, merged]
