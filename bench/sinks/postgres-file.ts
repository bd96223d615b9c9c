// A file of the scale benchmark as a target of `sync` gets it.

import { headOf } from '../../src/codec/merge/register'
import { versionOfRow } from '../../src/codec/merge/version-order'
import {
  FileSource,
  Gunzip,
  pipeline,
  type RowBatch,
  schemaOf,
  TsvRowParser,
} from '../../src/index'
import { feedFileOf } from '../../src/sync/feed-files'
import type { FileId } from '../../src/sync/file-id'
import type { TargetFile } from '../../src/sync/target/target'
import type { ScaleFile } from '../scale/scale-files'

export const CATEGORY = { marketplace: 'MKT_US', categoryId: '220' }

export function targetFileOf(file: ScaleFile): TargetFile {
  const lastModified = new Date(file.lastModifiedMs)
  const id: FileId =
    file.feed === 'item_snapshot'
      ? { ...CATEGORY, feed: 'item_snapshot', hour: new Date(file.hourMs!).toISOString() }
      : { ...CATEGORY, feed: 'item', scope: 'ALL_ACTIVE', generation: lastModified.toISOString() }
  return {
    id,
    identity: { totalBytes: file.gzipBytes, lastModified: lastModified.toUTCString() },
    rawBytes: file.rawBytes,
    generated: id.feed === 'item' ? lastModified : undefined,
    signal: new AbortController().signal,
    badRows: 0,
    checkRemoval() {},
    rows: async function* () {
      const parser = new TsvRowParser({
        schema: schemaOf(file.feed) as ReturnType<typeof schemaOf<'item'>>,
        file: feedFileOf(id, lastModified.toUTCString()),
      })
      const batches = pipeline(new FileSource(file.path)).to(new Gunzip()).to(parser).batches()
      for await (const batch of batches) {
        const rows = [...batch]
        const keys = rows.map(row => row.text('itemId'))
        const heads = rows.map((row, n) => headOf(row, versionOfRow(row, keys[n]!)))
        yield { batch: batch as unknown as RowBatch, keys, heads }
      }
    },
  }
}
