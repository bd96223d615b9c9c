// A process that loads files into a DuckDB target, from the first one on that its ledger lacks. It
// writes a line for each step, by which its parent chooses the moment to kill it.

import { crc32 } from 'node:zlib'
import { type FeedSchema, pipeline, schemaOf, TsvRowParser } from '../../../src/index'
import { duckdbTarget } from '../../../src/integrations/duckdb'
import type { FileId } from '../../../src/sync'
import type { TargetFile } from '../../../src/sync/target/target'
import { keyedRowsOf } from '../../state/keyed-rows-of'

const CATEGORY = { marketplace: 'MKT_US', categoryId: '220' }
const SERVICE = 'https://service.test'
const HOUR_MS = 3_600_000
const START_MS = Date.parse('2026-03-01T00:00:00Z')
const HEADER = 'itemId\ttitle\tbrand\tpriceValue\tadditionalImageUrls'

/** One file of the sequence: its rows, and what they are. */
interface Load {
  readonly items: number
  readonly step: number
  readonly isBootstrap: boolean
}

/**
 * A bootstrap of several row groups, an hourly file that changes and removes items, and a bootstrap
 * that lacks items.
 */
export const LOADS: readonly Load[] = [
  { items: 40_000, step: 1, isBootstrap: true },
  { items: 9_000, step: 5, isBootstrap: false },
  { items: 18_000, step: 2, isBootstrap: true },
]

function* textOf({ items, step }: Load, sequence: number): Generator<Buffer> {
  let text = `${HEADER}\n`
  for (let n = 0; n < items; n++) {
    const item = n * step
    text += `v1|${item}|0\tTitle ${item} of the file ${sequence} of an item\tBrand ${n % 7}\t${n % 90}.95\tfirst ${n}|second\n`
    if (n % 500 < 499 && n < items - 1) continue
    yield Buffer.from(text)
    text = ''
  }
}

function fileOf(load: Load, sequence: number): TargetFile {
  const timeMs = START_MS + sequence * HOUR_MS
  const time = new Date(timeMs)
  const id: FileId = load.isBootstrap
    ? { ...CATEGORY, feed: 'item', scope: 'ALL_ACTIVE', generation: time.toISOString() }
    : { ...CATEGORY, feed: 'item_snapshot', hour: time.toISOString() }
  return {
    id,
    identity: { totalBytes: sequence, lastModified: time.toUTCString() },
    rawBytes: sequence,
    generated: load.isBootstrap ? time : undefined,
    signal: new AbortController().signal,
    badRows: 0,
    counts: {},
    checkRemoval() {},
    async accept() {},
    async *rows() {
      const file = { feed: id.feed, ...CATEGORY, lastModified: time }
      const parser = new TsvRowParser({
        schema: schemaOf(id.feed) as FeedSchema,
        file: 'hour' in id ? { ...file, hour: time } : file,
      })
      for await (const batch of pipeline(textOf(load, sequence)).to(parser).batches()) {
        console.log('rows')
        const rows = [...batch]
        const keys = rows.map(row => row.text('itemId' as never))
        const heads = rows.map((row, n) => {
          const removed = !load.isBootstrap && n % 9 === 0
          const version = { timeMs, removed, generatedMs: timeMs }
          return { version, checksum: crc32(row.text('title' as never)) }
        })
        yield keyedRowsOf(batch as never, keys, heads)
      }
      console.log('merge')
    },
  }
}

const [path, only] = process.argv.slice(2)
const { signal } = new AbortController()
const origin = { marketplace: CATEGORY.marketplace, service: SERVICE }
const target = await duckdbTarget(path!).open({ origin, memoryBytes: 0, signal })
console.log('open')
const category = await target.category(CATEGORY)
const loads = LOADS.slice(0, only === undefined ? LOADS.length : Number(only))
for (let n = category.files.length; n < loads.length; n++) {
  await category.apply(fileOf(loads[n]!, n + 1))
  console.log('applied')
}
await target.close()
console.log('closed')
