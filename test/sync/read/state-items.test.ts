import { expect, test } from 'vitest'
import { float64, int32, list, text } from '../../../src/engine/schema/column-kinds'
import { defineSchema } from '../../../src/engine/schema/feed-schema'
import { itemSchema, itemSnapshotSchema } from '../../../src/engine/schema/feed-schemas'
import { stateItemColumns } from '../../../src/sync/read/state-item-columns'
import { stateItemLines } from '../../../src/sync/read/state-item-lines'
import { stateItemObject, stateItemReader } from '../../../src/sync/read/state-items'
import { stateOfFiles } from '../small-state'

/** Returns the items of a state that has these rows. */
function itemsOf(items: string[][], groups: string[][], priorities: string[][]) {
  return stateOfFiles([
    { feed: 'item', rows: [['itemId', 'title', 'primaryItemGroupId'], ...items] },
    { feed: 'item_group', rows: [['itemGroupId', 'title'], ...groups] },
    {
      feed: 'item_priority',
      rows: [['itemId', 'priorityListingPayload', 'changeMetadata'], ...priorities],
    },
  ])
}

/** Items of files with different columns, some with bad cells and columns of odd names. */
async function oddItems() {
  const files = [
    [
      ['itemId', 'title', 'primaryItemGroupId', 'estimatedAvailableQuantity', '7'],
      ['v1|1|0', 'one "1"\u0001\\', 'g1', '3', 'ü'],
      ['v1|2|0', '', 'g1', '', ''],
    ],
    [
      ['itemId', 'estimatedAvailableQuantity', 'primaryItemGroupId'],
      ['v1|3|0', 'many', ''],
      ['v1|4|0', '4', 'g9'],
    ],
    [
      ['itemId', 'group', 'invalid'],
      ['v1|5|0', 'own', 'own'],
    ],
  ]
  return stateOfFiles([
    ...files.map(rows => ({ feed: 'item' as const, rows })),
    {
      feed: 'item_group',
      rows: [
        ['itemGroupId', 'title'],
        ['g1', 'group "one"'],
      ],
    },
    {
      feed: 'item_priority',
      rows: [
        ['itemId', 'priorityListingPayload', 'changeMetadata'],
        ['v1|2|0', 'payload', 'ADDED_TO_CAMPAIGN'],
      ],
    },
  ])
}

test('lines are the JSON of the objects, of items with bad cells and odd columns too', async () => {
  const items = await oddItems()
  expect(items).toHaveLength(5)
  const lines = items.map(item => `${JSON.stringify(stateItemObject(item))}\n`).join('')
  expect(Buffer.from(stateItemLines(items)).toString()).toBe(lines)
  expect(lines).toContain('"invalid":{"estimatedAvailableQuantity":"many"}')
  expect(stateItemLines([])).toHaveLength(0)
})

test('columns have the cells of the objects, of items with bad cells too', async () => {
  const items = await oddItems()
  const batch = stateItemColumns(items)
  const names = Object.keys(itemSnapshotSchema.columns)
  expect(batch.columns.map(({ name }) => name)).toEqual([...names, 'invalid', 'priority', 'group'])
  expect(batch.file).toEqual(items[0]!.row.batch.file)
  const rows = [...batch] as Record<string, unknown>[]
  for (const [n, { group, priority, ...object }] of items.map(stateItemObject).entries()) {
    // The objects have the columns that are not documented, too.
    const cells = Object.entries(object).filter(([name]) => names.includes(name))
    expect(rows[n]).toMatchObject(Object.fromEntries(cells))
    const part = (cellsOf: unknown) => cellsOf && { ...(cellsOf as object), invalid: null }
    expect([rows[n]!.priority, rows[n]!.group]).toEqual(
      [priority, n === 4 ? null : group].map(part),
    )
  }
  expect(Array.from(batch.column('invalid' as string))).toEqual([
    null,
    null,
    { estimatedAvailableQuantity: 'many' },
    null,
    null,
  ])
  const empty = stateItemColumns([])
  expect(empty.columns.map(({ name, type }) => [name, type])).toEqual(
    batch.columns.map(({ name, type }) => [name, type]),
  )
})

