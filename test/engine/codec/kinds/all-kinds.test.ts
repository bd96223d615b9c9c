import { expect, test } from 'vitest'
import { decoderOf, KINDS } from '../../../../src/engine/codec/kinds/all-kinds'
import { FeedError } from '../../../../src/engine/errors'
import { list } from '../../../../src/engine/schema/column-kinds'
import type { ColumnSpec } from '../../../../src/engine/schema/column-spec'
import { CELL_TYPES, type CellTypes } from '../../../../src/engine/schema/values'
import { jsonWriter } from '../../../../src/engine/sinks/ndjson-sink'

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

const decoders = Object.keys(samples).map(
  type => [type, decoderOf({ type } as ColumnSpec), ...samples[type as keyof CellTypes]] as const,
)

test('every kind is in the table', () => {
  expect(Object.keys(KINDS)).toEqual(CELL_TYPES)
})

test.each(decoders)('%s', (_, { decode }, text, json) => {
  expect(JSON.parse(jsonWriter()(decode(text))!)).toEqual(json)
})

test('an empty cell is null or an empty list that nobody can change', () => {
  for (const [, { empty }] of decoders) {
    if (empty !== null) expect([Object.isFrozen(empty), empty]).toEqual([true, []])
  }
})

test('errors are typed, with a short excerpt and no position', () => {
  const bad = 'é*'.repeat(500)
  for (const [type, { decode }] of decoders.filter(([type]) => type !== 'text')) {
    let error: unknown
    try {
      decode(bad)
    } catch (thrown) {
      error = thrown
    }
    if (!FeedError.is(error) || error.code !== 'CELL_INVALID')
      return expect.fail(`${type} gave ${error}`)
    expect(error.context).toEqual({ type, reason: expect.any(String), excerpt: expect.any(String) })
    expect(error.context.excerpt!.length).toBeLessThanOrEqual(80)
  }
})

test('a column has one decoder, and columns of equal parameters have their own', () => {
  const column = list('|')
  expect(decoderOf(column)).toBe(decoderOf(column))
  expect(decoderOf(column)).not.toBe(decoderOf(list('|')))
})
