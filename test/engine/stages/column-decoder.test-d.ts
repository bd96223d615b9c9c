import { expectTypeOf, test } from 'vitest'
import type { RowBatch } from '../../../src/engine/codec/row-batch'
import { pipeline } from '../../../src/engine/pipeline/pipeline'
import type { Columns, TextColumns } from '../../../src/engine/schema/feed-schema'
import { type ItemColumns, itemSchema } from '../../../src/engine/schema/feed-schemas'
import { ColumnDecoder } from '../../../src/engine/stages/column-decoder'
import { Stage } from '../../../src/engine/stages/stage'
import { TsvRowParser } from '../../../src/engine/stages/tsv-row-parser'

declare const itemBatch: RowBatch<ItemColumns>
declare const idBatch: RowBatch<Pick<ItemColumns, 'itemId'>>
declare const textBatch: RowBatch<TextColumns>
declare const anyBatch: RowBatch
declare const batches: AsyncIterable<RowBatch<ItemColumns>>

/** A stage of a user that is generic in the columns. */
class Generic<C extends Columns> extends Stage<RowBatch<C>, RowBatch<C>> {
  protected override *transform(batch: RowBatch<C>) {
    yield batch
  }
}

/** A stage of a user that says nothing of columns. */
class AnyColumns extends Stage<RowBatch, number> {
  protected override *transform(batch: RowBatch) {
    yield batch.length
  }
}

test('a stage for any columns accepts a batch of particular columns in direct use', () => {
  expectTypeOf(new ColumnDecoder().write(itemBatch)).toEqualTypeOf<boolean>()
  new ColumnDecoder().write(idBatch)
  new ColumnDecoder().write(textBatch)
  new ColumnDecoder().end(itemBatch)
  new ColumnDecoder({ columns: ['itemId'], onBadCell: 'null' }).write(itemBatch)
  new Generic().write(itemBatch)
  new AnyColumns().write(itemBatch)
  new TsvRowParser({ schema: itemSchema }).pipe(new ColumnDecoder()).pipe(new AnyColumns())
  expectTypeOf(new ColumnDecoder()).toExtend<Stage<RowBatch<ItemColumns>, RowBatch>>()
})

test('a stage for particular columns accepts only batches that have these', () => {
  const decoder = new ColumnDecoder<ItemColumns>()
  decoder.write(itemBatch)
  // @ts-expect-error a batch that lacks columns
  decoder.write(idBatch)
  // @ts-expect-error a batch of unknown columns
  decoder.write(anyBatch)
  // @ts-expect-error bytes are not a batch
  new ColumnDecoder().write(new Uint8Array())
  // The outputs of a stage for any columns have no particular ones.
  expectTypeOf(new ColumnDecoder()).not.toExtend<ColumnDecoder<ItemColumns>>()
})

test('in a pipeline the outputs keep the columns of the inputs', async () => {
  for await (const batch of pipeline(batches).to(new ColumnDecoder()).batches())
    expectTypeOf(batch).toEqualTypeOf<RowBatch<ItemColumns>>()
  for await (const batch of pipeline(batches)
    .to(() => new ColumnDecoder())
    .batches())
    expectTypeOf(batch).toEqualTypeOf<RowBatch<ItemColumns>>()
})
