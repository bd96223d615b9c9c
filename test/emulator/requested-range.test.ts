import { describe, expect, test } from 'vitest'
import { clampRange, contentRange, isUnsatisfiable, readRange, unsatisfiedRange } from '../../src/emulator/requested-range'

describe('requested range', () => {
  test.each([
    ['bytes=0-9', { start: 0, end: 9 }],
    ['bytes=5-5', { start: 5, end: 5 }],
    ['bytes=9-0', { start: 9, end: 0 }],
    ['items=0-9', 13016],
    ['bytes 0-9', 13016],
    ['bytes=0-9,20-29', 13016],
    ['bytes=', 13016],
    ['bytes=-5', 13018],
    ['bytes=x-5', 13018],
    ['bytes=9007199254740992-9007199254740993', 13018],
    ['bytes=5-', 13019],
    ['bytes=5-x', 13019],
    ['bytes=0-99999999999999999999', 13019],
  ])('%s', (header, read) => {
    expect(readRange(header)).toEqual(read)
  })

  test('the maximum is compared with end - start: one byte more passes', () => {
    expect(isUnsatisfiable({ start: 0, end: 100 }, 1_000, 100)).toBe(false)
    expect(isUnsatisfiable({ start: 0, end: 101 }, 1_000, 100)).toBe(true)
  })

  test('a start at or past the end, or after the range’s own end, fits nothing', () => {
    expect(isUnsatisfiable({ start: 9, end: 20 }, 10, 100)).toBe(false)
    expect(isUnsatisfiable({ start: 10, end: 20 }, 10, 100)).toBe(true)
    expect(isUnsatisfiable({ start: 5, end: 4 }, 10, 100)).toBe(true)
  })

  test('the three header forms', () => {
    const asked = { start: 2, end: 20 }
    expect(clampRange(asked, 10)).toEqual({ start: 2, end: 9 })
    expect(contentRange('documented', asked, 10)).toBe('2-9/10')
    expect(contentRange('rfc9110', asked, 10)).toBe('bytes 2-9/10')
    expect(contentRange('echo', asked, 10)).toBe('2-20/10')
    expect([unsatisfiedRange('documented', 10), unsatisfiedRange('rfc9110', 10)]).toEqual(['*/10', 'bytes */10'])
  })
})
