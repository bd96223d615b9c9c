import { expectTypeOf, test } from 'vitest'
import type { Column, ColumnBatch } from '../../../src/engine/codec/columns/column-batch'
import { pipeline } from '../../../src/engine/pipeline/pipeline'
import type { RowObject } from '../../../src/engine/schema/feed-schema'
import { type ItemColumns, itemSchema } from '../../../src/engine/schema/feed-schemas'
import type { Decimal } from '../../../src/engine/schema/values'
import { TsvColumnParser } from '../../../src/engine/stages/tsv-column-parser'

declare const bytes: AsyncIterable<Uint8Array>

test('the schema types each column, and a wrong name does not compile', async () => {
  const run = pipeline(bytes).to(new TsvColumnParser({ schema: itemSchema }))
  for await (const batch of run.batches()) {
    expectTypeOf(batch).toEqualTypeOf<ColumnBatch<ItemColumns>>()
    expectTypeOf(batch.column('priceValue')).toEqualTypeOf<Column<Decimal | null>>()
    expectTypeOf(batch.column('priceValue').get(0)).toEqualTypeOf<Decimal | null>()
    expectTypeOf(batch.column('title')).toEqualTypeOf<Column<string | null>>()
    // @ts-expect-error the schema has no such column
    batch.column('priceValu')
    for (const row of batch) expectTypeOf(row).toEqualTypeOf<RowObject<ItemColumns>>()
  }
})

test('a pipeline gives the objects of rows', async () => {
  for await (const row of pipeline(bytes).to(new TsvColumnParser({ schema: itemSchema })))
    expectTypeOf(row).toEqualTypeOf<RowObject<ItemColumns>>()
})

test('a projection has its columns only', async () => {
  const parser = new TsvColumnParser({ schema: itemSchema, columns: ['itemId', 'priceValue'] })
  for await (const batch of pipeline(bytes).to(parser).batches()) {
    expectTypeOf(batch.column('priceValue')).toEqualTypeOf<Column<Decimal | null>>()
    // @ts-expect-error a column that was not chosen
    batch.column('title')
  }
  // @ts-expect-error the schema has no such column
  new TsvColumnParser({ schema: itemSchema, columns: ['itemId', 'titel'] })
})

test('without a schema any name is a column of text', async () => {
  for await (const batch of pipeline(bytes).to(new TsvColumnParser()).batches())
    expectTypeOf(batch.column('anything')).toEqualTypeOf<Column<string | null>>()
})
