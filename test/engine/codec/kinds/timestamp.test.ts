import fc from 'fast-check'
import { expect, test } from 'vitest'
import { decodeTimestamp } from '../../../../src/engine/codec/kinds/timestamp'

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
