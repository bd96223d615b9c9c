import { PassThrough } from 'node:stream'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { decoderOf } from '../../../../src/engine/codec/kinds/all-kinds'
import { decodeDecimal } from '../../../../src/engine/codec/kinds/decimal'
import { decimal, list } from '../../../../src/engine/schema/column-kinds'
import { defineSchema, ndjsonSink, pipeline, TsvRowParser } from '../../../../src/index'

const decimals = fc.stringMatching(/^-?[0-9]{1,30}(\.[0-9]{1,30})?$/)

test('the text stays as sent, in text, in strings and in JSON; the number is the nearest double', () => {
  fc.assert(
    fc.property(decimals, text => {
      const decimal = decodeDecimal(text)
      expect(decimal.text).toBe(text)
      expect(`${decimal}`).toBe(text)
      expect(JSON.stringify({ decimal })).toBe(JSON.stringify({ decimal: text }))
      expect(decimal.toNumber()).toBe(Number(text))
      expect(decodeDecimal(decimal.text)).toEqual(decimal)
    }),
  )
})

test('keeps what a double cannot: digits past the 16th and zeros at the end', () => {
  expect(decodeDecimal('1234567890123456.10').text).toBe('1234567890123456.10')
})

test.each([
  '',
  '-',
  '.5',
  '5.',
  '+1',
  '1e3',
  '1,50',
  '1 000',
  ' 1',
  '1\n',
  'NaN',
  'Infinity',
  '0x10',
  '--1',
  '1.2.3',
  '٣',
])('refuses %j', text => {
  expect(() => decodeDecimal(text)).toThrow(
    expect.objectContaining({
      code: 'CELL_INVALID',
      context: { type: 'decimal', reason: 'not a decimal number', excerpt: text },
    }),
  )
})

describe('a decimal with a scale', () => {
  const whole = '1'.repeat(36)
  test.each<[number, string[]]>([
    [2, ['0', '-0.5', '1.25', '1.2500', '007.10', whole, `${'0'.repeat(99)}${whole}.99`]],
    [0, ['12', '12.000', '1'.repeat(38)]],
    [38, ['0.12345678901234567890123456789012345678']],
  ])('takes what keeps all of its digits (%d)', (scale, good) => {
    const { decode } = decoderOf(decimal({ scale }))
    for (const text of good) expect(decode(text)).toEqual(decodeDecimal(text))
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
