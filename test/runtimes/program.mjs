// What every runtime and every bundle runs: one file through every engine, the worker thread
// included, and every cell compared. It is written once, as an ES module; check.mjs makes CommonJS
// of it. The last line that it prints says how it went.

import { createHash } from 'node:crypto'
import { gzipSync } from 'node:zlib'
import { csvSink, FeedError, Gunzip, pipeline, TsvObjectParser, TsvRowParser } from 'feedmill'
import { createInflater, createRowParser } from 'feedmill/engines'
import { createFeedService } from 'feedmill/service'
import { sync } from 'feedmill/sync'

/** Enough for the worker thread to take over: more than 512 KiB of compressed data. */
const ROWS = 30_000
const BLOCK_BYTES = 100_000

const expected = Array.from({ length: ROWS }, (_, n) => {
  const digest = createHash('sha256').update(`row ${n}`).digest('base64')
  return { itemId: `v1|${n}|0`, title: `a "quoted" title, ${digest}`, seller: n % 3 === 0 ? null : 'täxi ☂' }
})
const lines = expected.map(({ itemId, title, seller }) => `${itemId}\t"${title.replaceAll('"', '\\"')}"\t${seller ?? ''}\n`)
const file = gzipSync(`itemId\ttitle\tseller\n${lines.join('')}`)

function* blocks() {
  for (let at = 0; at < file.length; at += BLOCK_BYTES) yield file.subarray(at, at + BLOCK_BYTES)
}

function* pushedRows(inflater, parser) {
  const objectsOf = function* (batches) {
    for (const batch of batches) for (const row of batch) yield row.toObject()
  }
  for (const block of blocks()) for (const bytes of inflater.push(block)) yield* objectsOf(parser.push(bytes))
  for (const bytes of inflater.end()) yield* objectsOf(parser.push(bytes))
  yield* objectsOf(parser.end())
}

async function main() {
  for (const options of [{}, { worker: false }, { engine: 'zlib' }, { engine: 'fflate' }]) {
    const name = JSON.stringify(options)
    const rows = await pipeline(blocks()).to(new Gunzip(options)).to(new TsvRowParser()).map(row => row.toObject()).toArray()
    const objects = await pipeline(blocks()).to(new Gunzip(options)).to(new TsvObjectParser()).toArray()
    if (JSON.stringify(rows) !== JSON.stringify(expected)) throw new Error(`wrong rows with ${name}`)
    if (JSON.stringify(objects) !== JSON.stringify(expected)) throw new Error(`wrong objects with ${name}`)
  }
  const pushed = [...pushedRows(createInflater(), createRowParser())]
  if (JSON.stringify(pushed) !== JSON.stringify(expected)) throw new Error('wrong rows without a stream')
  const torn = await pipeline([file.subarray(0, -9)]).to(new Gunzip()).to(new TsvRowParser()).toArray().catch(error => error)
  if (!FeedError.is(torn)) throw new Error('a torn file was accepted')
  if (Gunzip.name === '' || typeof createFeedService !== 'function' || typeof sync !== 'function') throw new Error('names are missing')
  csvSink('unused.csv')
  console.log(`right: ${expected.length} rows by every engine`)
}

main().catch(error => {
  console.error(error)
  process.exitCode = 1
})
