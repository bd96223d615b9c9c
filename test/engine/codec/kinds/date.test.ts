import fc from 'fast-check'
import { expect, test } from 'vitest'
import { decodeDate } from '../../../../src/engine/codec/kinds/date'

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
