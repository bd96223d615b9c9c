// A file of a few rows, as a run gives it to a target.

import { versionOfRow } from '../../../src/engine/codec/merge/version-order'
import type { RowBatch } from '../../../src/engine/codec/row-batch'
import type { Columns } from '../../../src/engine/schema/feed-schema'
import { TsvRowParser } from '../../../src/index'
import {
  feedFileOf,
  isBootstrap,
  keyColumnOf,
  readDate,
  type ServiceId,
  schemaOfFile,
} from '../../../src/sync/file-id'
import type { TargetFile } from '../../../src/sync/target/target'
import { headOf, keyedRowsOf } from '../../state/keyed-rows-of'

export const CATEGORY = { marketplace: 'MKT_US', categoryId: '220' }
export const ORIGIN = { marketplace: 'MKT_US', service: 'https://service.test' }

/** The hourly file of an hour of a day, counted from 0. */
export function hourOf(hour: number): ServiceId {
  const instant = new Date(Date.UTC(2026, 2, 1, hour)).toISOString()
  return { ...CATEGORY, feed: 'item_snapshot', hour: instant }
}

export function bootstrapOf(day: number): ServiceId {
  const generation = new Date(Date.UTC(2026, 2, day)).toISOString()
  return { ...CATEGORY, feed: 'item', scope: 'ALL_ACTIVE', generation }
}

/** @param between called after each batch, with its number */
export function smallFile(
  id: ServiceId,
  tsv: string,
  between: (batch: number) => Promise<void> = async () => {},
): TargetFile {
  const lastModified = 'generation' in id ? id.generation : undefined
  const bytes = Buffer.from(tsv)
  return {
    id,
    identity: { totalBytes: bytes.length, ...(lastModified && { lastModified }) },
    rawBytes: bytes.length,
    generated: isBootstrap(id) ? readDate(id.generation) : undefined,
    signal: new AbortController().signal,
    badRows: 0,
    counts: {},
    checkRemoval() {},
    async accept() {},
    rows: async function* () {
      const parser = new TsvRowParser({
        schema: schemaOfFile(id),
        file: feedFileOf(id, lastModified),
        batchBytes: 64,
      })
      parser.end(bytes)
      let n = 0
      for await (const batch of parser as AsyncIterable<RowBatch<Columns>>) {
        const rows = [...batch]
        const keys = rows.map(row => row.text(keyColumnOf(id)))
        const heads = rows.map((row, at) => headOf(row, versionOfRow(row, keys[at]!)))
        yield keyedRowsOf(batch, keys, heads)
        await between(n++)
      }
    },
  }
}
