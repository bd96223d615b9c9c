import { PassThrough } from 'node:stream'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { cellDecoders, decoderOf } from '../../../../src/engine/codec/decode/cell-decoders'
import { FeedError } from '../../../../src/engine/errors'
import {
  cell,
  decimal,
  int64,
  list,
  oneOf,
  timestamp,
} from '../../../../src/engine/schema/column-kinds'
import type { CellTypes } from '../../../../src/engine/schema/values'
import { jsonWriter } from '../../../../src/engine/sinks/ndjson-sink'
import { defineSchema, ndjsonSink, pipeline, TsvRowParser } from '../../../../src/index'

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

test('a column has one decoder, and columns of equal parameters have their own', () => {
  const column = list('|')
  expect(decoderOf(column)).toBe(decoderOf(column))
  expect(decoderOf(column)).not.toBe(decoderOf(list('|')))
})

test('oneOf reads its texts, case included, and names them in its error', () => {
  const { decode, empty } = decoderOf(oneOf('red', 'green'))
  expect([decode('red'), decode('green'), empty]).toEqual(['red', 'green', null])
  for (const text of ['Red', 'blue', ' red', '__proto__', 'constructor'])
    expect(() => decode(text)).toThrow(
      expect.objectContaining({
        code: 'CELL_INVALID',
        context: { type: 'oneOf', reason: 'not one of red, green', excerpt: text },
      }),
    )
})

test('a list reads back with any separator and any kind of values, and is frozen', () => {
  const separator = fc.constantFrom('|', ',', ';', '::', ' / ', 'x')
  fc.assert(
    fc.property(
      separator,
      fc.array(fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n })),
      (between, values) => {
        const { decode } = decoderOf(list(between, int64()))
        const read = decode(values.join(between))
        expect(read).toEqual(values)
        expect(Object.isFrozen(read)).toBe(true)
      },
    ),
  )
})

test('a bad value of a list is that of its kind', () => {
  expect(() => decoderOf(list('|', timestamp())).decode('2024-01-01T00:00:00Z|now')).toThrow(
    expect.objectContaining({
      code: 'CELL_INVALID',
      context: expect.objectContaining({ type: 'timestamp', excerpt: 'now' }),
    }),
  )
})

test('a function of the caller gives the value, and what it throws is the cause', () => {
  const cause = new RangeError('too heavy')
  const { decode, empty } = decoderOf(
    cell(
      text => {
        if (text === 'heavy') throw cause
        return text.length
      },
      { empty: 0 },
    ),
  )
  expect([decode('abc'), empty]).toEqual([3, 0])
  expect(() => decode('heavy')).toThrow(
    expect.objectContaining({
      code: 'CELL_INVALID',
      cause,
      context: {
        type: 'cell',
        reason: "the schema's function threw: too heavy",
        excerpt: 'heavy',
      },
    }),
  )
})

test.each([null, 'text', 7, Symbol('s')])('a thrown %o is the cause too', thrown => {
  const { decode } = decoderOf(
    cell(() => {
      throw thrown
    }),
  )
  expect(() => decode('a')).toThrow(
    expect.objectContaining({ code: 'CELL_INVALID', cause: thrown }),
  )
})

test('a FeedError of the caller stays as it is', () => {
  const own = new FeedError('OPTION_INVALID', 'a unit', {
    option: 'u',
    expected: 'g',
    received: 'x',
  })
  const { decode } = decoderOf(
    cell(() => {
      throw own
    }),
  )
  expect(() => decode('a')).toThrow(own)
})

describe('a decimal with a scale', () => {
  const whole = '1'.repeat(36)
  test.each<[number, string[]]>([
    [2, ['0', '-0.5', '1.25', '1.2500', '007.10', whole, `${'0'.repeat(99)}${whole}.99`]],
    [0, ['12', '12.000', '1'.repeat(38)]],
    [38, ['0.12345678901234567890123456789012345678']],
  ])('takes what keeps all of its digits (%d)', (scale, good) => {
    const { decode } = decoderOf(decimal({ scale }))
    for (const text of good) expect(decode(text)).toEqual(cellDecoders.decimal.decode(text))
  })

  test.each([
    [2, '1.255', 'more than 2 digits behind the point'],
    [2, '0.00100', 'more than 2 digits behind the point'],
    [0, '1.5', 'more than 0 digits behind the point'],
    [2, `${whole}1`, 'more than 38 digits'],
    [38, '1', 'more than 38 digits'],
    [2, '1.', 'not a decimal number'],
  ])('refuses the others (%d, %s)', async (scale, text, reason) => {
    const schema = defineSchema({ name: 'own', columns: { price: decimal({ scale }) } })
    const [row] = await pipeline([Buffer.from(`price\n${text}\n`)])
      .to(new TsvRowParser({ schema }))
      .toArray()
    const context = expect.objectContaining({ type: 'decimal', reason, line: 2 })
    const invalid = expect.objectContaining({ code: 'CELL_INVALID', context })
    expect(() => row!.get('price')).toThrow(invalid)
    expect(() => JSON.stringify(row)).toThrow(invalid)
    expect(() => decoderOf(list('|', decimal({ scale }))).decode(text)).toThrow(reason)
  })

  test('JSON lines of a run refuse it too, and write the text of one that fits', async () => {
    const schema = defineSchema({ name: 'own', columns: { price: decimal({ scale: 1 }) } })
    const run = (text: string) =>
      pipeline([Buffer.from(`price\n${text}\n`)])
        .to(new TsvRowParser({ schema }))
        .run(ndjsonSink(new PassThrough().resume()))
    await expect(run('1.25')).rejects.toMatchObject({ code: 'CELL_INVALID', context: { line: 2 } })
    await run('1.50')
  })
})
