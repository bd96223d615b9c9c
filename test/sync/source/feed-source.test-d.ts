// The types of a feed of one's own: its key and version are columns, and its rows are typed.

import { expectTypeOf, test } from 'vitest'
import { type Decimal, decimal, defineSchema, text, timestamp } from '../../../src/index'
import { type FeedSource, openState, replayIntoState, sync } from '../../../src/sync'

const schema = defineSchema({
  name: 'prices',
  columns: { sku: text({ notNull: true }), price: decimal(), updatedAt: timestamp() },
})
type Prices = FeedSource<typeof schema.columns>

test('the key and the version of a source are columns of its schema', () => {
  expectTypeOf<Prices['key']>().toEqualTypeOf<'sku' | 'price' | 'updatedAt'>()
  const source: Prices = { name: 'partner', schema, key: 'sku', files: [] }
  const run = () => sync({ source, folder: 'state', mode: 'follow', strict: false })
  const replay = () => replayIntoState({ source, folder: 'state', files: [] })
  // @ts-expect-error: no column of the schema
  const wrong: Prices = { ...source, key: 'id' }
  // @ts-expect-error: nothing waits for a promise
  const late: Prices = { ...source, isRemoved: async () => true }
  return [run, replay, wrong, late]
})

test('the rows of a source are typed', async () => {
  const feed = (await openState('state')).feed({ name: 'partner', schema })
  const row = (await feed.row('A-1'))!
  expectTypeOf(row.get('sku')).toEqualTypeOf<string>()
  expectTypeOf(row.get('price')).toEqualTypeOf<Decimal | null>()
  // @ts-expect-error: no column of the schema
  row.get('id')
})
