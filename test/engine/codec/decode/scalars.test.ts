import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  decodeBoolean,
  decodeDate,
  decodeJson,
  decodeTimestamp,
} from '../../../../src/engine/codec/decode/scalars'

test.each([
  ['true', true],
  ['TRUE', true],
  ['True', true],
  ['false', false],
  ['FALSE', false],
  ['False', false],
])('%s', (text, value) => {
  expect(decodeBoolean(text)).toBe(value)
})

test.each(['', '1', '0', 'yes', 'no', 't', ' true', 'true\n', 'null'])('refuses %j', text => {
  expect(() => decodeBoolean(text)).toThrow(expect.objectContaining({ code: 'CELL_INVALID' }))
})

const years = { min: new Date('0000-01-01T00:00:00Z'), max: new Date('9999-12-31T00:00:00Z') }

test('every day of the calendar reads back', () => {
  fc.assert(
    fc.property(fc.date({ ...years, noInvalidDate: true }), day => {
      const text = day.toISOString().slice(0, 10)
      expect(decodeDate(text)).toBe(text)
    }),
  )
})

test('of all days and months that two digits can write, a year has as many as its calendar', () => {
  const isDay = (text: string) => {
    try {
      return decodeDate(text) === text
    } catch {
      return false
    }
  }
  const two = (number: number) => String(number).padStart(2, '0')
  const daysOf = (year: string) =>
    Array.from(
      { length: 100 * 100 },
      (_, n) => `${year}-${two(Math.floor(n / 100))}-${two(n % 100)}`,
    ).filter(isDay).length
  expect(['1900', '2000', '2023', '2024', '0000'].map(daysOf)).toEqual([365, 366, 365, 366, 366])
})

test.each(['', '2024-1-1', '20240101', '2024-01-01T00:00:00Z', '01.02.2024', ' 2024-01-01'])(
  '%j has not the form of a day',
  text => {
    expect(() => decodeDate(text)).toThrow(
      expect.objectContaining({
        code: 'CELL_INVALID',
        context: { type: 'date', reason: 'not of the form yyyy-MM-dd', excerpt: text },
      }),
    )
  },
)

test('every instant of years 0 to 9999 comes back, with and without milliseconds', () => {
  const dates = fc.date({
    min: new Date('0000-01-01T00:00:00.000Z'),
    max: new Date('9999-12-31T23:59:59.999Z'),
    noInvalidDate: true,
  })
  fc.assert(
    fc.property(dates, date => {
      const text = date.toISOString()
      expect(decodeTimestamp(text)).toEqual(date)
      expect(decodeTimestamp(text.replace(/\.\d{3}Z$/, 'Z'))).toEqual(
        new Date(Math.floor(date.getTime() / 1000) * 1000),
      )
    }),
  )
})

test.each([
  '2024-02-30T00:00:00.000Z',
  '2023-02-29T00:00:00.000Z',
  '2024-04-31T00:00:00Z',
  '2024-13-01T00:00:00.000Z',
  '2024-00-01T00:00:00.000Z',
  '2024-01-00T00:00:00.000Z',
  '2024-01-01T24:00:00.000Z',
  '2024-01-01T23:60:00.000Z',
  '2024-01-01T23:59:60.000Z',
])('refuses %s: no such date or time', text => {
  expect(() => decodeTimestamp(text)).toThrow(
    expect.objectContaining({
      context: { type: 'timestamp', reason: 'no such date or time', excerpt: text },
    }),
  )
})

test.each([
  '',
  '2024-01-01',
  '2024-01-01T00:00:00.000',
  '2024-01-01T00:00:00.000+00:00',
  '2024-01-01 00:00:00.000Z',
  '2024-01-01T00:00Z',
  '2024-01-01T00:00:00.0Z',
  '2024-01-01T00:00:00.000Z ',
  '2024-01-01T00:00:00.000Z\n',
  '20240101',
  '1704067200000',
])('refuses %j: not of the form', text => {
  expect(() => decodeTimestamp(text)).toThrow(
    expect.objectContaining({
      context: {
        type: 'timestamp',
        reason: 'not of the form yyyy-MM-ddThh:mm:ss.sssZ',
        excerpt: text,
      },
    }),
  )
})

test('every JSON value reads back', () => {
  fc.assert(
    fc.property(fc.jsonValue(), value => {
      const text = JSON.stringify(value)
      expect(JSON.stringify(decodeJson(text))).toBe(text)
    }),
  )
})

test.each(['{', '[1,]', "{'a':1}", 'undefined', 'NaN', '1 2'])('%j is no JSON', text => {
  expect(() => decodeJson(text)).toThrow(
    expect.objectContaining({
      code: 'CELL_INVALID',
      context: expect.objectContaining({ type: 'json', excerpt: text }),
      cause: expect.any(SyntaxError),
    }),
  )
})