test('columns by a schema of the caller are those alone', async () => {
  const items = await oddItems()
  const columns = {
    id: text({ aliases: ['itemId'] }),
    quantity: int32({ aliases: ['estimatedAvailableQuantity'] }),
    lacking: list(','),
  }
  const own = defineSchema({ name: 'own', columns })
  expect([...stateItemColumns(items, own)].map(row => Object.values(row))).toEqual([
    ['v1|1|0', 3, [], null],
    ['v1|2|0', null, [], null],
    ['v1|3|0', null, [], { quantity: 'many' }],
    ['v1|4|0', 4, [], null],
    ['v1|5|0', null, [], null],
  ])
  const none = defineSchema({ name: 'none', columns: { lacking: int32() } })
  expect([...stateItemColumns(items, none).column('lacking')]).toEqual(Array(5).fill(null))
  const refused = defineSchema({ name: 'refused', columns: { invalid: text() } })
  for (const schema of [refused, {}, null])
    expect(() => stateItemColumns(items, schema as never)).toThrow(
      expect.objectContaining({ code: 'OPTION_INVALID' }),
    )
  for (const item of [null, {}])
    expect(() => stateItemColumns([item as never])).toThrow(
      expect.objectContaining({ code: 'OPTION_INVALID' }),
    )
  const needed = defineSchema({ name: 'needed', columns: { size: text({ required: true }) } })
  expect(() => stateItemColumns(items, needed)).toThrow(
    expect.objectContaining({ code: 'TSV_COLUMN_MISSING' }),
  )
})

test('each item has its priority and its group, in key order', async () => {
  const items = await itemsOf(
    [
      ['v1|3|0', 'three', 'g9'],
      ['v1|1|0', 'one', 'g1'],
      ['v1|2|0', 'two', ''],
      ['v1|4|0', 'four', 'g1'],
    ],
    [
      ['g1', 'group one'],
      ['g2', 'group of nobody'],
    ],
    [['v1|2|0', 'payload', 'ADDED_TO_CAMPAIGN']],
  )
  const told = items.map(({ itemId, row, priority, group }) => [
    itemId,
    row.text('title'),
    priority?.text('priorityListingPayload'),
    group?.text('title'),
  ])
  expect(told).toEqual([
    ['v1|1|0', 'one', undefined, 'group one'],
    ['v1|2|0', 'two', 'payload', undefined],
    ['v1|3|0', 'three', undefined, undefined],
    ['v1|4|0', 'four', undefined, 'group one'],
  ])
  const [one, two] = items.map(stateItemObject)
  expect(one).toMatchObject({
    itemId: 'v1|1|0',
    title: 'one',
    priceValue: null,
    priority: null,
    group: { itemGroupId: 'g1', title: 'group one' },
  })
  expect(two).toMatchObject({
    priority: { itemId: 'v1|2|0', changeMetadata: ['ADDED_TO_CAMPAIGN'] },
    group: null,
  })
})

test('the listing may be longer than one block', async () => {
  const count = 1_500
  const ids = Array.from({ length: count }, (_, n) => [`v1|${n}|0`, 't', `g${n % 7}`])
  const items = await itemsOf(
    ids,
    [0, 1, 2, 3, 4, 5].map(n => [`g${n}`, `group ${n}`]),
    [],
  )
  expect(items).toHaveLength(count)
  expect(items.filter(({ group }) => group === null)).toHaveLength(Math.floor(count / 7))
  for (const { row, group } of items)
    expect(group?.text('itemGroupId') ?? 'g6').toBe(row.text('primaryItemGroupId'))
})

test('an empty state has no items', async () => {
  expect(await itemsOf([], [], [])).toEqual([])
})

test('a reader by a schema of the caller gives its columns alone, also where a file lacks them', async () => {
  const files = [
    [
      ['ItemId', 'priceValue', 'size'],
      ['v1|1|0', '1.50', 'S,M'],
    ],
    [
      ['size', 'itemId', 'PRICEVALUE', 'colour'],
      ['', 'v1|2|0', '2.5e1', 'red'],
    ],
    [['itemId'], ['v1|3|0']],
  ]
  const schema = defineSchema({
    name: 'own',
    columns: {
      id: text({ aliases: ['itemId'] }),
      price: float64({ aliases: ['priceValue'] }),
      size: list(','),
    },
  })
  const items = await stateOfFiles(files.map(rows => ({ feed: 'item' as const, rows })))
  expect(items.map(stateItemReader(schema))).toEqual([
    { id: 'v1|1|0', price: 1.5, size: ['S', 'M'] },
    { id: 'v1|2|0', price: 25, size: [] },
    { id: 'v1|3|0', price: null, size: [] },
  ])
  const needed = stateItemReader(
    defineSchema({ name: 'own', columns: { size: text({ required: true }) } }),
  )
  expect(needed(items[0]!)).toEqual({ size: 'S,M' })
  expect(() => needed(items[2]!)).toThrow(
    expect.objectContaining({
      code: 'TSV_COLUMN_MISSING',
      context: { row: 0, line: 1, byteOffset: 0, column: 'size' },
    }),
  )
})

test('a reader refuses a schema and an item that are none', async () => {
  expect(() => stateItemReader({ name: 'own' } as never)).toThrow(
    expect.objectContaining({ code: 'OPTION_INVALID' }),
  )
  const read = stateItemReader(itemSchema)
  for (const item of [null, {}, { row: { toObject() {} } }])
    expect(() => read(item as never)).toThrow(expect.objectContaining({ code: 'OPTION_INVALID' }))
})
