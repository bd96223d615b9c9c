import { expect, test } from 'vitest'
import { cellDecoders } from '../../../../src/engine/codec/decode/cell-decoders'
import { FeedError } from '../../../../src/engine/errors'
import type { CellTypes } from '../../../../src/engine/schema/values'
import { jsonWriter } from '../../../../src/engine/sinks/json-writer'

const samples: Record<keyof CellTypes, [text: string, json: unknown]> = {
  text: ['a', 'a'],
  int32: ['-3', -3],
  int64: ['-9007199254740993', '-9007199254740993'],
  decimal: ['1.50', '1.50'],
  float64: ['-1.5e3', -1500],
  boolean: ['TRUE', true],
  date: ['2024-02-29', '2024-02-29'],
  timestamp: ['2024-01-01T00:00:00Z', '2024-01-01T00:00:00.000Z'],
  json: ['{"a":[1]}', { a: [1] }],
  aspects: ['bg==:dg==', [{ label: null, name: 'n', value: 'v' }]],
  conditionDescriptors: ['bg==:dg==|dg==', [{ name: 'n', values: ['v', 'v'] }]],
  regions: ['COUNTRY:DE;', { countries: ['DE'], regions: [] }],
}

test('every type has a decoder and a sample here', () => {
  expect(Object.keys(cellDecoders)).toEqual(Object.keys(samples))
})

test.each(Object.entries(samples))('%s', (type, [text, json]) => {
  const value = cellDecoders[type as keyof CellTypes].decode(text)
  expect(JSON.parse(jsonWriter()(value)!)).toEqual(json)
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
    'int64',
    'decimal',
    'float64',
    'boolean',
    'date',
    'timestamp',
    'json',
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
