import { describe, expect, test } from 'vitest'
import {
  type CheckMode,
  RequestChecks,
  readDay,
  readHour,
} from '../../../src/service/clients/request-checks'
import { defineProfile } from '../../../src/service/profile'

const profile = defineProfile({
  baseUrl: 'https://a.test',
  tokenUrl: 'https://a.test/t',
  scopeBase: 's',
  marketplacePrefix: 'M.',
})
const NOW = '2026-03-15T05:30:00.000Z'
const checksOf = (mode: CheckMode = 'all', now = NOW) =>
  new RequestChecks('getItemFeed', { mode, profile, now: () => Date.parse(now) })

const refused = (parameter: string) =>
  expect.objectContaining({
    code: 'REQUEST_INVALID',
    context: expect.objectContaining({ operation: 'getItemFeed', parameter }),
  })

test('marketplaces begin with the prefix of the profile, which is no pattern', () => {
  checksOf().marketplace('M.US')
  for (const value of ['MKT_US', 'MxUS', 'M.us', 'M.USA', 'M.', 'M.U\n', '', undefined, 5]) {
    expect(() => checksOf().marketplace(value as string)).toThrow(refused('marketplace'))
  }
})

test('categories are digits', () => {
  checksOf().category('220')
  for (const value of ['', '22a', '-1', '1'.repeat(21), ' 220', undefined]) {
    expect(() => checksOf().category(value as string)).toThrow(refused('categoryId'))
  }
})

test('lists have a least and a greatest length', () => {
  const many = (count: number, value: string) => Array.from({ length: count }, () => value)
  checksOf().categories(undefined)
  checksOf().categories(many(20, '1'))
  checksOf().marketplaces(many(10, 'M.US'))
  for (const list of [[], many(21, '1'), ['1', 'x'], '1'])
    expect(() => checksOf().categories(list as string[])).toThrow(refused('categoryIds'))
  for (const list of [many(11, 'M.US'), ['US']])
    expect(() => checksOf().marketplaces(list)).toThrow(refused('marketplaceIds'))
})

describe('days', () => {
  test.each(['20260315', '20240229', '19700101'])('%s is a day', date => checksOf().date(date))

  test.each([
    '2026031',
    '202603155',
    '20260230',
    '20250229',
    '20261301',
    '20260300',
    '2026-03-1',
    '',
    undefined,
  ])('%s is no day', date => {
    expect(() => checksOf().date(date)).toThrow(refused('date'))
  })

  test('a day in the future is refused, in every time zone from UTC-7 to UTC', () => {
    checksOf('all', '2026-03-15T00:00:00Z').date('20260315')
    expect(() => checksOf('all', '2026-03-14T23:59:59Z').date('20260315')).toThrow(refused('date'))
  })

  test('a day is at most 14 days ago by the calendar of UTC-7', () => {
    // 05:30 UTC on the 15th is still the 14th at UTC-7.
    checksOf().date('20260228', 14)
    expect(() => checksOf().date('20260227', 14)).toThrow(refused('date'))
    checksOf().date('20200101')
  })
})

describe('hours', () => {
  test('an hour is a Date or a text of a whole hour of UTC', () => {
    checksOf().hour('snapshotDate', '2026-03-15T05:00:00.000Z')
    checksOf().hour('snapshotDate', new Date('2026-03-15T05:00:00Z'))
    checksOf().hour('snapshotDate', new Date('2026-03-14T22:00:00-07:00'))
  })

  test.each([
    '2026-03-15T05:00:00Z',
    '2026-03-15T05:30:00.000Z',
    '2026-03-15T05:00:00.001Z',
    '2026-03-15 05:00:00',
    '2026-02-30T05:00:00.000Z',
    '2026-03-15T24:00:00.000Z',
    '2026-03-15T05:00:00.000+00:00',
    new Date('2026-03-15T05:00:00.001Z'),
    new Date(Number.NaN),
    undefined,
  ])('%s is no hour', hour => {
    expect(() => checksOf().hour('snapshotDate', hour as string)).toThrow(refused('snapshotDate'))
  })

  test('an hour is within seven days and not in the future', () => {
    checksOf().hour('snapshotDate', '2026-03-08T05:00:00.000Z')
    for (const hour of ['2026-03-08T04:00:00.000Z', '2026-03-15T06:00:00.000Z']) {
      expect(() => checksOf().hour('snapshotDate', hour)).toThrow(refused('snapshotDate'))
    }
  })
})

test('whole numbers, names, choices and texts are checked', () => {
  checksOf().wholeNumber('limit', undefined, 20, 100)
  checksOf().wholeNumber('limit', 20, 20, 100)
  for (const value of [19, 101, 20.5, Number.NaN, '20']) {
    expect(() => checksOf().wholeNumber('limit', value as number, 20, 100)).toThrow(
      refused('limit'),
    )
  }
  checksOf().name('feedTypeId', 'CURATED_ITEM_FEED')
  for (const value of ['', 'a b', 'a\r\nb', 'x'.repeat(201)])
    expect(() => checksOf().name('feedTypeId', value)).toThrow(refused('feedTypeId'))
  checksOf().oneOf('scope', 'a', ['a', 'b'])
  expect(() => checksOf().oneOf('scope', 'c', ['a', 'b'])).toThrow(refused('scope'))
  checksOf().text('topicId', 'x')
  for (const value of ['', '  ', undefined])
    expect(() => checksOf().text('topicId', value)).toThrow(refused('topicId'))
})

test('`forms` checks no windows, and `none` checks nothing', () => {
  checksOf('forms').date('20990101', 14)
  checksOf('forms').hour('snapshotDate', '2000-01-01T00:00:00.000Z')
  expect(() => checksOf('forms').date('2099010')).toThrow(refused('date'))
  const none = checksOf('none')
  none.date('x')
  none.date(undefined)
  none.hour('snapshotDate', 'x')
  none.marketplace('x')
  none.categories([])
  none.categories(['x'])
  none.wholeNumber('limit', -1, 20, 100)
  none.text('topicId', undefined)
})

test('the received value is shortened in the error', () => {
  const { context } = (() => {
    try {
      checksOf().category('x'.repeat(500))
    } catch (error) {
      return error as { context: { received: string; expected: string } }
    }
    throw new Error('not refused')
  })()
  expect(context.received.length).toBe(80)
})

describe('forms of dates', () => {
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
})
