import { expect, test } from 'vitest'
import { cellDecoders } from '../../../src/codec/decode/cell-decoders'
import { FeedError } from '../../../src/errors'
import type { CellType } from '../../../src/schema/values'

const samples: Record<CellType, [text: string, json: unknown]> = {
  text: ['a', 'a'],
  int32: ['-3', -3],
  decimal: ['1.50', '1.50'],
  boolean: ['TRUE', true],
  timestamp: ['2024-01-01T00:00:00Z', '2024-01-01T00:00:00.000Z'],
  commaList: ['a,b', ['a', 'b']],
  pipeList: ['a|b', ['a', 'b']],
  aspects: ['bg==:dg==', [{ label: null, name: 'n', value: 'v' }]],
  conditionDescriptors: ['bg==:dg==|dg==', [{ name: 'n', values: ['v', 'v'] }]],
  regions: ['COUNTRY:DE;', { countries: ['DE'], regions: [] }],
}

test('every type has a decoder and a sample here', () => {
  expect(Object.keys(cellDecoders)).toEqual(Object.keys(samples))
})

test.each(Object.entries(samples))('%s', (type, [text, json]) => {
  expect(JSON.parse(JSON.stringify(cellDecoders[type as CellType].decode(text)))).toEqual(json)
})

test('an empty cell is null or an empty list that nobody can change', () => {
  for (const { empty } of Object.values(cellDecoders)) {
    if (empty !== null) expect([Object.isFrozen(empty), empty]).toEqual([true, []])
  }
})

test('errors are typed, with a short excerpt and no position', () => {
  const text = 'é*'.repeat(500)
  for (const type of [
    'int32',
    'decimal',
    'boolean',
    'timestamp',
    'aspects',
    'conditionDescriptors',
    'regions',
  ] as const) {
    let error: unknown
    try {
      cellDecoders[type].decode(text)
    } catch (thrown) {
      error = thrown
    }
    if (!FeedError.is(error) || error.code !== 'CELL_INVALID')
      return expect.fail(`${type} gave ${error}`)
    expect(error.context).toEqual({ type, reason: expect.any(String), excerpt: expect.any(String) })
    expect(error.context.excerpt!.length).toBeLessThanOrEqual(80)
  }
})
