import { expect, test } from 'vitest'
import { checkDocumented, readColumns } from '../../../src/cli/verify/output-columns'

const COLUMNS = [
  { name: 'itemId', type: 'text' },
  { name: 'priceValue', type: 'decimal' },
  { name: 'category', type: 'list |' },
  { name: 'localizedAspects', type: 'aspects' },
]

async function* rows(...all: readonly Record<string, unknown>[]) {
  yield* all
}

const read = (
  all: readonly Record<string, unknown>[],
  rename: readonly (readonly [string, string])[] = [],
  ignore: readonly string[] = [],
) => readColumns(rows(...all), COLUMNS, { rename: new Map(rename), ignore })

test('case and underscores of names do not count, and later rows may have more columns', async () => {
  const { key, compared } = await read([{ ITEM_ID: '1' }, { ITEM_ID: '2', price_value: null }])
  expect([key, compared.map(({ received, name }) => [received, name])]).toEqual([
    'ITEM_ID',
    [['price_value', 'priceValue']],
  ])
})

test('a renamed column is compared by its documented name, an ignored one is not compared', async () => {
  const row = { sku: '1', cost: '2', category: 'a' }
  const { key, compared, unknown } = await read(
    [row],
    [
      ['sku', 'itemId'],
      ['cost', 'priceValue'],
    ],
    ['category'],
  )
  expect([key, compared.map(({ name }) => name), unknown]).toEqual(['sku', ['priceValue'], []])
})

test('other columns, and columns with objects, are named and not compared', async () => {
  const { compared, unknown, structured } = await read([
    {
      itemId: '1',
      category: ['a', 'b'],
      localizedAspects: [{ name: 'Color' }],
      priceValue: {},
      extra: 1,
    },
  ])
  expect([compared.map(({ name }) => name), unknown, structured]).toEqual([
    ['category', 'localizedAspects'],
    ['extra'],
    ['priceValue'],
  ])
})

test('a name that no document has is refused', () => {
  expect(() => checkDocumented('rename', ['price'], ['itemId', 'priceValue'])).toThrow(
    expect.objectContaining({
      code: 'OPTION_INVALID',
      context: expect.objectContaining({ option: 'rename', received: 'price' }),
    }),
  )
  expect(() => checkDocumented('rename', ['PRICE_VALUE'], ['priceValue'])).not.toThrow()
})
