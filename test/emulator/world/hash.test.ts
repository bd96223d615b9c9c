import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  between,
  fraction,
  mix,
  mixText,
  opaque,
  pick,
  ranked,
} from '../../../src/emulator/world/hash'

describe('hash', () => {
  test('it has fixed values, so that files are the same in any year', () => {
    expect([mix(0, 0), mix(1, 2), mix(0xffffffff, 7)]).toMatchInlineSnapshot(`
      [
        301794027,
        1918689678,
        3610910960,
      ]
    `)
    expect(mixText(7, 'MKT_US')).toMatchInlineSnapshot(`254470832`)
    expect(opaque(42, 4)).toMatchInlineSnapshot(`"f4kf7AhdRbgbUowg"`)
  })

  test('it is an unsigned 32-bit number, and its fraction lies in [0, 1)', () => {
    fc.assert(
      fc.property(fc.integer(), fc.integer(), (key, salt) => {
        const hash = mix(key, salt)
        expect(Number.isInteger(hash) && hash >= 0 && hash <= 0xffffffff).toBe(true)
        expect(fraction(hash)).toBeLessThan(1)
      }),
    )
  })

  test('between reaches both ends and stays inside', () => {
    const drawn = new Set(Array.from({ length: 500 }, (_, i) => between(mix(3, i), 5, 9)))
    expect([...drawn].sort()).toEqual([5, 6, 7, 8, 9])
  })

  test('neighbouring keys spread evenly over a list', () => {
    const counts = new Map<number, number>()
    for (let i = 0; i < 8_000; i++) {
      const value = pick([0, 1, 2, 3, 4, 5, 6, 7], mix(i, 1))
      counts.set(value, (counts.get(value) ?? 0) + 1)
    }
    for (const count of counts.values()) expect(Math.abs(count - 1_000)).toBeLessThan(150)
  })

  test('low ranks are frequent: the first hundredth is a fifth of all draws, or a tenth', () => {
    for (const [power, share] of [
      [3, 0.215],
      [2, 0.1],
    ] as const) {
      const ranks = Array.from({ length: 20_000 }, (_, i) => ranked(mix(i, 3), 100, power))
      expect([Math.min(...ranks), Math.max(...ranks)]).toEqual([0, 99])
      expect(Math.abs(ranks.filter(rank => rank === 0).length / 20_000 - share)).toBeLessThan(0.02)
    }
  })

  test('opaque text has four letters or digits for each quad', () => {
    expect(opaque(9, 5)).toMatch(/^[0-9A-Za-z]{20}$/)
  })
})
