import { expect, test } from 'vitest'
import { readDay, readHour } from '../../src/service/date-forms'

test('a day of the calendar is read', () => {
  expect(readDay('20260315')).toBe(Date.UTC(2026, 2, 15))
  expect(readDay('20240229')).toBe(Date.UTC(2024, 1, 29))
  for (const text of [
    '20250229',
    '20260230',
    '20261301',
    '20260300',
    '2026031',
    '202603155',
    '2026-03-15',
    '',
    ' 20260315',
    '20260315\n',
  ]) {
    expect(readDay(text)).toBeUndefined()
  }
})

test('a whole hour of UTC is read', () => {
  expect(readHour('2026-03-15T05:00:00.000Z')).toBe(Date.UTC(2026, 2, 15, 5))
  for (const text of [
    '2026-03-15T05:30:00.000Z',
    '2026-03-15T24:00:00.000Z',
    '2026-02-30T05:00:00.000Z',
    '2026-03-15T05:00:00Z',
    '',
  ]) {
    expect(readHour(text)).toBeUndefined()
  }
})
