import { expectTypeOf, test } from 'vitest'
import type { ColumnBatch } from '../../../src/engine/codec/columns/column-batch'
import type { RowBatch } from '../../../src/engine/codec/row-batch'
import { createColumnParser, createRowParser } from '../../../src/engine/push/parsers'
import { quarantine } from '../../../src/engine/quarantine/quarantine'
import type { TextColumns } from '../../../src/engine/schema/feed-schema'
import { type ItemColumns, itemSchema } from '../../../src/engine/schema/feed-schemas'
import type { Decimal } from '../../../src/engine/schema/values'

declare const bytes: Uint8Array

test('the schema types the batches of both parsers', () => {
  const rows = createRowParser({ schema: itemSchema }).push(bytes)
  expectTypeOf(rows).toEqualTypeOf<IterableIterator<RowBatch<ItemColumns>>>()
  const columns = createColumnParser({ schema: itemSchema }).end()
  expectTypeOf(columns).toEqualTypeOf<IterableIterator<ColumnBatch<ItemColumns>>>()
  const texts = createRowParser().push(bytes)
  expectTypeOf(texts).toEqualTypeOf<IterableIterator<RowBatch<TextColumns>>>()
})

test('a projection has its columns only', () => {
  const options = { schema: itemSchema, columns: ['itemId', 'priceValue'] } as const
  for (const batch of createRowParser(options).push(bytes)) {
    expectTypeOf(batch.row(0).get('priceValue')).toEqualTypeOf<Decimal | null>()
    // @ts-expect-error a column that was not chosen
    batch.row(0).get('title')
  }
  // @ts-expect-error the schema has no such column
  createColumnParser({ schema: itemSchema, columns: ['itemId', 'titel'] })
})

test('a quarantine does not compile, because it has to be waited for', () => {
  const kept = quarantine('unused.ndjson')
  createRowParser({ onBadRow: ({ code }) => console.log(code) })
  // @ts-expect-error a quarantine
  createRowParser({ onBadRow: kept })
  // @ts-expect-error a quarantine
  createColumnParser({ onBadRow: kept })
  // @ts-expect-error a quarantine
  createColumnParser({ onBadCell: kept })
})
