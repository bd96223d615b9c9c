// The merge by feedmill: every file read, inflated, parsed and merged into a store on disk, which
// is then closed.

import { createHash } from 'node:crypto'
import {
  concat,
  type FeedFile,
  FileSource,
  Gunzip,
  type Pipeline,
  pipeline,
  type RowBatch,
  SnapshotMerger,
  schemaOf,
  TsvRowParser,
} from '../../src/index'
import { LevelStore } from '../../src/state/index'
import type { Digest } from './digest'
import type { ScaleFile, ScaleFiles } from './scale-files'

/** Several times what a parser takes by itself: each batch is a round trip to the store. */
const BATCH_BYTES = 1 << 19

export async function mergeFiles({ files }: ScaleFiles, folder: string): Promise<void> {
  const store = await LevelStore.open(folder)
  const rows = concat(files.map(rowsOf)).to(new SnapshotMerger({ store, changes: 'none' }))
  for await (const _ of rows.batches()) {
    // Changes are not asked for.
  }
  await store.close()
}

function rowsOf(file: ScaleFile): Pipeline<RowBatch> {
  const parser = new TsvRowParser({
    schema: schemaOf(file.feed) as ReturnType<typeof schemaOf<'item'>>,
    file: feedFileOf(file),
    batchBytes: BATCH_BYTES,
  })
  return pipeline(new FileSource(file.path))
    .to(new Gunzip())
    .to(parser) as unknown as Pipeline<RowBatch>
}

function feedFileOf({ feed, lastModifiedMs, hourMs, date }: ScaleFile): FeedFile {
  return {
    feed,
    lastModified: new Date(lastModifiedMs),
    ...(hourMs !== undefined && { hour: new Date(hourMs) }),
    ...(date !== undefined && { date }),
    ...(feed === 'item' && { scope: 'ALL_ACTIVE' }),
  }
}

/** Returns the digest of the rows that the store holds now. */
export async function digestOf(folder: string, columns: readonly string[]): Promise<Digest> {
  const store = await LevelStore.open(folder)
  const merger = new SnapshotMerger({ store })
  for await (const _ of pipeline<RowBatch>([]).to(merger).batches()) {
    // Nothing is merged.
  }
  let items = 0
  let sum = 0n
  for await (const { row, version, priority } of merger.entries()) {
    const cells = [
      ...columns.map(column => row.text(column)),
      version.timeMs,
      priority?.text('priorityListingPayload') ?? '',
    ]
    sum += createHash('md5').update(cells.join('\t')).digest().readBigUInt64LE(8)
    items++
  }
  await store.close()
  return { items, sum: sum.toString() }
}
