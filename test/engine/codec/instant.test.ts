import fc from 'fast-check'
import { expect, test } from 'vitest'
import { readInstant } from '../../../src/engine/codec/instant'

const isLeap = (year: number) => (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0
const daysIn = (year: number, month: number) =>
  month === 2 ? (isLeap(year) ? 29 : 28) : [4, 6, 9, 11].includes(month) ? 30 : 31

/** Milliseconds since 1970 by counting days: no Date has a part in it. */
function countedMs(year: number, month: number, day: number, clockMs: number): number {
  let days = day - 1
  for (let each = 1; each < month; each++) days += daysIn(year, each)
  for (let each = Math.min(year, 1970); each < Math.max(year, 1970); each++)
    days += Math.sign(year - 1970) * (isLeap(each) ? 366 : 365)
  return days * 86_400_000 + clockMs
}

const digits = (value: number, length = 2) => String(value).padStart(length, '0')
const upTo = (max: number, past: number) =>
  fc.oneof({ weight: 4, arbitrary: fc.nat(max) }, fc.nat(past))
const parts = fc.record({
  year: fc.oneof(fc.nat(9999), fc.constantFrom(0, 4, 1900, 1969, 1970, 2000, 2024, 2026, 9999)),
  month: upTo(12, 19),
  day: fc.oneof({ weight: 2, arbitrary: fc.nat(31) }, fc.constantFrom(28, 29, 30, 31, 32)),
  hour: upTo(23, 30),
  minute: upTo(59, 70),
  second: fc.option(upTo(59, 70), { nil: undefined }),
  fraction: fc.constantFrom('', '.0', '.5', '.999', '.1234567'),
  // Most texts have a zone, as `Z` or with its hours and minutes.
  zone: fc.oneof(
    fc.constantFrom('Z', 'Z', 'Z', '', 'z', ' Z', '+01', 'UTC', '[UTC]'),
    fc
      .tuple(fc.constantFrom('+', '-'), upTo(23, 30), upTo(59, 70), fc.boolean())
      .map(([sign, hour, minute, colon]) => ({ sign, hour, minute, colon })),
  ),
  between: fc.oneof({ weight: 9, arbitrary: fc.constant('T') }, fc.constantFrom(' ', 't', '')),
})

test('fault 157: a text is an instant exactly where its day, its time and its zone exist', () => {
  let accepted = 0
  fc.assert(
    fc.property(parts, ({ year, month, day, hour, minute, second, fraction, zone, between }) => {
      const zoneText =
        typeof zone === 'string'
          ? zone
          : `${zone.sign}${digits(zone.hour)}${zone.colon ? ':' : ''}${digits(zone.minute)}`
      const seconds = second === undefined ? '' : `:${digits(second)}${fraction}`
      const text = `${digits(year, 4)}-${digits(month)}-${digits(day)}${between}${digits(hour)}:${digits(minute)}${seconds}${zoneText}`
      const exists =
        between === 'T' &&
        month >= 1 &&
        month <= 12 &&
        day >= 1 &&
        day <= daysIn(year, month) &&
        hour < 24 &&
        minute < 60 &&
        (second ?? 0) < 60 &&
        (typeof zone === 'string' ? zone === 'Z' : zone.hour < 24 && zone.minute < 60)
      const found = readInstant(text)
      expect([text, found !== undefined]).toEqual([text, exists])
      if (found === undefined) return
      accepted++
      const ms = second === undefined ? 0 : Math.floor(Number(`0${fraction || '.0'}`) * 1000)
      const clockMs = ((hour * 60 + minute) * 60 + (second ?? 0)) * 1000 + ms
      const offset =
        typeof zone === 'string'
          ? 0
          : (zone.sign === '+' ? -1 : 1) * (zone.hour * 60 + zone.minute) * 60_000
      expect([text, found.getTime()]).toEqual([text, countedMs(year, month, day, clockMs) + offset])
    }),
    { numRuns: 5000 },
  )
  expect(accepted).toBeGreaterThan(500)
})

test.each([
  '2026-03-01T06:00:00',
  '2026-03-01',
  '2026-02-29T06:00:00Z',
  '2026-02-30T06:00:00+02:00',
  '2026-03-01T24:00:00Z',
  '2026-13-01T06:00:00Z',
  '2026-00-10T06:00:00Z',
  '2026-3-1T06:00:00Z',
  '+012026-03-01T06:00:00Z',
  '2026-03-01T06:00:00Z ',
  'tomorrow',
  '1',
  '',
])('fault 157: %j is no instant', text => {
  expect(readInstant(text)).toBeUndefined()
})

const MONTHS = 'Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec'.split(' ')
const dates = fc.record({
  year: fc.oneof(fc.integer({ min: 1970, max: 2049 }), fc.integer({ min: 1000, max: 9999 })),
  month: fc.nat(11),
  day: upTo(31, 40),
  hour: upTo(23, 30),
  minute: upTo(59, 70),
  second: upTo(59, 70),
})

test('fault 157: a date of HTTP is read exactly where it exists', () => {
  fc.assert(
    fc.property(dates, ({ year, month, day, hour, minute, second }) => {
      const clock = [hour, minute, second].map(each => digits(each)).join(':')
      const name = MONTHS[month]
      const old = `Sunday, ${digits(day)}-${name}-${digits(year % 100)} ${clock} GMT`
      const exists =
        day >= 1 && day <= daysIn(year, month + 1) && hour < 24 && minute < 60 && second < 60
      const ms = countedMs(year, month + 1, day, ((hour * 60 + minute) * 60 + second) * 1000)
      const forms = [`Sun, ${digits(day)} ${name} ${year} ${clock} GMT`]
      if (year >= 1970 && year < 2050) forms.push(old)
      for (const form of forms)
        expect([form, readInstant(form)?.getTime()]).toEqual([form, exists ? ms : undefined])
    }),
    { numRuns: 2000 },
  )
})

test.each([
  'Sun, 01 Mar 2026 06:00:00',
  'Sun, 01 Mar 2026 06:00:00 CET',
  'Sun, 01 Mac 2026 06:00:00 GMT',
  'Sun Mar  1 06:00:00 2026',
  '01 Mar 2026 06:00:00 GMT',
  'Sun, 01 Mar 2026 06:00:00 GMT, Sun, 01 Mar 2026 06:00:00 GMT',
])('fault 157: %j is no date', text => {
  expect(readInstant(text)).toBeUndefined()
})
