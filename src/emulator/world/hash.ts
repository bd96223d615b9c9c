// The only source of randomness of the world: a 32-bit integer hash. Every fact is a hash of (seed,
// place, index, what), so nothing is remembered between two questions and the same question always
// has the same answer. The hash does not protect secrets.

import draws from './draws.json'

/**
 * The purposes of draws. Each has a number of its own, so that no two facts about an item depend on
 * the same hash. The draw `package` also uses the next two numbers.
 */
export const DRAW = draws

const GOLDEN = 0x9e3779b1

/**
 * Returns a 32-bit number made from two, by the finalizer of MurmurHash3 over their combination.
 */
export function mix(key: number, salt: number): number {
  let hash = key ^ Math.imul(salt + 1, GOLDEN)
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b)
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35)
  return (hash ^ (hash >>> 16)) >>> 0
}

/** Returns a 32-bit number made from the UTF-16 units of a text. */
export function mixText(key: number, text: string): number {
  let hash = mix(key, text.length)
  for (let i = 0; i < text.length; i++) hash = mix(hash, text.charCodeAt(i))
  return hash
}

/** Returns a hash as a fraction in [0, 1). */
export function fraction(hash: number): number {
  return hash / 0x1_0000_0000
}

/** Returns a whole number in [low, high], evenly distributed. */
export function between(hash: number, low: number, high: number): number {
  return low + Math.floor(fraction(hash) * (high - low + 1))
}

export function pick<T>(list: readonly T[], hash: number): T {
  return list[hash % list.length] as T
}

/**
 * Returns a whole number below `count`, low ones far more often than high ones. With the power 3 the
 * first hundredth is a fifth of all draws, with 2 it is a tenth.
 */
export function ranked(hash: number, count: number, power = 3): number {
  return Math.floor(fraction(hash) ** power * count)
}

/** Picks early elements far more often than late ones. */
export function often<T>(list: readonly T[], hash: number): T {
  return list[ranked(hash, list.length)] as T
}

const DIGITS = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const PAIRS: readonly string[] = Array.from({ length: DIGITS.length ** 2 }, (_, i) => {
  return DIGITS.charAt(Math.floor(i / DIGITS.length)) + DIGITS.charAt(i % DIGITS.length)
})

/** Returns a text of `quads * 4` letters and digits that looks like an opaque identifier. */
export function opaque(key: number, quads: number): string {
  let text = ''
  for (let i = 0; i < quads; i++) {
    const hash = mix(key, i)
    text += (PAIRS[hash % PAIRS.length] as string) + (PAIRS[(hash >>> 12) % PAIRS.length] as string)
  }
  return text
}
